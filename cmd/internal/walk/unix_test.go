//go:build unix

package walk

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pipe without a writer would be waited for if it were opened.
func TestWalkPipe(t *testing.T) {
	plant(t, "in/a.txt")
	require.NoError(t, syscall.Mkfifo("in/pipe", 0o600))
	require.Equal(t, []string{"in/a.txt -> a.txt", "in/pipe -> pipe: not a regular file"}, walked(t, Options{Roots: []string{"in"}}))
	require.Equal(t, []string{"in/pipe: error", "in/pipe: already listed"},
		walked(t, Options{List: []Listed{{Path: "in/pipe"}, {Path: "in/pipe"}}}))
	w, err := New(Options{Roots: []string{"in/pipe"}})
	require.NoError(t, err)
	found, err := w.Survey(t.Context(), false)
	require.NoError(t, err)
	require.Zero(t, found.Documents)
}

//go:build unix

package cmd_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestE8Runs terminates runs of real processes while nobody reads what they write.
func TestE8Runs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
	var list strings.Builder
	for i := range 2000 {
		name := filepath.Join(dir, "in", fmt.Sprintf("%04d.txt", i))
		require.NoError(t, os.WriteFile(name, []byte("A line of text.\n"), 0o600))
		fmt.Fprintln(&list, name)
	}
	for name, test := range map[string]struct {
		stderr   bool // is what nobody reads
		requests int  // after which the pipe is full
		args     []string
	}{
		"documents": {false, 600, []string{"in", "-f", "jsonl", "-q"}},
		"answers":   {false, 600, []string{"--stdin-list", "-q"}},
		"messages":  {true, 80, []string{"in", "-o", "out", "-v"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := partitiontest.NewServer(partitiontest.Options{})
			defer server.Close()
			c := exec.Command("quire", append([]string{"partition", "--no-cache"}, test.args...)...)
			c.Dir, c.Stdin = dir, strings.NewReader(list.String())
			c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL)
			said, err := os.Create(filepath.Join(t.TempDir(), "stderr")) // a file: nothing copies while it is read
			require.NoError(t, err)
			defer said.Close()
			c.Stderr = said
			pipe := c.StdoutPipe
			if test.stderr {
				c.Stderr, pipe = nil, c.StderrPipe
			}
			unread, err := pipe()
			require.NoError(t, err)
			defer unread.Close() // and no earlier
			require.NoError(t, c.Start())
			_, err = io.ReadFull(unread, make([]byte, 1))
			require.NoError(t, err)
			require.Eventually(t, func() bool { return len(server.Requests()) >= test.requests }, time.Minute, 20*time.Millisecond)
			start := time.Now()
			require.NoError(t, c.Process.Signal(syscall.SIGTERM))
			state, err := c.Process.Wait()
			require.NoError(t, err)
			messages, err := os.ReadFile(said.Name())
			require.NoError(t, err)
			require.Equal(t, 143, state.ExitCode(), "%s", messages)
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}

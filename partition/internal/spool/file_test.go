package spool

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileIsPrivate(t *testing.T) {
	f, err := Read(strings.NewReader("abcdefgh"), 4)
	require.NoError(t, err)
	defer f.Close()
	info, err := f.file.Stat()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.EqualValues(t, 8, info.Size())
	require.Empty(t, f.data)
}

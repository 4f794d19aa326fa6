package folder

import (
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

func TestFoldsCase(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("state", 0o700))
	require.NoError(t, os.WriteFile("Upper", nil, 0o600))
	_, err := os.Lstat("uPPER")
	want := err == nil
	root, err := os.OpenRoot(".")
	require.NoError(t, err)
	defer root.Close()
	for _, folder := range []string{".", "state"} {
		got, err := foldsCase(root, folder)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	left, err := os.ReadDir("state")
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = foldsCase(root, "gone")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// healthy is a disk that lacks nothing.
func healthy(t *testing.T) *journal.Disk {
	return journal.NewDisk(func(err error) { t.Error(err) })
}

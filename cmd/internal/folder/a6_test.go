package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
)

// TestA6 writes outputs, a journal and a list on file systems that lack something: each lack is one
// warning, and all is kept. A disk that is full, broken or read-only keeps nothing.
func TestA6(t *testing.T) {
	outputs := func(t *testing.T, disk *journal.Disk, dir string) error {
		f, err := Open(dir, disk)
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, f.Remember(func(err error) { t.Error(err) }))
		for i := range 3 {
			file, err := f.Create("a.json")
			require.NoError(t, err)
			fmt.Fprintf(file, "version %d", i)
			if err := file.Commit(); err != nil {
				return err
			}
			if err := f.journal.Append(journal.Record{Name: "a.json", State: journal.Done, Attempts: i}); err != nil {
				return err
			}
		}
		l, err := NewFailedList("", f, disk, ".json", nil)
		require.NoError(t, err)
		return l.Close()
	}
	kept := func(t *testing.T, dir string) {
		content, err := os.ReadFile(filepath.Join(dir, "a.json"))
		require.NoError(t, err)
		require.Equal(t, "version 2", string(content))
		f, err := Open(dir, healthy(t))
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, f.Remember(func(err error) { t.Error(err) }))
		record, known := f.journal.Lookup("a.json")
		require.True(t, known)
		require.Equal(t, 2, record.Attempts)
		require.FileExists(t, filepath.Join(dir, journal.Folder, "failed.jsonl"))
	}
	for _, errno := range []syscall.Errno{syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.EINVAL, syscall.ENOSYS, syscall.ENOTTY} {
		t.Run("no fsync: "+errno.Error(), func(t *testing.T) {
			var said []string
			disk := journal.NewDisk(func(err error) { said = append(said, err.Error()) })
			disk.Fsync = func(file *os.File) error { return &os.PathError{Op: "sync", Path: file.Name(), Err: errno} }
			dir := t.TempDir()
			require.NoError(t, outputs(t, disk, dir))
			require.Equal(t, []string{"the file system of the outputs has no fsync: what was written last may be lost in a power cut"}, said)
			kept(t, dir)
		})
	}
	for _, errno := range []syscall.Errno{syscall.ENOTSUP, syscall.EINVAL, syscall.ENOSYS, syscall.EEXIST} {
		t.Run("no rename over: "+errno.Error(), func(t *testing.T) {
			var said []string
			disk := journal.NewDisk(func(err error) { said = append(said, err.Error()) })
			disk.Move = func(root *os.Root, from, to string) error {
				if _, err := root.Lstat(to); err == nil {
					return &os.LinkError{Op: "rename", Old: from, New: to, Err: errno}
				}
				return root.Rename(from, to)
			}
			dir := t.TempDir()
			require.NoError(t, outputs(t, disk, dir))
			require.Equal(t, []string{
				"the file system of the outputs has no renaming over a file: a kill at the wrong moment may lose an output that is replaced",
			}, said)
			kept(t, dir)
		})
	}
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		t.Run("broken: "+errno.Error(), func(t *testing.T) {
			for _, breaks := range []func(*journal.Disk){
				func(d *journal.Disk) { d.Fsync = func(*os.File) error { return errno } },
				func(d *journal.Disk) { d.Move = func(*os.Root, string, string) error { return errno } },
			} {
				disk := healthy(t)
				breaks(disk)
				dir := t.TempDir()
				err := outputs(t, disk, dir)
				require.ErrorIs(t, err, errno)
				require.NoFileExists(t, filepath.Join(dir, "a.json"))
				lost := &WriteError{"a.json", err}
				require.False(t, lost.OfItsName(), "the run ends")
			}
		})
	}
	t.Run("a folder in the way", func(t *testing.T) {
		dir := t.TempDir()
		disk := healthy(t)
		f, err := Open(dir, disk)
		require.NoError(t, err)
		defer f.Close()
		file, err := f.Create("a.json")
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(dir, "a.json"), 0o700))
		disk.Move = func(*os.Root, string, string) error { return syscall.EEXIST }
		require.True(t, errors.Is(file.Commit(), syscall.EEXIST))
		require.DirExists(t, filepath.Join(dir, "a.json"))
	})
}

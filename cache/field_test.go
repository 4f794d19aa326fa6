//go:build unix

package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A cache below a folder that another user owns or may write to is not opened, and nothing is made
// there.
func TestE5ForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away; TestOwnersAndModes has the rules")
	}
	const stranger = 12345
	giveAway := func(name string) func(t *testing.T, base string) {
		return func(t *testing.T, base string) {
			require.NoError(t, os.Lchown(filepath.Join(base, name), stranger, 0))
		}
	}
	for name, test := range map[string]struct {
		change func(t *testing.T, base string)
		want   string // in the error; empty where the cache is opened
	}{
		"all ours":              {func(*testing.T, string) {}, ""},
		"the cache":             {giveAway("above/cache"), "above/cache: it belongs to another user (uid 12345)"},
		"the folder above":      {giveAway("above"), "above: it belongs to another user (uid 12345)"},
		"the entries":           {giveAway("above/cache/entries"), "entries: it belongs to another user (uid 12345)"},
		"a link to the cache":   {giveAway("link"), "link: it belongs to another user (uid 12345)"},
		"anybody writes above":  {func(t *testing.T, base string) { chmod(t, base, "above", 0o777) }, "above: other users may write to it (mode 0777)"},
		"anybody, a sticky bit": {func(t *testing.T, base string) { chmod(t, base, "above", 0o777|fs.ModeSticky) }, ""},
		"a group above":         {func(t *testing.T, base string) { chown(t, base, 5); chmod(t, base, "above", 0o775) }, "above: other users may write to it (mode 0775)"},
		"the user's own group":  {func(t *testing.T, base string) { chmod(t, base, "above", 0o775) }, ""},
		"anybody reads all":     {func(t *testing.T, base string) { chmod(t, base, "above", 0o755) }, ""},
		"a folder above no cache": {func(t *testing.T, base string) {
			require.NoError(t, os.RemoveAll(filepath.Join(base, "above", "cache")))
			giveAway("above")(t, base)
		}, "above: it belongs to another user (uid 12345)"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			path := filepath.Join(base, "above", "cache")
			d, err := Open(path, Options{})
			require.NoError(t, err)
			mustPut(t, d, 1)
			require.NoError(t, d.Close())
			require.NoError(t, os.Symlink("above/./../above/cache", filepath.Join(base, "link")))
			test.change(t, base)
			before, _ := os.ReadDir(filepath.Join(base, "above"))

			d, err = Open(filepath.Join(base, "link"), Options{})
			if test.want == "" {
				require.NoError(t, err)
				requireHit(t, d, 1)
				require.NoError(t, d.Close())
				return
			}
			require.ErrorIs(t, err, ErrUnavailable)
			require.ErrorContains(t, err, test.want)
			after, _ := os.ReadDir(filepath.Join(base, "above"))
			require.Equal(t, len(before), len(after))
		})
	}
}

func chmod(t *testing.T, base, name string, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, os.Chmod(filepath.Join(base, name), mode))
}

func chown(t *testing.T, base string, group int) {
	t.Helper()
	require.NoError(t, os.Chown(filepath.Join(base, "above"), -1, group))
}

// A file system that has no fsync and no locks is one warning; a disk that fails is an error.
func TestA6Unsupported(t *testing.T) {
	for _, why := range []error{syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.EINVAL, syscall.ENOSYS, syscall.ENOTTY} {
		t.Run(why.Error(), func(t *testing.T) {
			warned := &warnings{}
			path := filepath.Join(t.TempDir(), "cache")
			require.NoError(t, os.Mkdir(path, 0o700))
			d, err := open(path, noLocks{newFaultDisk(t, path, failSync(why))}, Options{Warn: warned.add})
			require.NoError(t, err)
			for n := range 3 {
				mustPut(t, d, n)
				requireHit(t, d, n)
			}
			require.NoError(t, d.Close())
			got := warned.take()
			require.Len(t, got, 1)
			require.ErrorContains(t, got[0], "the file system of the cache has no file locks: ")
			require.NotErrorIs(t, got[0], ErrUnavailable)

			d, err = open(path, newFaultDisk(t, path, failSync(why)), Options{Warn: warned.add})
			require.NoError(t, err)
			mustPut(t, d, 4)
			require.NoError(t, d.Close())
			got = warned.take()
			require.Len(t, got, 1)
			require.ErrorContains(t, got[0], "the file system of the cache has no fsync: ")
		})
	}
	for _, why := range []error{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS} {
		t.Run(why.Error(), func(t *testing.T) {
			warned := &warnings{}
			path := filepath.Join(t.TempDir(), "cache")
			require.NoError(t, os.Mkdir(path, 0o700))
			d, err := open(path, newFaultDisk(t, path, failSync(why)), Options{Warn: warned.add})
			require.NoError(t, err)
			for n := range 3 {
				err := put(d, keyFor(n), contentFor(n))
				require.ErrorIs(t, err, ErrUnavailable)
				require.ErrorIs(t, err, why)
			}
			require.NoError(t, d.Close())
			require.Len(t, warned.take(), 1)
		})
	}
}

func failSync(why error) func(int, string) error {
	return func(_ int, what string) error {
		if what == "sync" {
			return why
		}
		return nil
	}
}

// A full disk is one warning for 300 entries, and offers no room for the temporary files of the
// caller, who would have to warn for each of them.
func TestE12FullCacheWarnsOnce(t *testing.T) {
	warned := &warnings{}
	path := filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.Mkdir(path, 0o700))
	full := false
	d, err := open(path, newFaultDisk(t, path, func(_ int, what string) error {
		if full && what == "write" {
			return syscall.ENOSPC
		}
		return nil
	}), Options{Warn: warned.add})
	require.NoError(t, err)
	defer d.Close()
	full = true
	for n := range 300 {
		_, err := d.Scratch()
		require.Equal(t, n > 0, errors.Is(err, ErrUnavailable), "after the first Put there is no room")
		require.ErrorIs(t, put(d, keyFor(n), nil), ErrUnavailable)
	}
	require.Len(t, warned.take(), 1)
	full = false
	require.NoError(t, put(d, keyFor(1), nil))
	_, err = d.Scratch()
	require.NoError(t, err, "there is room again")
}

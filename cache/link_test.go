package cache

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Links and other things in place of what the cache has made are not followed: nothing outside is
// read, changed or removed.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	target := filepath.Join(outside, "target")
	setUp := func(t *testing.T) (*Dir, *warnings) {
		d, warned := newDir(t, Options{})
		mustPut(t, d, 1)
		data, err := os.ReadFile(entryPath(d, 1))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(target, data, 0o600)) // a valid entry, but not here
		return d, warned
	}
	untouched := func(t *testing.T) {
		info, err := os.Stat(target)
		require.NoError(t, err)
		require.Equal(t, emptyLen+int64(len(contentFor(1))), info.Size())
		found, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Len(t, found, 1)
	}

	t.Run("entry", func(t *testing.T) {
		d, warned := setUp(t)
		for name, to := range map[string]string{"absolute": target, "inside": "../00/x", "dangling": "nowhere"} {
			require.NoError(t, os.Remove(entryPath(d, 1)))
			require.NoError(t, os.Symlink(to, entryPath(d, 1)), name)
			require.ErrorIs(t, requireMiss(t, d, 1), ErrDamaged)
			require.Len(t, warned.take(), 1)
			require.NoFileExists(t, entryPath(d, 1))
			require.NoError(t, os.Symlink(to, entryPath(d, 1)), name)
			mustPut(t, d, 1)
			requireHit(t, d, 1)
		}
		untouched(t)
	})
	t.Run("directory in place of an entry", func(t *testing.T) {
		d, warned := setUp(t)
		require.NoError(t, os.Remove(entryPath(d, 1)))
		require.NoError(t, os.MkdirAll(filepath.Join(entryPath(d, 1), "deep"), 0o700))
		requireMiss(t, d, 1)
		require.ErrorIs(t, put(d, keyFor(1), nil), ErrUnavailable)
		require.Len(t, warned.take(), 2)
	})
	t.Run("shard", func(t *testing.T) {
		d, _ := setUp(t)
		shard := filepath.Dir(entryPath(d, 1))
		require.NoError(t, os.RemoveAll(shard))
		require.NoError(t, os.Symlink(outside, shard))
		require.NoError(t, os.Rename(target, filepath.Join(outside, filepath.Base(entryPath(d, 1)))))
		requireMiss(t, d, 1)
		require.ErrorIs(t, put(d, keyFor(1), nil), ErrUnavailable)
		_, err := d.Clear(t.Context())
		require.NoError(t, err)
		u, err := d.Size(t.Context())
		require.NoError(t, err)
		require.Zero(t, u)
		require.NoError(t, os.Rename(filepath.Join(outside, filepath.Base(entryPath(d, 1))), target))
		untouched(t)
	})
	t.Run("run", func(t *testing.T) {
		d, _ := setUp(t)
		require.NoError(t, os.Symlink(outside, filepath.Join(d.path, runsName, "LINK")))
		dead := filepath.Join(d.path, runsName, "DEAD")
		require.NoError(t, os.Mkdir(dead, 0o700))
		require.NoError(t, os.Symlink(outside, filepath.Join(dead, "1.scratch")))
		require.NoError(t, os.Symlink(target, filepath.Join(dead, lockName)))
		trim(t, d) // sweeps
		untouched(t)
	})
	t.Run("mark", func(t *testing.T) {
		d, _ := setUp(t)
		require.NoError(t, os.Remove(filepath.Join(d.path, markName)))
		for _, name := range []string{markName, markTemp} {
			require.NoError(t, os.Symlink(target, filepath.Join(d.path, name)))
		}
		_, err := d.Trim(t.Context())
		require.ErrorIs(t, err, ErrUnavailable)
		untouched(t)
		require.NoError(t, os.Remove(filepath.Join(d.path, markTemp)))
		_, err = d.Trim(t.Context())
		require.NoError(t, err)
		untouched(t)
	})
	t.Run("tag", func(t *testing.T) {
		d, _ := setUp(t)
		for _, name := range []string{tagName, readmeName} {
			require.NoError(t, os.Remove(filepath.Join(d.path, name)))
			require.NoError(t, os.Symlink(target, filepath.Join(d.path, name)))
		}
		openDir(t, d.path, Options{})
		untouched(t)
	})
	t.Run("the directory itself may be one", func(t *testing.T) {
		d, _ := setUp(t)
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(d.path, link))
		requireHit(t, openDir(t, link, Options{}), 1)
	})
}

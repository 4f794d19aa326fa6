//go:build unix

package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// statInfo is a file of an owner, a group and a mode.
type statInfo struct {
	stat syscall.Stat_t
	mode fs.FileMode
}

func (s statInfo) Name() string       { return "name" }
func (s statInfo) Size() int64        { return 0 }
func (s statInfo) Mode() fs.FileMode  { return s.mode }
func (s statInfo) ModTime() time.Time { return time.Time{} }
func (s statInfo) IsDir() bool        { return s.mode.IsDir() }
func (s statInfo) Sys() any           { return &s.stat }

func TestOwnersAndModes(t *testing.T) {
	const me, other, root = 1000, 1001, 0
	for name, test := range map[string]struct {
		owner, group uint32
		mode         fs.FileMode
		ownerOK      bool
		modeOK       bool
	}{
		"private":                 {me, me, fs.ModeDir | 0o700, true, true},
		"root's":                  {root, root, fs.ModeDir | 0o755, true, true},
		"another's":               {other, other, fs.ModeDir | 0o755, false, true},
		"my group writes":         {me, me, fs.ModeDir | 0o775, true, true},
		"root's, my group writes": {root, me, fs.ModeDir | 0o775, true, true},
		"a group writes":          {me, 100, fs.ModeDir | 0o775, true, false},
		"root's group writes":     {root, root, fs.ModeDir | 0o775, true, false},
		"all write":               {me, me, fs.ModeDir | 0o702, true, false},
		"all write, sticky":       {root, root, fs.ModeDir | fs.ModeSticky | 0o777, true, true},
		"another's sticky one":    {other, other, fs.ModeDir | fs.ModeSticky | 0o777, false, true},
		"a link":                  {me, me, fs.ModeSymlink | 0o777, true, true},
		"another's link":          {other, other, fs.ModeSymlink | 0o777, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			info := statInfo{syscall.Stat_t{Uid: test.owner, Gid: test.group}, test.mode}
			require.Equal(t, test.ownerOK, checkOwner("path", info, me) == nil)
			require.Equal(t, test.modeOK, checkWriters("path", info, me) == nil)
		})
	}
}

func TestCheckOwnersFollowsLinks(t *testing.T) {
	base := t.TempDir()
	me := os.Geteuid()
	require.NoError(t, os.MkdirAll(filepath.Join(base, "real", "deep"), 0o700))
	for name, target := range map[string]string{
		"relative": "real", "absolute": filepath.Join(base, "real"), "twice": "relative/deep", "loop": "loop", "dangling": "nowhere",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(base, name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
	for _, name := range []string{"relative/deep", "absolute/deep", "twice", "dangling", "twice/missing/deeper", "file/below"} {
		require.NoError(t, checkOwners(filepath.Join(base, name), me), name)
	}
	require.ErrorContains(t, checkOwners(filepath.Join(base, "loop"), me), "too many symbolic links")
	require.NoError(t, os.Chmod(filepath.Join(base, "real"), 0o707))
	for _, name := range []string{"relative/deep", "absolute/deep", "twice"} {
		require.ErrorContains(t, checkOwners(filepath.Join(base, name), me), "real: other users may write to it", name)
	}
	require.NoError(t, checkOwners(filepath.Join(base, "dangling"), me))
}

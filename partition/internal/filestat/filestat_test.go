package filestat

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTrusted(t *testing.T) {
	second := int64(time.Second)
	for name, test := range map[string]struct {
		stat Stat
		want bool
	}{
		"long before":         {Stat{MTime: 100 * second, CTime: 100 * second, Taken: 103 * second}, true},
		"in the same moment":  {Stat{MTime: 100 * second, CTime: 100 * second, Taken: 100 * second}, false},
		"within a step":       {Stat{MTime: 100 * second, CTime: 100 * second, Taken: 102 * second}, false},
		"times of the future": {Stat{MTime: 200 * second, CTime: 100 * second, Taken: 103 * second}, false},
		"changed since":       {Stat{MTime: 100 * second, CTime: 200 * second, Taken: 103 * second}, false},
		"no change time":      {Stat{MTime: 100 * second, Taken: 103 * second}, true},
	} {
		require.Equal(t, test.want, test.stat.Trusted(), name)
	}
}

func TestOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	then := time.Unix(1000, 5)
	require.NoError(t, os.Chtimes(path, then, then))
	info, err := os.Stat(path)
	require.NoError(t, err)
	s := Of(info, time.Unix(2000, 0))
	require.Equal(t, int64(5), s.Size)
	require.Equal(t, then.UnixNano(), s.MTime)
	require.True(t, s.Same(Of(info, time.Unix(3000, 0))), "when it was looked up makes no difference")
	for _, other := range []Stat{{}, {Size: 6, MTime: s.MTime, CTime: s.CTime, Inode: s.Inode}, {Size: 5, MTime: s.MTime, CTime: s.CTime + 1, Inode: s.Inode}} {
		require.False(t, s.Same(other))
	}
}

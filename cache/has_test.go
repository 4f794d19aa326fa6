package cache

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHas(t *testing.T) {
	d, warned := newDir(t, Options{})
	mustPut(t, d, 1)
	whole, err := os.ReadFile(entryPath(d, 1))
	require.NoError(t, err)
	changed := func(at int) []byte {
		other := append([]byte(nil), whole...)
		other[at] ^= 1
		return other
	}
	for name, test := range map[string]struct {
		file []byte
		want bool
	}{
		"whole":                {whole, true},
		"damaged further in":   {changed(headLen), true},
		"empty":                {nil, false},
		"cut in the head":      {whole[:headLen-1], false},
		"cut in the checksum":  {whole[:emptyLen-1], false},
		"another format":       {changed(0), false},
		"another version":      {changed(len(format)), false},
		"another entry's name": {changed(headLen - 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(entryPath(d, 1), test.file, 0o600))
			require.Equal(t, test.want, d.Has(t.Context(), keyFor(1)))
			require.FileExists(t, entryPath(d, 1), "a damaged entry is left to Get")
		})
	}
	require.NoError(t, os.WriteFile(entryPath(d, 1), whole, 0o600))
	require.False(t, d.Has(t.Context(), keyFor(2)))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.False(t, d.Has(ended, keyFor(1)))
	require.NoError(t, os.Remove(entryPath(d, 1)))
	require.NoError(t, os.Mkdir(entryPath(d, 1), 0o700))
	require.False(t, d.Has(t.Context(), keyFor(1)), "not a file")
	require.Empty(t, warned.take())
}

func TestHasIsNoUse(t *testing.T) {
	d, _ := newDir(t, Options{})
	mustPut(t, d, 1)
	long := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(entryPath(d, 1), long, long))
	again := openDir(t, d.path, Options{})
	require.True(t, again.Has(t.Context(), keyFor(1)))
	info, err := os.Stat(entryPath(d, 1))
	require.NoError(t, err)
	require.True(t, info.ModTime().Equal(long), "it is as old as before")
	require.Empty(t, again.transitName(), "nothing is written")
	requireHit(t, again, 1)
	require.NoError(t, again.Close())
	require.False(t, again.Has(t.Context(), keyFor(1)), "closed")
}

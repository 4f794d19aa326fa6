package cache_test

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
)

// Every method of a directory that is not open, or of no context, is an error.
func TestB6(t *testing.T) {
	open := func(o cache.Options) *cache.Dir {
		d, err := cache.Open(filepath.Join(t.TempDir(), "cache"), o)
		require.NoError(t, err)
		return d
	}
	closed := open(cache.Options{})
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close())
	opened := open(cache.Options{MaxAge: math.MinInt64, MaxSize: math.MinInt64})
	defer opened.Close()
	var noContext context.Context
	write := func(io.Writer) error { return nil }
	for name, c := range map[string]struct {
		dir *cache.Dir
		ctx context.Context
	}{
		"nil": {nil, t.Context()}, "zero": {&cache.Dir{}, t.Context()}, "closed": {closed, t.Context()}, "no context": {opened, noContext},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.dir.Get(c.ctx, [32]byte{})
			require.Error(t, err)
			require.False(t, c.dir.Has(c.ctx, [32]byte{}))
			require.Error(t, c.dir.Put(c.ctx, [32]byte{}, write))
			_, err = c.dir.Size(c.ctx)
			require.Error(t, err)
			_, err = c.dir.Verify(c.ctx, nil)
			require.Error(t, err)
			_, err = c.dir.Trim(c.ctx)
			require.Error(t, err)
			_, err = c.dir.TrimTo(c.ctx, 0)
			require.Error(t, err)
			_, err = c.dir.Clear(c.ctx)
			require.Error(t, err)
			if c.ctx != nil {
				_, err = c.dir.Scratch()
				require.ErrorIs(t, err, cache.ErrUnavailable)
				require.NoError(t, c.dir.Close())
			}
		})
	}
	require.Error(t, opened.Put(t.Context(), [32]byte{}, nil))
	largest := open(cache.Options{MaxAge: math.MaxInt64, MaxSize: math.MaxInt64})
	require.NoError(t, largest.Put(t.Context(), [32]byte{}, write))
	_, err := largest.Trim(t.Context())
	require.NoError(t, err)
	require.True(t, largest.Has(t.Context(), [32]byte{}))
	require.NoError(t, largest.Close())
}

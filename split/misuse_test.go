package split

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestB6(t *testing.T) {
	var noContext context.Context
	_, err := Open(noContext, bytes.NewReader(nil), 1, Options{})
	require.ErrorContains(t, err, "nil")
	_, err = Open(t.Context(), nil, 1, Options{})
	require.ErrorContains(t, err, "nil")
	for _, size := range []int64{0, -1, math.MinInt64, math.MaxInt64} {
		_, err = Open(t.Context(), bytes.NewReader([]byte("text")), size, Options{})
		require.ErrorIs(t, err, ErrNotPDF)
	}
	for _, d := range []*Document{{}} {
		_, err = d.Chunk(t.Context(), PageRange{1, 1})
		require.ErrorIs(t, err, ErrPages)
		_, err = d.Heights()
		require.Error(t, err)
		require.Zero(t, d.Pages())
		require.NoError(t, d.Close())
		require.NoError(t, d.Close())
	}
	_, err = (&Chunk{}).ReadAt(make([]byte, 1), -1)
	require.Error(t, err)
	_, err = (&Chunk{}).ReadAt(make([]byte, 1), 0)
	require.Error(t, err)
	n, err := (&Chunk{}).WriteTo(&bytes.Buffer{})
	require.NoError(t, err)
	require.Zero(t, n)
	for _, pages := range []int{math.MinInt, -1, 0, mostPages + 1, math.MaxInt} {
		for _, concurrency := range []int{math.MinInt, -1, 0, 1, math.MaxInt / 2, math.MaxInt} {
			require.Nil(t, Plan(pages, concurrency))
			require.Nil(t, PageRange{1, pages}.Plan(concurrency))
		}
	}
	require.Len(t, Plan(100, math.MaxInt), 50)
}

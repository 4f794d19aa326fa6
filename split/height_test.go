package split

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeights(t *testing.T) {
	f := manual(3)
	data := f.bytes()
	d, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{})
	require.NoError(t, err)
	heights, err := d.Heights()
	require.NoError(t, err)
	require.Len(t, heights, 3)
	for _, h := range heights {
		require.InDelta(t, 200, h, 0)
	}
	require.NoError(t, d.Close())
	_, err = d.Heights()
	require.Error(t, err)
}

package split

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// countedReads is a file that counts how often it is read.
type countedReads struct {
	*strings.Reader
	reads int
}

func (c *countedReads) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(p, off)
}

// What a peek has brought is not read again, and ends as the file does.
func TestSourceReadsOnce(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	text := strings.Repeat("0123456789", 1000)
	file := &countedReads{Reader: strings.NewReader(text)}
	src := newSource(ctx, file, int64(len(text)))
	at := len(text) - 100
	require.Equal(t, text[at:at+10], string(src.peek(int64(at), 10)))
	require.Equal(t, 1, file.reads)

	b := make([]byte, 40)
	for _, off := range []int{at, at + 7, at + 60} {
		n, err := src.ReadAt(b, int64(off))
		require.NoError(t, err)
		require.Equal(t, text[off:off+n], string(b))
	}
	n, err := src.ReadAt(b, int64(at+90))
	require.Equal(t, io.EOF, err)
	require.Equal(t, text[at+90:], string(b[:n]))
	require.Equal(t, 1, file.reads)

	n, err = src.ReadAt(b, int64(at-1)) // not all of it is known
	require.NoError(t, err)
	require.Equal(t, text[at-1:at-1+n], string(b))
	require.Equal(t, 2, file.reads)

	stopped := errors.New("stopped")
	cancel(stopped)
	_, err = src.ReadAt(b, int64(at))
	require.Equal(t, stopped, err)
	require.Equal(t, 2, file.reads)
}

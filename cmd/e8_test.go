package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestE8 writes to a reader that does not read. Before a signal a write waits as long as it takes;
// after one it ends in time.
func TestE8(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		reader, pipe := io.Pipe()
		out := interruptibleOutput(ctx, pipe)
		text := strings.Repeat("x", writeAtOnce+1)
		ended := make(chan error, 1)
		go func() {
			_, err := io.WriteString(out, text)
			ended <- err
		}()
		time.Sleep(time.Hour)
		require.Empty(t, ended)
		read := make([]byte, writeAtOnce)
		_, err := io.ReadFull(reader, read)
		require.NoError(t, err)
		require.Equal(t, text[1:], string(read))

		terminated := &stopped{}
		start := time.Now()
		cancel(terminated)
		require.ErrorIs(t, <-ended, terminated)
		require.Equal(t, writePatience, time.Since(start))
		_, err = io.WriteString(out, "more")
		require.ErrorIs(t, err, terminated)
		require.Equal(t, writePatience, time.Since(start))
		require.NoError(t, reader.Close()) // of which the write under way hears
	})
}

// A reader that still reads gets everything, also after a signal.
func TestOutputAfterASignal(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&stopped{})
	var out bytes.Buffer
	text := strings.Repeat("0123456789", writeAtOnce/4)
	n, err := io.WriteString(interruptibleOutput(ctx, &out), text)
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	require.Equal(t, text, out.String())
}

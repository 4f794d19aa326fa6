package spool

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestE9FullDisk has a disk that is full in the middle of an answer. What is in the file stays there;
// memory takes the rest up to its own bound, and then the error is the disk's.
func TestE9FullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("has no /dev/full")
	}
	t.Setenv("TMPDIR", t.TempDir())
	space := NewSpace(1<<30, 1<<20)
	s := &Scratch{Disk: true, Space: space}
	store := s.NewStore()
	w := store.Create()
	content := bytes.Repeat([]byte("0123456789abcdef"), blockSize/8) // two blocks
	_, err := w.Write(content)
	require.NoError(t, err)
	fits := s.file
	s.file, err = os.OpenFile("/dev/full", os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = w.Write([]byte("the rest"))
	require.NoError(t, err)
	require.Equal(t, int64(8), space.memory.taken)
	_, err = w.Write(make([]byte, 1<<20))
	require.EqualError(t, err, "temporary file: no space left on device, and what waits in memory has 1 MiB in all already, the most that it may have")
	require.ErrorAs(t, err, new(*Error))
	require.LessOrEqual(t, space.memory.taken, int64(1<<20))

	require.NoError(t, s.file.Close())
	s.file = fits
	beginning := make([]byte, len(content)+8)
	_, err = store.Open().ReadAt(beginning, 0)
	require.NoError(t, err)
	require.Equal(t, string(content)+"the rest", string(beginning))
	store.Remove()
	require.Zero(t, space.files.taken)
	require.Zero(t, space.memory.taken)
	require.NoError(t, s.Close())
}

// The end of a bound is for those that have little.
func TestSpaceKeepsRoomForSmallStores(t *testing.T) {
	s := &Scratch{Space: NewSpace(1, 1<<20)}
	large, small := s.NewStore(), s.NewStore()
	n, err := large.Create().Write(make([]byte, 1<<20))
	require.EqualError(t, err, "what waits in memory has 1 MiB in all already, the most that it may have")
	require.Equal(t, 15<<16, n)
	_, err = small.Create().Write(make([]byte, 1<<10))
	require.NoError(t, err)
	require.Equal(t, int64(512<<10), small.Longest())
	large.Remove()
	_, err = small.Create().Write(make([]byte, 15<<16))
	require.NoError(t, err)
}

// Waiting ends with room, with nothing before it, or with the context.
func TestSpaceWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Scratch{Space: NewSpace(1, 1<<20)}
		require.NoError(t, s.Space.Wait(t.Context(), nil))
		one, other := s.NewStore(), s.NewStore()
		for _, store := range []*Store{one, other} {
			_, err := store.Create().Write(make([]byte, 400<<10))
			require.NoError(t, err)
		}
		start := time.Now()
		time.AfterFunc(time.Minute, one.Remove)
		require.NoError(t, s.Space.Wait(t.Context(), nil))
		require.Equal(t, time.Minute, time.Since(start))

		_, err := s.NewStore().Create().Write(make([]byte, 400<<10)) // one may still be going
		require.NoError(t, err)
		first := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(first) })
		require.NoError(t, s.Space.Wait(t.Context(), first))
		require.Equal(t, time.Hour+time.Minute, time.Since(start))

		ended := errors.New("ended")
		ctx, end := context.WithCancelCause(t.Context())
		end(ended)
		require.ErrorIs(t, s.Space.Wait(ctx, nil), ended)
	})
}

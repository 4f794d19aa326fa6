package spool

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, store *Store, content []byte) {
	t.Helper()
	_, err := store.Create().Write(content)
	require.NoError(t, err)
}

func read(t *testing.T, store *Store) []byte {
	t.Helper()
	data, err := io.ReadAll(store.Open())
	require.NoError(t, err)
	return data
}

// TestA13 keeps what waits in a file that has no name at any time, so that a kill leaves nothing.
func TestA13(t *testing.T) {
	base := t.TempDir()
	s := &Scratch{Disk: true, Base: func() (string, error) { return base, nil }, Space: NewSpace(1<<30, 1<<30)}
	first, second, third := s.NewStore(), s.NewStore(), s.NewStore()
	long := bytes.Repeat([]byte("0123456789abcde"), blockSize/5) // three blocks
	write(t, first, long)
	write(t, second, []byte("short"))
	require.Equal(t, int64(4), s.blocks)
	info, err := s.file.Stat()
	require.NoError(t, err)
	require.Equal(t, int64(3*blockSize+5), info.Size())
	left, err := os.ReadDir(base)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, long, read(t, first))
	require.Equal(t, "short", string(read(t, second)))

	late := first.Open()
	first.Remove() // its blocks are the next one's
	other := bytes.Repeat([]byte("x"), 3*blockSize)
	write(t, third, other)
	require.Equal(t, int64(4), s.blocks)
	require.Equal(t, other, read(t, third))
	_, err = late.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrClosed)

	late = third.Open()
	write(t, third, []byte("anew"))
	require.Equal(t, "anew", string(read(t, third)))
	_, err = late.ReadAt(make([]byte, 1), 0)
	require.ErrorIs(t, err, os.ErrClosed)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = late.Read(make([]byte, 1))
	require.ErrorIs(t, err, os.ErrClosed)
}

// A file that breaks in the middle of an answer is left for memory, and the answer is whole.
func TestScratchBreaks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := &Scratch{Disk: true, Space: NewSpace(1<<30, 1<<30)}
	store := s.NewStore()
	w := store.Create()
	content := bytes.Repeat([]byte("0123456789"), blockSize/4)
	_, err := w.Write(content)
	require.NoError(t, err)
	readOnly, err := os.CreateTemp("", "")
	require.NoError(t, err)
	_, err = readOnly.Write(content)
	require.NoError(t, err)
	require.NoError(t, readOnly.Close())
	whole := s.file
	s.file, err = os.Open(readOnly.Name()) // refuses to be written
	require.NoError(t, err)
	require.NoError(t, whole.Close())
	_, err = w.Write([]byte("the rest"))
	require.NoError(t, err)
	require.Equal(t, string(content)+"the rest", string(read(t, store)))
	require.Equal(t, int64(len(content)+8), store.Size())
	require.Contains(t, s.Warning(), "temporary files cannot be written, kept in memory: ")
	require.NoError(t, s.Close())
}

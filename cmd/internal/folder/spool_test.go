package folder

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpool holds little in memory and much in a file, and leaves nothing behind.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	half := bytes.Repeat([]byte("0123456789abcdef"), spoolMemory/32)
	for name, writes := range map[string]int{"nothing": 0, "as much as memory holds": 2, "more": 3} {
		t.Run(name, func(t *testing.T) {
			s := &Spool{}
			for range writes {
				n, err := s.Write(half)
				require.NoError(t, err)
				require.Equal(t, len(half), n)
			}
			require.Equal(t, writes > 2, s.file != nil)
			for range 2 { // it can be read again
				var got bytes.Buffer
				require.NoError(t, s.CopyTo(&got))
				require.True(t, bytes.Equal(bytes.Repeat(half, writes), got.Bytes()))
			}
			s.Close()
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
	(*Spool)(nil).Close()
}

// However many spools wait, together they keep little in memory, and give it back.
func TestB2SpoolsTogether(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	content := bytes.Repeat([]byte("0123456789abcdef"), 3<<20/16)
	var all []*Spool
	for range 40 {
		s := &Spool{}
		_, err := s.Write(content)
		require.NoError(t, err)
		all = append(all, s)
		require.LessOrEqual(t, inMemory.Load(), int64(spoolsMemory))
	}
	require.Greater(t, inMemory.Load(), int64(spoolsMemory)-int64(len(content)))
	require.NotNil(t, all[39].file)
	for _, s := range all {
		var got bytes.Buffer
		require.NoError(t, s.CopyTo(&got))
		require.True(t, bytes.Equal(content, got.Bytes()))
		s.Close()
		s.Close()
	}
	require.Zero(t, inMemory.Load())
}

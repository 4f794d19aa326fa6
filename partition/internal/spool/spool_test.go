package spool_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/spool"
)

func TestRead(t *testing.T) {
	for _, content := range []string{"", "abc", "abcd", "abcdefgh"} { // from four bytes on in a file
		dir := t.TempDir()
		t.Setenv("TMPDIR", dir)
		f, err := spool.Read(iotest.OneByteReader(strings.NewReader(content)), 4)
		require.NoError(t, err)
		require.Equal(t, int64(len(content)), f.Size())
		data, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
		require.NoError(t, err)
		require.Equal(t, content, string(data))
		require.NoError(t, f.Close())
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	broken := errors.New("broken pipe")
	for _, content := range []string{"a", "abcdef"} {
		_, err := spool.Read(io.MultiReader(strings.NewReader(content), iotest.ErrReader(broken)), 4)
		require.ErrorIs(t, err, broken)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	_, err := spool.Read(strings.NewReader("abcdef"), 4)
	require.ErrorContains(t, err, "temporary file: ")
}

func TestScratch(t *testing.T) {
	base := t.TempDir()
	space := spool.NewSpace(1<<20, 1<<20)
	for name, s := range map[string]*spool.Scratch{
		"memory":          {Space: space},
		"files":           {Disk: true, Base: func() (string, error) { return base, nil }, Space: space},
		"no place at all": {Disk: true, Base: func() (string, error) { return filepath.Join(base, "gone"), nil }, Space: space},
	} {
		t.Run(name, func(t *testing.T) {
			store := s.NewStore()
			for _, content := range []string{"first", "again"} { // it begins anew
				_, err := io.WriteString(store.Create(), content)
				require.NoError(t, err)
				require.Equal(t, int64(5), store.Size())
				data, err := io.ReadAll(store.Open())
				require.NoError(t, err)
				require.Equal(t, content, string(data))
			}
			require.Equal(t, name == "no place at all", strings.HasPrefix(s.Warning(), "temporary files cannot be written, kept in memory: "))
			store.Remove()
			require.NoError(t, s.Close())
			left, err := os.ReadDir(base)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

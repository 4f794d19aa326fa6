package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func bytesOf(numbers ...int) (sum int64) {
	for _, n := range numbers {
		sum += emptyLen + int64(len(contentFor(n)))
	}
	return sum
}

func TestSizeAndClear(t *testing.T) {
	d, _ := newDir(t, Options{})
	u, err := d.Size(t.Context())
	require.NoError(t, err)
	require.Zero(t, u)
	for _, n := range []int{1, 2, 3} {
		mustPut(t, d, n)
	}
	scratch, err := d.Scratch()
	require.NoError(t, err)
	u, err = d.Size(t.Context())
	require.NoError(t, err)
	require.Equal(t, Usage{3, bytesOf(1, 2, 3)}, u)

	other := openDir(t, d.path, Options{})
	u, err = other.Clear(t.Context())
	require.NoError(t, err)
	require.Equal(t, Usage{3, bytesOf(1, 2, 3)}, u)
	requireMiss(t, d, 1)
	require.DirExists(t, scratch, "a process that lives keeps its temporary files")

	require.NoError(t, os.Mkdir(filepath.Join(d.path, runsName, "DEAD"), 0o700))
	_, err = other.Clear(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, transitCount(t, d), "of a dead one nothing stays")
}

func TestVerify(t *testing.T) {
	d, warned := newDir(t, Options{})
	for n := range 5 {
		mustPut(t, d, n)
	}
	change := func(n int, change func([]byte) []byte) {
		data, err := os.ReadFile(entryPath(d, n))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(entryPath(d, n), change(data), 0o600))
	}
	change(1, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
	change(2, func(b []byte) []byte { return bytes.Replace(b, []byte(version), []byte("2\n"), 1) })
	stray := filepath.Join(filepath.Dir(entryPath(d, 3)), "stray")
	require.NoError(t, os.WriteFile(stray, []byte("what"), 0o600))
	require.NoError(t, os.Remove(entryPath(d, 4)))
	require.NoError(t, os.Symlink("elsewhere", entryPath(d, 4)))

	problems := map[string]error{}
	u, err := d.Verify(t.Context(), func(p *Problem) { problems[filepath.Join(d.path, p.Path)] = p })
	require.NoError(t, err)
	require.Equal(t, 6, u.Entries)
	require.Len(t, problems, 4)
	require.ErrorIs(t, problems[entryPath(d, 1)], ErrDamaged)
	require.ErrorIs(t, problems[entryPath(d, 2)], ErrVersion)
	require.ErrorIs(t, problems[stray], ErrDamaged)
	require.ErrorIs(t, problems[entryPath(d, 4)], ErrDamaged)
	require.FileExists(t, entryPath(d, 2))
	for _, path := range []string{entryPath(d, 1), stray, entryPath(d, 4)} {
		_, err := os.Lstat(path)
		require.ErrorIs(t, err, os.ErrNotExist)
	}

	clear(problems)
	u, err = d.Verify(t.Context(), func(p *Problem) { problems[p.Path] = p })
	require.NoError(t, err)
	require.Equal(t, 3, u.Entries)
	require.Len(t, problems, 1)
	requireHit(t, d, 0)
	requireHit(t, d, 3)
	require.Empty(t, warned.take())
}

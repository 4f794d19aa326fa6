package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoundTrip(t *testing.T) {
	d, warned := newDir(t, Options{})
	for name, size := range map[string]int{
		"empty": 0, "one byte": 1, "last in memory": inMemory - int(emptyLen), "first not": inMemory - int(emptyLen) + 1,
		"large": 3_000_001,
	} {
		t.Run(name, func(t *testing.T) {
			content := bytes.Repeat([]byte{'a', 'b', 'c'}, size/3+1)[:size]
			key := keyFor(size)
			_, err := get(d, key)
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.NoError(t, d.Put(t.Context(), key, func(w io.Writer) error {
				for rest := content; len(rest) > 0; rest = rest[min(len(rest), 1000):] {
					if _, err := w.Write(rest[:min(len(rest), 1000)]); err != nil {
						return err
					}
				}
				return nil
			}))
			got, err := get(d, key)
			require.NoError(t, err)
			require.True(t, bytes.Equal(content, got))
			require.NoError(t, put(d, key, []byte("replaced")))
			got, err = get(d, key)
			require.NoError(t, err)
			require.Equal(t, "replaced", string(got))
		})
	}
	require.Empty(t, warned.take())
	require.Empty(t, inTransit(t, d))
}

func TestReopen(t *testing.T) {
	d, _ := newDir(t, Options{})
	mustPut(t, d, 1)
	require.NoError(t, d.Close())
	require.NoError(t, d.Close(), "closing again")
	again := openDir(t, d.path, Options{})
	requireHit(t, again, 1)
}

func TestClosed(t *testing.T) {
	d, warned := newDir(t, Options{})
	mustPut(t, d, 1)
	require.NoError(t, d.Close())
	require.ErrorIs(t, requireMiss(t, d, 1), ErrUnavailable)
	err := put(d, keyFor(2), nil)
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorIs(t, err, os.ErrClosed)
	require.Len(t, warned.take(), 1, "said once")
}

func TestContextEnded(t *testing.T) {
	d, _ := newDir(t, Options{})
	mustPut(t, d, 1)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := d.Get(ctx, keyFor(1))
	require.ErrorIs(t, err, why)
	require.NotErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, d.Put(ctx, keyFor(1), nil), why)
	for _, f := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := d.Size(ctx); return err },
		func(ctx context.Context) error { _, err := d.Trim(ctx); return err },
		func(ctx context.Context) error { _, err := d.TrimTo(ctx, 0); return err },
		func(ctx context.Context) error { _, err := d.Clear(ctx); return err },
		func(ctx context.Context) error { _, err := d.Verify(ctx, nil); return err },
	} {
		require.ErrorIs(t, f(ctx), why)
	}
	requireHit(t, d, 1)
}

func TestDefaultPath(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the place is another")
	}
	t.Setenv("XDG_CACHE_HOME", "/somewhere/cache")
	path, err := DefaultPath()
	require.NoError(t, err)
	require.Equal(t, "/somewhere/cache/quire/answers", path)

	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	_, err = DefaultPath()
	require.ErrorIs(t, err, ErrUnavailable)
}

func TestPrivate(t *testing.T) {
	d, _ := newDir(t, Options{})
	mustPut(t, d, 1)
	scratch, err := d.Scratch()
	require.NoError(t, err)
	require.DirExists(t, scratch)
	_, err = d.Trim(t.Context())
	require.NoError(t, err)
	files := 0
	require.NoError(t, filepath.WalkDir(d.path, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		files++
		if e.IsDir() {
			require.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), path)
		} else {
			require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		}
		return nil
	}))
	require.Equal(t, 11, files, "the directory, tag, README, trimmed, entries (3), runs (4)")

	text, err := os.ReadFile(filepath.Join(d.path, "CACHEDIR.TAG"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "Signature: 8a477f597d28d172789f06886806bc55\n"))
	text, err = os.ReadFile(filepath.Join(d.path, "README"))
	require.NoError(t, err)
	require.Contains(t, string(text), "quire cache clear")
}

func TestWrongModeBelow(t *testing.T) {
	d, _ := newDir(t, Options{})
	entries := filepath.Join(d.path, entriesName)
	require.NoError(t, os.Chmod(entries, 0o777))
	openDir(t, d.path, Options{})
	info, err := os.Stat(entries)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, dir string)
		want string
	}{
		"others may write":  {func(t *testing.T, dir string) { require.NoError(t, os.Chmod(dir, 0o777)) }, "other users may write to it"},
		"a group may write": {func(t *testing.T, dir string) { require.NoError(t, os.Chmod(dir, 0o770)) }, "other users may write to it"},
		"somebody's files": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "thesis.odt"), nil, 0o600))
		}, "contains \"thesis.odt\" and is not a cache"},
		"a file": {func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		}, "not a directory"},
		"entries is a link": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, entriesName)))
		}, "entries: not a directory"},
		"runs is a file": {func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, runsName), nil, 0o600))
		}, "runs: not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache")
			require.NoError(t, os.Mkdir(dir, 0o700))
			c.make(t, dir)
			before, _ := os.Stat(dir)
			_, err := Open(dir, Options{})
			require.ErrorIs(t, err, ErrUnavailable)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n")
			after, _ := os.Stat(dir)
			require.Equal(t, before.Mode(), after.Mode())
			if before.IsDir() && !strings.Contains(name, "runs") && !strings.Contains(name, "entries") {
				require.NoFileExists(t, filepath.Join(dir, tagName), "nothing was put there")
			}
		})
	}
}

func TestTagOfOthers(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	const text = "Signature: 8a477f597d28d172789f06886806bc55\n# somebody's\n"
	for name, content := range map[string]string{tagName: text, readmeName: "mine", "else": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	d := openDir(t, dir, Options{})
	mustPut(t, d, 1)
	requireHit(t, d, 1)
	got, err := os.ReadFile(filepath.Join(dir, tagName))
	require.NoError(t, err)
	require.Equal(t, text, string(got))
	got, err = os.ReadFile(filepath.Join(dir, readmeName))
	require.NoError(t, err)
	require.Equal(t, "mine", string(got))
}

// What is in the directory is deleted while a Dir is open: it is made anew.
func TestDeletedUnderneath(t *testing.T) {
	d, warned := newDir(t, Options{})
	mustPut(t, d, 1)
	for _, name := range []string{entriesName, runsName} {
		require.NoError(t, os.RemoveAll(filepath.Join(d.path, name)))
	}
	requireMiss(t, d, 1)
	mustPut(t, d, 1)
	requireHit(t, d, 1)
	require.NoError(t, os.RemoveAll(filepath.Join(d.path, runsName)))
	scratch, err := d.Scratch()
	require.NoError(t, err)
	require.DirExists(t, scratch)
	require.Empty(t, warned.take())
}

func TestWriteFails(t *testing.T) {
	d, warned := newDir(t, Options{})
	mustPut(t, d, 1)
	why := errors.New("connection reset")
	err := d.Put(t.Context(), keyFor(1), func(w io.Writer) error {
		_, err := w.Write(make([]byte, 100_000))
		require.NoError(t, err)
		return why
	})
	require.Equal(t, why, err, "as it is")
	require.Panics(t, func() { _ = d.Put(t.Context(), keyFor(1), func(io.Writer) error { panic("oh") }) })
	requireHit(t, d, 1)
	require.Empty(t, inTransit(t, d))
	require.Empty(t, warned.take())
}

func TestLargerThanTheCache(t *testing.T) {
	d, warned := newDir(t, Options{MaxSize: 1000})
	for name, c := range map[string]struct {
		size int
		ok   bool
	}{"fits": {1000 - int(emptyLen), true}, "does not": {1001 - int(emptyLen), false}, "by far": {1 << 20, false}} {
		t.Run(name, func(t *testing.T) {
			err := put(d, keyFor(c.size), make([]byte, c.size))
			if c.ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrUnavailable)
			require.ErrorContains(t, err, "larger than the size limit of the cache")
			requireMiss(t, d, c.size)
		})
	}
	require.Len(t, warned.take(), 1, "said once")
	require.Empty(t, inTransit(t, d))
}

// Many goroutines put, get, trim and clear at once: complete content or a miss.
func TestConcurrent(t *testing.T) {
	d, warned := newDir(t, Options{MaxSize: 2_000_000})
	other := openDir(t, d.path, Options{Warn: warned.add, MaxSize: 2_000_000})
	var work sync.WaitGroup
	errs := make(chan error, 100)
	for g := range 6 {
		work.Go(func() {
			on := []*Dir{d, other}[g%2]
			for i := range 60 {
				n := (i*7 + g) % 12
				if err := put(on, keyFor(n), contentFor(n)); err != nil {
					errs <- err
					return
				}
				got, err := get(on, keyFor((n+5)%12))
				if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(got, contentFor((n+5)%12)) {
					errs <- fmt.Errorf("wrong content of %d: %w", (n+5)%12, err)
					return
				}
			}
		})
	}
	work.Go(func() {
		for i := range 30 {
			_, err := d.Trim(t.Context())
			errs <- err
			if i%10 == 9 {
				_, err := other.Clear(t.Context())
				errs <- err
			}
		}
	})
	go func() { work.Wait(); close(errs) }()
	for err := range errs {
		require.NoError(t, err)
	}
	require.Empty(t, warned.take())
	u, err := d.Verify(t.Context(), func(p *Problem) { t.Error(p) })
	require.NoError(t, err)
	require.LessOrEqual(t, u.Entries, 12)
	require.Empty(t, inTransit(t, d))
}

// What was got stays whole when the entry goes.
func TestGetWhileRemoved(t *testing.T) {
	d, _ := newDir(t, Options{})
	content := bytes.Repeat([]byte("0123456789abcdef"), 40_000)
	require.NoError(t, put(d, keyFor(1), content))
	r, err := d.Get(t.Context(), keyFor(1))
	require.NoError(t, err)
	defer r.Close()
	_, err = d.Clear(t.Context())
	require.NoError(t, err)
	requireMiss(t, d, 1)
	require.NoError(t, put(d, keyFor(1), []byte("another")))
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.Equal(content, got))
}

package cache

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A writing process is killed at 30 moments, counted from its start or from its first entry: what
// it has printed as stored is there, nothing is damaged, and the next process to write removes what
// was in transit.
func TestKill(t *testing.T) {
	const kills = 30
	dir := filepath.Join(t.TempDir(), "cache")
	stored := map[int]bool{}
	for kill := range kills {
		var complaints bytes.Buffer
		c := command(t, "write", dir, kill*1000)
		c.Stderr = &complaints
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		said := make([]byte, 1)
		if kill%2 == 0 {
			_, err := io.ReadFull(out, said)
			require.NoError(t, err)
		} else {
			said = nil
		}
		time.Sleep(time.Duration(kill) * time.Millisecond)
		require.NoError(t, c.Process.Kill())
		rest, err := io.ReadAll(out)
		require.NoError(t, err)
		require.Error(t, c.Wait())
		require.Empty(t, complaints.String())
		for _, n := range readNumbers(t, append(said, rest...)) {
			stored[n] = true
		}
	}
	require.NotEmpty(t, stored)

	warned := &warnings{}
	d := openDir(t, dir, Options{Warn: warned.add})
	require.NotEmpty(t, inTransit(t, d), "the scratch directories at least")
	for n := range stored {
		requireHit(t, d, n)
	}
	u, err := d.Verify(t.Context(), func(p *Problem) { t.Error(p) })
	require.NoError(t, err)
	require.GreaterOrEqual(t, u.Entries, len(stored))
	require.LessOrEqual(t, u.Entries, len(stored)+kills, "stored, but killed before it was printed")
	mustPut(t, d, 1_000_000)
	require.Empty(t, inTransit(t, d))
	require.Equal(t, 1, transitCount(t, d))
	require.Empty(t, warned.take())
}

// A live process's transit is not swept, and a dead one's is at once.
func TestSweepOnlyTheDead(t *testing.T) {
	d, _ := newDir(t, Options{})
	mustPut(t, d, 1)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	c := command(t, "write", d.path, 1000)
	c.Stdout = w
	require.NoError(t, c.Start())
	w.Close()
	_, err = r.Read(make([]byte, 1)) // it has begun
	require.NoError(t, err)
	go io.Copy(io.Discard, r) // ends with the process
	scratch := func() (n int) {
		for _, name := range inTransit(t, d) {
			if strings.HasSuffix(name, ".scratch") {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, scratch())
	trim(t, d)
	mustPut(t, openDir(t, d.path, Options{}), 2)
	require.Equal(t, 1, scratch(), "its owner lives")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	trim(t, d)
	require.Empty(t, inTransit(t, d))
}

func TestSeveralProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var complaints [4]bytes.Buffer
	var processes sync.WaitGroup
	for i := range complaints {
		c := command(t, "share", dir, i)
		c.Stderr = &complaints[i]
		require.NoError(t, c.Start())
		processes.Go(func() {
			if err := c.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, complaints[i].String())
			}
		})
	}
	processes.Wait()
	for i := range complaints {
		require.Empty(t, complaints[i].String(), "also where several trim at once")
	}
	d := openDir(t, dir, Options{})
	u, err := d.Verify(t.Context(), func(p *Problem) { t.Error(p) })
	require.NoError(t, err)
	require.Equal(t, 40, u.Entries)
	require.Empty(t, inTransit(t, d))
	for n := range 40 {
		requireHit(t, d, n)
	}
}

func TestScratch(t *testing.T) {
	d, _ := newDir(t, Options{})
	first, err := d.Scratch()
	require.NoError(t, err)
	second, err := d.Scratch()
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.True(t, strings.HasPrefix(first, d.path))
	require.NoError(t, os.WriteFile(filepath.Join(first, "chunk"), []byte("pages"), 0o600))
	require.NoError(t, os.RemoveAll(second), "the caller may")
	require.NoError(t, d.Close())
	require.NoDirExists(t, first)
	require.Zero(t, transitCount(t, d))
	_, err = d.Scratch()
	require.ErrorIs(t, err, ErrUnavailable)
}

func TestCloseWaitsForPut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	synctest.Test(t, func(t *testing.T) {
		d, err := Open(dir, Options{})
		require.NoError(t, err)
		closed := make(chan error, 1)
		require.NoError(t, d.Put(t.Context(), keyFor(1), func(w io.Writer) error {
			go func() { closed <- d.Close() }()
			synctest.Wait()
			require.Empty(t, closed)
			_, err := w.Write(contentFor(1))
			return err
		}))
		require.NoError(t, <-closed)
	})
	requireHit(t, openDir(t, dir, Options{}), 1)
}

// Dirs that begin and sweep at once do not take one another for dead.
func TestBeginWhileSweeping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := range 25 {
				d, err := Open(dir, Options{Warn: func(err error) { t.Error(err) }})
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(put(d, keyFor(n), nil), d.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
}

// noLocks is a file system without locks.
type noLocks struct{ disk }

func (noLocks) TryLock(file) error { return errNoLocks }

// Without locks a process counts as alive until it has written nothing for a week.
func TestWithoutLocks(t *testing.T) {
	d, c := clocked(t, Options{})
	d.disk = noLocks{d.disk}
	mustPut(t, d, 1)
	scratch, err := d.Scratch()
	require.NoError(t, err)

	others := func() {
		other := openDir(t, d.path, Options{now: c.now})
		other.disk = noLocks{other.disk}
		mustPut(t, other, 2)
		require.NoError(t, other.Close())
	}
	c.days(6.9)
	others()
	require.DirExists(t, scratch)
	mustPut(t, d, 1)
	c.days(13.8)
	others()
	require.DirExists(t, scratch, "it wrote on the seventh day")
	c.days(14)
	others()
	require.NoDirExists(t, scratch)
	requireHit(t, d, 1)
}

func TestSweepOddDirectories(t *testing.T) {
	d, _ := newDir(t, Options{})
	runs := filepath.Join(d.path, runsName)
	for name, files := range map[string][]string{
		"EMPTY": {}, "LOCK": {lockName, "1.new"}, "NOLOCK": {"1.new"}, "EARLIER": {lockName, "keys", "1.new"},
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(runs, name, "1.scratch", "deep"), 0o700))
		for _, f := range files {
			require.NoError(t, os.WriteFile(filepath.Join(runs, name, f), nil, 0o600))
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(runs, "file"), nil, 0o600))
	mustPut(t, d, 1)
	require.Equal(t, 2, transitCount(t, d), "the own one, and what is no directory")
}

// An entry that is too large says nothing of the room for others.
func TestScratchAfterTooLarge(t *testing.T) {
	d, warned := newDir(t, Options{MaxSize: 1000})
	require.ErrorContains(t, put(d, keyFor(0), make([]byte, 2000)), "larger than the size limit of the cache")
	_, err := d.Scratch()
	require.NoError(t, err)
	require.Len(t, warned.take(), 1)
}

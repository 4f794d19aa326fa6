package cache

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A writing process is killed at 30 moments, counted from its start or from its
// first entry: what it has said to be stored is there, nothing is damaged, and
// what was in transit is swept by the next run.
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
	require.Empty(t, inTransit(t, d))
	u, err := d.Verify(t.Context(), func(p *Problem) { t.Error(p) })
	require.NoError(t, err)
	require.GreaterOrEqual(t, u.Entries, len(stored))
	require.LessOrEqual(t, u.Entries, len(stored)+kills, "stored, but killed before saying so")
	require.Empty(t, warned.take())

	keys, alive, err := d.needed("", time.Now())
	require.NoError(t, err)
	require.Equal(t, 1, alive)
	for n := range stored {
		require.True(t, keys[keyFor(n)], "kept for the run that resumes")
	}
}

// A live process's transit is not swept, and a dead one's is at once.
func TestSweepOnlyTheDead(t *testing.T) {
	d, _ := newDir(t, Options{})
	mustPut(t, d, 1)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	c := command(t, "write", d.Path(), 1000)
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
	require.NoError(t, d.Finish())
	mustPut(t, d, 2)
	require.Equal(t, 1, scratch(), "its owner lives")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	require.NoError(t, d.Finish())
	_, err = d.Trim(t.Context())
	require.NoError(t, err)
	require.Empty(t, inTransit(t, d))
}

func TestSeveralProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var complaints [4]bytes.Buffer
	var all sync.WaitGroup
	for i := range complaints {
		c := command(t, "share", dir, i)
		c.Stderr = &complaints[i]
		require.NoError(t, c.Start())
		all.Go(func() {
			if err := c.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, complaints[i].String())
			}
		})
	}
	all.Wait()
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
	for name, end := range map[string]func(*Dir) error{"finish": (*Dir).Finish, "close": (*Dir).Close} {
		t.Run(name, func(t *testing.T) {
			d, _ := newDir(t, Options{})
			one, err := d.Scratch()
			require.NoError(t, err)
			two, err := d.Scratch()
			require.NoError(t, err)
			require.NotEqual(t, one, two)
			require.True(t, strings.HasPrefix(one, d.Path()))
			require.NoError(t, os.WriteFile(filepath.Join(one, "chunk"), []byte("pages"), 0o600))
			require.NoError(t, os.RemoveAll(two), "the caller may")
			require.NoError(t, end(d))
			require.NoDirExists(t, one)
			require.Zero(t, runCount(t, d), "a run that has used nothing leaves nothing")
		})
	}
}

func TestFinishWaitsForPut(t *testing.T) {
	d, _ := newDir(t, Options{})
	begun, finished := make(chan bool), make(chan error, 1)
	go func() {
		<-begun
		finished <- d.Finish()
	}()
	require.NoError(t, d.Put(t.Context(), keyFor(1), writer(func() {
		close(begun)
		for d.runName() != "" { // until Finish has taken the run away
			time.Sleep(time.Millisecond)
		}
		require.Empty(t, finished)
	})))
	require.NoError(t, <-finished)
	got, err := get(d, keyFor(1))
	require.NoError(t, err)
	require.Empty(t, got)
}

// Runs that begin and sweep at once do not take one another for dead.
func TestBeginWhileSweeping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	for range 4 {
		d := openDir(t, dir, Options{})
		all.Go(func() {
			for n := range 25 {
				if err := put(d, keyFor(n), nil); err != nil {
					t.Error(err)
				}
				if err := d.Finish(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// noLocks is a file system without locks.
type noLocks struct{ disk }

func (noLocks) TryLock(file) error { return errNoLocks }

// Without locks a run counts as alive until it was not seen for a week.
func TestWithoutLocks(t *testing.T) {
	d, c := clocked(t, Options{})
	d.disk = noLocks{d.disk}
	mustPut(t, d, 1)
	_, err := d.Scratch()
	require.NoError(t, err)

	other := openDir(t, d.Path(), Options{Now: c.now})
	other.disk = noLocks{other.disk}
	c.days(6.9)
	mustPut(t, other, 2)
	require.NoError(t, other.Finish())
	require.Len(t, inTransit(t, d), 1)
	c.days(7.1)
	mustPut(t, other, 2)
	require.Empty(t, inTransit(t, d))
	requireHit(t, d, 1)
}

func TestSweepOddDirectories(t *testing.T) {
	d, _ := newDir(t, Options{})
	runs := filepath.Join(d.Path(), runsName)
	for name, files := range map[string][]string{
		"EMPTY": {}, "NOKEYS": {lockName, "1.new"}, "NOLOCK": {"1.new"}, "EMPTYLIST": {lockName, keysName},
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(runs, name, "1.scratch", "deep"), 0o700))
		for _, f := range files {
			require.NoError(t, os.WriteFile(filepath.Join(runs, name, f), nil, 0o600))
		}
	}
	require.NoError(t, os.Mkdir(filepath.Join(runs, "LIST"), 0o700))
	list := append(bytes.Repeat([]byte{7}, 32), "cut short"...)
	require.NoError(t, os.WriteFile(filepath.Join(runs, "LIST", keysName), list, 0o600))

	mustPut(t, d, 1)
	require.Equal(t, 2, runCount(t, d), "the own one, and the one with a list")
	keys, alive, err := d.needed(d.runName(), day0)
	require.NoError(t, err)
	require.Zero(t, alive)
	require.Equal(t, map[[32]byte]bool{keyFor(1): true, [32]byte(list): true}, keys)
}

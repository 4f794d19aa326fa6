package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A key is one caller's until that one releases it, whichever Dir it has.
func TestE7AClaimIsOneCallers(t *testing.T) {
	d, warned := newDir(t, Options{})
	other := openDir(t, d.path, Options{Warn: warned.add})
	release, ok := d.Claim(t.Context(), keyFor(1))
	require.True(t, ok)
	for _, asks := range []*Dir{d, other} {
		_, ok = asks.Claim(t.Context(), keyFor(1))
		require.False(t, ok)
	}
	releaseOther, ok := other.Claim(t.Context(), keyFor(2))
	require.True(t, ok, "another key")
	releaseOther()
	release()
	release2, ok := other.Claim(t.Context(), keyFor(1))
	require.True(t, ok)
	release() // what was released is another's
	_, ok = d.Claim(t.Context(), keyFor(1))
	require.False(t, ok)
	release2()
	require.Empty(t, claimsIn(t, d))
	require.Empty(t, warned.take())
}

// However many ask, and however briefly each has it, never do two have a key at once.
func TestE7ClaimsExclude(t *testing.T) {
	d, warned := newDir(t, Options{})
	dirs := []*Dir{d, openDir(t, d.path, Options{}), openDir(t, d.path, Options{})}
	var all sync.WaitGroup
	var holders, had atomic.Int32
	for i := range 12 {
		all.Go(func() {
			for range 400 {
				release, ok := dirs[i%3].Claim(t.Context(), keyFor(1))
				if !ok {
					continue
				}
				had.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d have it", n)
				}
				holders.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	require.Positive(t, had.Load())
	require.Empty(t, claimsIn(t, d))
	require.Empty(t, warned.take())
}

// The file of a claim may go, and come anew, between its opening and its locking.
func TestE7AClaimThatIsReleasedMeanwhile(t *testing.T) {
	d, warned := newDir(t, Options{})
	first, third := openDir(t, d.path, Options{}), openDir(t, d.path, Options{})
	mustPut(t, d, 2) // its own lock is there
	release, ok := first.Claim(t.Context(), keyFor(1))
	require.True(t, ok)
	release3 := func() {}
	on := d.disk
	d.disk = &lockedLate{on, func() error {
		release()
		release3, ok = third.Claim(t.Context(), keyFor(1))
		require.True(t, ok)
		return nil
	}}
	_, ok = d.Claim(t.Context(), keyFor(1))
	require.False(t, ok, "it is the third's")
	require.Len(t, claimsIn(t, d), 1)
	release3()
	d.disk = &lockedLate{on, func() error { return syscall.ESTALE }} // as NFS says that it is gone
	release, ok = d.Claim(t.Context(), keyFor(1))
	require.True(t, ok)
	require.Len(t, claimsIn(t, d), 1)
	release()
	require.Empty(t, warned.take())
}

// A lockedLate is a file system on which something happens before the first lock.
type lockedLate struct {
	disk
	before func() error
}

func (l *lockedLate) TryLock(f file) error {
	if before := l.before; before != nil {
		l.before = nil
		if err := before(); err != nil {
			return err
		}
	}
	return l.disk.TryLock(f)
}

// A claim is void at once when its process is killed. What that leaves is taken over, or swept.
func TestE7AClaimEndsWithItsProcess(t *testing.T) {
	d, warned := newDir(t, Options{})
	c := startClaiming(t, d)
	for n := range 3 {
		_, ok := d.Claim(t.Context(), keyFor(n))
		require.False(t, ok)
	}
	others, err := d.InUse(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, others)
	trim(t, d)
	require.Len(t, claimsIn(t, d), 3, "its owner lives")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	release, ok := d.Claim(t.Context(), keyFor(0))
	require.True(t, ok)
	trim(t, d)
	require.Len(t, claimsIn(t, d), 1, "its own")
	release()
	require.Empty(t, claimsIn(t, d))
	others, err = d.InUse(t.Context())
	require.NoError(t, err)
	require.Zero(t, others)
	require.Empty(t, warned.take())
}

// Four processes make each entry once, and a killed one holds nobody up.
func TestE7EachEntryIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var complaints [4]bytes.Buffer
	var processes [4]*exec.Cmd
	for i := range processes {
		processes[i] = command(t, "once", dir, i)
		processes[i].Stderr = &complaints[i]
		require.NoError(t, processes[i].Start())
	}
	time.Sleep(30 * time.Millisecond)
	require.NoError(t, processes[0].Process.Kill())
	_ = processes[0].Wait() // it may have been done
	for i, c := range processes[1:] {
		require.NoError(t, c.Wait(), complaints[i+1].String())
	}
	made, err := os.ReadFile(dir + ".made")
	require.NoError(t, err)
	times := map[int]int{}
	twice := 0
	for _, n := range readNumbers(t, made) {
		times[n]++
		if times[n] > 1 {
			twice++
		}
	}
	require.Len(t, times, onceKeys)
	require.LessOrEqual(t, twice, 1, "what the killed one was making")
}

// Without locks there are no claims: one warning, and nobody is held up. So it is where nothing can
// be written.
func TestE7WithoutLocksNobodyWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	for name, test := range map[string]struct {
		disk    func(disk) disk
		warning string
	}{
		"no locks": {
			func(d disk) disk { return noLocks{d} },
			"the file system of the cache has no file locks: processes that use it at once may each send, and pay for, the same page; " +
				"files that a killed process has left are removed after a week",
		},
		"read-only": {
			func(d disk) disk { return readOnly{d} }, "cache unavailable: mkdir runs: read-only file system",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, warned := newDir(t, Options{})
			d.disk = test.disk(d.disk)
			for range 3 {
				release, ok := d.Claim(t.Context(), keyFor(1))
				require.True(t, ok)
				release()
			}
			warnings := warned.take()
			require.Len(t, warnings, 1)
			require.EqualError(t, warnings[0], test.warning)
			require.Empty(t, claimsIn(t, d))
		})
	}
	closed := openDir(t, path, Options{})
	require.NoError(t, closed.Close())
	_, ok := closed.Claim(t.Context(), keyFor(1))
	require.True(t, ok)
	_, ok = (*Dir)(nil).Claim(t.Context(), keyFor(1))
	require.True(t, ok)
}

// Only what has stored or claimed something uses a directory, until it is closed.
func TestE7InUse(t *testing.T) {
	d, _ := newDir(t, Options{})
	inUse := func() int {
		others, err := d.InUse(t.Context())
		require.NoError(t, err)
		return others
	}
	mustPut(t, d, 1)
	require.Zero(t, inUse(), "its own use does not count")
	other := openDir(t, d.path, Options{})
	requireHit(t, other, 1)
	require.Zero(t, inUse(), "it has only read")
	release, ok := other.Claim(t.Context(), keyFor(2))
	require.True(t, ok)
	release()
	require.Equal(t, 1, inUse())
	third := openDir(t, d.path, Options{})
	mustPut(t, third, 3)
	require.Equal(t, 2, inUse())
	require.NoError(t, other.Close())
	require.NoError(t, third.Close())
	require.Zero(t, inUse())

	require.NoError(t, d.Close())
	_, err := d.InUse(t.Context())
	require.ErrorIs(t, err, ErrUnavailable)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = d.InUse(ended)
	require.ErrorIs(t, err, context.Canceled)
}

// readOnly is a file system that cannot be written.
type readOnly struct{ disk }

func (d readOnly) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if flag&os.O_CREATE != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}
	return d.disk.OpenFile(name, flag, perm)
}

func (readOnly) Mkdir(string, fs.FileMode) error {
	return &fs.PathError{Op: "mkdir", Path: runsName, Err: syscall.EROFS}
}

func claimsIn(t *testing.T, d *Dir) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(d.path, claimPrefix+"*"))
	require.NoError(t, err)
	return found
}

// startClaiming starts a process that has the claims on the keys 0 to 2.
func startClaiming(t *testing.T, d *Dir) *exec.Cmd {
	t.Helper()
	c := command(t, "claim", d.path, 3)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = io.ReadFull(out, make([]byte, 1))
	require.NoError(t, err)
	return c
}

// childClaim claims the keys below arg, says so, and never ends.
func childClaim(d *Dir, arg int) error {
	for n := range arg {
		if _, ok := d.Claim(context.Background(), keyFor(n)); !ok {
			return errors.New("not claimed")
		}
	}
	fmt.Println(arg)
	select {}
}

const onceKeys = 60

// childOnce makes each of the first entries that is missing, and writes down which.
func childOnce(d *Dir, _ int) error {
	made, err := os.OpenFile(d.path+".made", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for n := range onceKeys {
		release, ok := d.Claim(context.Background(), keyFor(n))
		for ; !ok; release, ok = d.Claim(context.Background(), keyFor(n)) {
			time.Sleep(time.Millisecond)
		}
		if !d.Has(context.Background(), keyFor(n)) {
			if _, err := fmt.Fprintln(made, n); err != nil {
				return err
			}
			if err := put(d, keyFor(n), contentFor(n)); err != nil {
				return err
			}
		}
		release()
	}
	return made.Close()
}

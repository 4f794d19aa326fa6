package cache

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// What is in the directory of a run.
const (
	lockName = "lock" // locked as long as the run's process lives
	keysName = "keys" // what the run has used: 32 bytes each
)

// A run is the time between the first use of a Dir and its end. It has a
// directory with a file that is locked by the operating system, which lets go of
// it however the process ends. Next to the lock is the list of keys that the run
// has used, and what is in transit: unfinished entries, scratch directories.
type run struct {
	dir   *Dir
	name  string // runs/<random>
	lock  file
	temps atomic.Uint64
	inUse sync.WaitGroup // Gets and Puts

	mu      sync.Mutex
	keys    file
	used    int64     // number of keys in it
	stamped time.Time // the lock's time
}

// enter returns the Dir's run with a place taken in it, to be given back with
// leave, and begins it where there is none. With once it does not try again to
// begin one where that has failed.
func (d *Dir) enter(once bool) (*run, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, unavailable(os.ErrClosed)
	case d.run == nil && once && d.runErr != nil:
		return nil, d.runErr
	case d.run == nil:
		if d.run, d.runErr = d.begin(); d.runErr != nil {
			return nil, d.runErr
		}
	}
	d.run.inUse.Add(1)
	return d.run, nil
}

func (r *run) leave() { r.inUse.Done() }

func (d *Dir) begin() (*run, error) {
	var err error
	for range 8 { // somebody who sweeps may take a new one for a dead one
		r := &run{dir: d, name: runsName + "/" + rand.Text()}
		if err = d.makeRun(r); err == nil {
			d.sweep(r.name)
			return r, nil
		}
		if !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, unavailable(err)
}

func (d *Dir) makeRun(r *run) (err error) {
	err = d.disk.Mkdir(r.name, dirMode)
	if errors.Is(err, fs.ErrNotExist) {
		_ = d.disk.Mkdir(runsName, dirMode) // the whole of it was deleted meanwhile
		err = d.disk.Mkdir(r.name, dirMode)
	}
	if err != nil {
		return err
	}
	var files []file
	defer func() {
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			_ = d.disk.RemoveAll(r.name)
		}
	}()
	if r.lock, err = d.disk.OpenFile(r.name+"/"+lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode); err != nil {
		return err
	}
	files = append(files, r.lock)
	if err := d.disk.TryLock(r.lock); err != nil && !errors.Is(err, errNoLocks) {
		return err
	}
	if r.keys, err = d.disk.OpenFile(r.name+"/"+keysName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode); err != nil {
		return err
	}
	files = append(files, r.keys)
	mine, err := r.lock.Stat()
	if err != nil {
		return err
	}
	there, err := d.disk.Lstat(r.name + "/" + lockName)
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) {
		return errLocked
	}
	r.stamp(d.stamp())
	return nil
}

// need notes that the run has used an entry. Where that cannot be written the
// entry is just not kept.
func (r *run) need(key [32]byte) {
	now := r.dir.stamp()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, err := r.keys.WriteAt(key[:], r.used*int64(len(key))); n == len(key) && err == nil {
		r.used++
	}
	if now.Sub(r.stamped) > refreshAfter {
		r.stamp(now)
	}
}

// stamp writes when the run was last seen.
func (r *run) stamp(now time.Time) {
	_ = r.dir.disk.Chtimes(r.name+"/"+lockName, now, now)
	r.stamped = now
}

// tempName is a name for an entry that is being written.
func (r *run) tempName() string {
	return r.name + "/" + strconv.FormatUint(r.temps.Add(1), 10) + ".new"
}

// end lets the run go, once nobody uses it.
func (r *run) end(finished bool) error {
	r.inUse.Wait()
	on := r.dir.disk
	err := cmp.Or(r.keys.Close(), r.dir.clearTransit(r.name))
	done := finished || r.used == 0
	if done {
		err = cmp.Or(err, on.Remove(r.name+"/"+keysName))
	}
	err = cmp.Or(err, r.lock.Close())
	if done {
		_ = on.RemoveAll(r.name) // without a list whoever sweeps removes it too
	}
	return err
}

// Scratch makes a directory for bytes in transit and returns its path: for this
// user alone (mode 0700), for the caller to fill, and to remove as soon as it is
// not needed. What is left goes when the run ends with [Dir.Finish] or
// [Dir.Close], or, after a kill, when the next run begins. The error is
// [ErrUnavailable].
func (d *Dir) Scratch() (string, error) {
	r, err := d.enter(false)
	if err != nil {
		return "", d.warnOnce(err)
	}
	defer r.leave()
	name := r.name + "/" + strconv.FormatUint(r.temps.Add(1), 10) + ".scratch"
	if err := d.disk.Mkdir(name, dirMode); err != nil {
		return "", d.warnOnce(err)
	}
	return filepath.Join(d.path, filepath.FromSlash(name)), nil
}

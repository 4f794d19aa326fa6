package cache

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// lockName is a file in the directory of a transit. It is locked as long as the process lives.
const lockName = "lock"

// Where the system or the file system has no locks, a process counts as alive as long as it has
// written something within this time.
const assumeAlive = 7 * 24 * time.Hour

// A transit is a directory for what a Dir has not finished: entries being written, and the
// directories of Scratch. The operating system releases its lock however the process ends, so that
// the next one knows what to remove.
type transit struct {
	name    string // runs/<random>
	lock    file
	stamped time.Time // the lock's time; Dir.mu guards it
}

// makeInTransit calls create with a new name in the Dir's transit, and once more where somebody has
// deleted that directory.
func (d *Dir) makeInTransit(suffix string, create func(name string) error) (name string, err error) {
	for range 2 {
		t, err := d.openTransit()
		if err != nil {
			return "", err
		}
		name = t.name + "/" + strconv.FormatUint(d.files.Add(1), 10) + suffix
		if err = create(name); !errors.Is(err, fs.ErrNotExist) {
			return name, err
		}
		d.mu.Lock()
		if d.transit == t {
			d.transit = nil
			t.lock.Close()
		}
		d.mu.Unlock()
	}
	return "", fs.ErrNotExist
}

// openTransit returns the Dir's transit and makes it where there is none.
func (d *Dir) openTransit() (*transit, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.transit != nil {
		if now := d.stamp(); now.Sub(d.transit.stamped) > refreshAfter {
			d.setAlive(d.transit, now)
		}
		return d.transit, nil
	}
	var err error
	for range 8 { // a sweep may take a new one for a dead one
		t := &transit{name: runsName + "/" + rand.Text()}
		if err = d.makeTransit(t); err == nil {
			d.transit = t
			d.sweep(t.name)
			return t, nil
		}
		if !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, err
}

func (d *Dir) makeTransit(t *transit) (err error) {
	err = d.disk.Mkdir(t.name, dirMode)
	if errors.Is(err, fs.ErrNotExist) {
		_ = d.disk.Mkdir(runsName, dirMode) // somebody has deleted all of it
		err = d.disk.Mkdir(t.name, dirMode)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if t.lock != nil {
				t.lock.Close()
			}
			_ = d.disk.RemoveAll(t.name)
		}
	}()
	if t.lock, err = d.disk.OpenFile(t.name+"/"+lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, fileMode); err != nil {
		return err
	}
	switch err := d.disk.TryLock(t.lock); {
	case errors.Is(err, errNoLocks):
		d.warnNoLocks()
	case err != nil:
		return err
	}
	opened, err := t.lock.Stat()
	if err != nil {
		return err
	}
	named, err := d.disk.Lstat(t.name + "/" + lockName)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, named) {
		return errLocked
	}
	d.setAlive(t, d.stamp())
	return nil
}

// setAlive writes when the process was last alive.
func (d *Dir) setAlive(t *transit, now time.Time) {
	_ = d.disk.Chtimes(t.name+"/"+lockName, now, now)
	t.stamped = now
}

// leave removes a transit that nothing uses any more. A sweep may be at its directory by the time
// the lock is closed; what one of the two leaves there, the other or the next one removes.
func (d *Dir) leave(t *transit) error {
	entries, err := readDir(d.disk, t.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // somebody has deleted it
	}
	for _, e := range entries {
		if e.Name() != lockName {
			err = cmp.Or(err, d.disk.RemoveAll(t.name+"/"+e.Name()))
		}
	}
	err = cmp.Or(err, t.lock.Close())
	_ = d.disk.RemoveAll(t.name)
	return err
}

// Scratch makes a directory for the caller's temporary files and returns its path. Only this user
// has access (mode 0700). The caller should remove it when it is no longer needed. If not,
// [Dir.Close] removes it or, after a kill, the next process that writes to the cache.
//
// The error is [ErrUnavailable]. After a Put that could not write, Scratch fails until a Put has
// succeeded: if the disk is full, the caller's files should go elsewhere.
func (d *Dir) Scratch() (string, error) {
	if err := d.check(context.Background()); err != nil {
		return "", err
	}
	if err := d.beginPut(); err != nil {
		return "", d.warnUnavailable(err)
	}
	defer d.puts.Done()
	if d.full.Load() {
		return "", unavailable(errFull)
	}
	name, err := d.makeInTransit(".scratch", func(name string) error { return d.disk.Mkdir(name, dirMode) })
	if err != nil {
		return "", d.warnUnavailable(err)
	}
	return filepath.Join(d.path, filepath.FromSlash(name)), nil
}

// sweep removes what dead processes have left. It waits for no lock.
func (d *Dir) sweep(own string) {
	d.sweepClaims()
	entries, err := readDir(d.disk, runsName)
	if err != nil {
		return // the next one sweeps
	}
	for _, e := range entries {
		if name := runsName + "/" + e.Name(); name != own && e.IsDir() {
			d.sweepTransit(name)
		}
	}
}

func (d *Dir) sweepTransit(name string) {
	// The lock is made where it is missing: of a sweep and a process that is just making this
	// transit only one gets it, and the latter then takes another name.
	lock, err := d.disk.OpenFile(name+"/"+lockName, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return // removed meanwhile, or the directory may only be read
	}
	defer lock.Close()
	if err := d.lockDead(lock); err == nil {
		_ = d.disk.RemoveAll(name) // while it is locked
	}
}

// lockDead locks a transit's lock if its process is dead, and returns errLocked if it lives.
func (d *Dir) lockDead(lock file) error {
	err := d.disk.TryLock(lock)
	if !errors.Is(err, errNoLocks) {
		return err
	}
	info, err := lock.Stat()
	if err == nil && d.options.now().Sub(info.ModTime()) < assumeAlive {
		return errLocked
	}
	return err
}

// InUse returns how many others use the directory: each Dir, in this process or in another, that
// has stored or claimed something and is not closed. A process that was killed does not count; if
// the file system has no locks, it does for a week. The error is [ErrUnavailable] or the context's
// cause.
func (d *Dir) InUse(ctx context.Context) (others int, err error) {
	if err := d.check(ctx); err != nil {
		return 0, err
	}
	entries, err := readDir(d.disk, runsName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, unavailable(err)
	}
	own := d.transitName()
	for _, e := range entries {
		name := runsName + "/" + e.Name()
		if name == own {
			continue
		}
		lock, err := d.disk.OpenFile(name+"/"+lockName, os.O_RDWR, 0)
		if err != nil {
			continue // nobody has it yet, or any more
		}
		if errors.Is(d.lockDead(lock), errLocked) {
			others++
		}
		lock.Close()
	}
	return others, nil
}

// transitName is the name of the Dir's transit, or empty.
func (d *Dir) transitName() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.transit == nil {
		return ""
	}
	return d.transit.name
}

package cache

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// claimPrefix begins the names of claims. They are at the top, so that a claim is the look-up of
// one name.
const claimPrefix = "claim-"

// A claim's file may be removed between its opening and its locking, by whoever had it. It is then
// made anew, up to so many times in a row.
const claimTries = 8

// Claim takes a key for the caller, so that of all who share the directory only one makes the
// entry. It does not wait: ok is false while somebody else has the key, through this Dir or another,
// in this process or another. Call release once the entry is stored, or will not be; further calls
// do nothing. The operating system ends the claims of a process that is killed.
//
// A claim is a file that is open and locked. Where that cannot be had, because the file system has
// no locks or the directory cannot be written, Claim gives every key to everyone: ok is true, and
// [Options.Warn] was called once. So it is after Close, and after the end of the context.
func (d *Dir) Claim(ctx context.Context, key [32]byte) (release func(), ok bool) {
	if d.check(ctx) != nil || d.noLocks.Load() {
		return func() {}, true
	}
	err := d.beginPut()
	if err == nil {
		defer d.puts.Done()
		_, err = d.openTransit() // which says that the directory is in use
	}
	if err == nil {
		release, err = d.claim(claimPrefix + hex.EncodeToString(key[:]))
	}
	switch {
	case err == nil:
		return release, true
	case errors.Is(err, errLocked):
		return nil, false
	case errors.Is(err, errNoLocks):
		d.warnNoLocks()
	default:
		_ = d.warnUnavailable(err) // the entry will not be stored either
	}
	return func() {}, true
}

// claim locks the file of a claim, which is made where it is missing. Only who has the lock of a
// file that has its name removes it, so that no two have the claim.
func (d *Dir) claim(name string) (release func(), err error) {
	for range claimTries {
		f, err := d.disk.OpenFile(name, os.O_RDWR|os.O_CREATE, fileMode)
		if stale(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = d.lockNamed(f, name)
		if err == nil {
			return sync.OnceFunc(func() {
				_ = d.disk.Remove(name) // what stays is swept
				f.Close()
			}), nil
		}
		if errors.Is(err, errNoLocks) {
			_ = d.disk.Remove(name) // nobody can have it
		}
		f.Close()
		if !errors.Is(err, fs.ErrNotExist) && !stale(err) {
			return nil, err
		}
	}
	return nil, errLocked
}

// lockNamed locks a file. The error is [fs.ErrNotExist] if it does not have its name any more.
func (d *Dir) lockNamed(f file, name string) error {
	if err := d.disk.TryLock(f); err != nil {
		return err
	}
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	if links, known := linksOf(opened); known {
		if links == 0 {
			return fs.ErrNotExist
		}
		return nil
	}
	named, err := d.disk.Lstat(name)
	if err == nil && !os.SameFile(opened, named) {
		err = fs.ErrNotExist
	}
	return err
}

// sweepClaims removes the claims of dead processes. It waits for no lock.
func (d *Dir) sweepClaims() {
	entries, err := readDir(d.disk, ".")
	if err != nil {
		return // the next one sweeps
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), claimPrefix) && e.Type().IsRegular() {
			d.sweepClaim(e.Name())
		}
	}
}

func (d *Dir) sweepClaim(name string) {
	f, err := d.disk.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return // removed meanwhile, or the directory may only be read
	}
	defer f.Close()
	if d.lockNamed(f, name) == nil {
		_ = d.disk.Remove(name) // while it is locked
	}
}

package cache

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// What a run has used that was not finished is kept so long: over a weekend and
// a little more.
const unfinishedFor = 7 * 24 * time.Hour

// Where the operating system or the file system has no locks, a run counts as
// alive as long as it was seen within this time.
const assumeAlive = 7 * 24 * time.Hour

// sweep removes what dead runs have left in transit. Their lists stay.
func (d *Dir) sweep(own string) {
	_ = d.others(own, func(name string, alive bool) {
		if alive {
			return
		}
		if info, err := d.disk.Lstat(name + "/" + keysName); err != nil || info.Size() < int64(len([32]byte{})) {
			_ = d.disk.RemoveAll(name)
			return
		}
		_ = d.clearTransit(name)
	})
}

// clearTransit removes everything in a run's directory but its lock and list.
func (d *Dir) clearTransit(name string) error {
	entries, err := readDir(d.disk, name)
	for _, e := range entries {
		if e.Name() != lockName && e.Name() != keysName {
			err = cmp.Or(err, d.disk.RemoveAll(name+"/"+e.Name()))
		}
	}
	return err
}

// others calls f for every run but the own one. A dead one is locked while f
// looks at it. Nothing waits for a lock here.
func (d *Dir) others(own string, f func(name string, alive bool)) error {
	entries, err := readDir(d.disk, runsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := runsName + "/" + e.Name(); name != own && e.IsDir() {
			d.visit(name, f)
		}
	}
	return nil
}

func (d *Dir) visit(name string, f func(name string, alive bool)) {
	// It is made where it is missing, so that of whoever sweeps and whoever is
	// just beginning this run only one gets the lock; the latter takes another name.
	lock, err := d.disk.OpenFile(name+"/"+lockName, os.O_RDWR|os.O_CREATE, fileMode)
	if errors.Is(err, fs.ErrNotExist) {
		return // gone meanwhile
	}
	if err != nil {
		f(name, true) // not to be judged: a directory that is only readable
		return
	}
	defer lock.Close()
	err = d.disk.TryLock(lock)
	if errors.Is(err, errNoLocks) {
		info, err := lock.Stat()
		f(name, err != nil || d.options.Now().Sub(info.ModTime()) < assumeAlive)
		return
	}
	f(name, err != nil)
}

// needed is every key that a run under way or an unfinished one has used. It
// removes the lists of those that were unfinished for too long, and counts the
// runs of others that are alive.
func (d *Dir) needed(own string, sure time.Time) (keys map[[32]byte]bool, alive int, err error) {
	keys = map[[32]byte]bool{}
	if own != "" {
		d.readKeys(own, keys)
	}
	err = d.others(own, func(name string, lives bool) {
		if lives {
			alive++
		} else if info, err := d.disk.Lstat(name + "/" + lockName); err == nil && sure.Sub(info.ModTime()) > unfinishedFor {
			_ = d.disk.RemoveAll(name)
			return
		}
		d.readKeys(name, keys)
	})
	return keys, alive, err
}

// readKeys adds a run's list. A last key that is cut short is none.
func (d *Dir) readKeys(name string, to map[[32]byte]bool) {
	f, err := d.disk.OpenFile(name+"/"+keysName, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	for at := int64(0); ; {
		block := make([]byte, 1024*len([32]byte{}))
		n, err := io.ReadFull(io.NewSectionReader(f, at, int64(len(block))), block)
		for b := block[:n]; len(b) >= 32; b = b[32:] {
			to[[32]byte(b)] = true
		}
		if at += int64(n); err != nil {
			return
		}
	}
}

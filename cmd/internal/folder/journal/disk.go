package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// A Disk does with files what not every file system can do, as SMB and some FUSE file systems show.
// What one cannot do is a warning, once; that it is full, broken or read-only stays an error. Its
// methods may be called by several goroutines at once.
type Disk struct {
	Warn func(error)

	// Fsync and Move are what the file system does; tests have others.
	Fsync func(*os.File) error
	Move  func(root *os.Root, from, to string) error

	mu     sync.Mutex
	warned map[string]bool
}

// NewDisk returns a disk that warns so.
func NewDisk(warn func(error)) *Disk {
	return &Disk{Warn: warn, Fsync: (*os.File).Sync, Move: (*os.Root).Rename, warned: map[string]bool{}}
}

// Sync brings a file's content to the disk.
func (d *Disk) Sync(file *os.File) error {
	err := d.Fsync(file)
	if err == nil || !unsupported(err) {
		return err
	}
	d.lacks("fsync", "what was written last may be lost in a power cut")
	return nil
}

// Rename moves a file over another. Where a file system moves none over another, that one is removed
// before.
func (d *Disk) Rename(root *os.Root, from, to string) error {
	err := d.Move(root, from, to)
	if err == nil || !unsupported(err) && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, lost := root.Lstat(to); lost != nil || !info.Mode().IsRegular() {
		return err // nothing is in the way, or nothing that may go
	}
	if err := root.Remove(to); err != nil {
		return err
	}
	d.lacks("renaming over a file", "a kill at the wrong moment may lose an output that is replaced")
	return d.Move(root, from, to)
}

// Chmod sets a file's mode. Where there are none, or they are not ours to set, the file has the one
// that new files have.
func (d *Disk) Chmod(file *os.File, mode fs.FileMode) error {
	err := file.Chmod(mode)
	if err == nil || !unsupported(err) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	d.lacks("chmod", "a file that is replaced does not keep its mode")
	return nil
}

// lacks warns the first time that something cannot be done.
func (d *Disk) lacks(what, consequence string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.warned[what] {
		d.warned[what] = true
		d.Warn(fmt.Errorf("the file system of the outputs has no %s: %s", what, consequence))
	}
}

// unsupported reports whether a file system does not know an operation.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTTY)
}

// broken reports whether a disk is full, broken or read-only.
func broken(err error) bool {
	return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

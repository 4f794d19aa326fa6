package cache

import (
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// A disk is what a Dir needs of a file system, so that tests can make each step of it fail. Names
// are relative to the directory, with slashes.
type disk interface {
	OpenFile(name string, flag int, perm fs.FileMode) (file, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	RemoveAll(name string) error
	Lstat(name string) (fs.FileInfo, error)
	Chmod(name string, mode fs.FileMode) error
	Chtimes(name string, atime, mtime time.Time) error
	TryLock(f file) error // see tryLock
	Close() error
}

type file interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Sync() error
	Stat() (fs.FileInfo, error)
	ReadDir(n int) ([]fs.DirEntry, error)
	Fd() uintptr
}

// rootDisk is the real one. No name and no link leads out of an [os.Root].
type rootDisk struct{ *os.Root }

// OpenFile opens a file.
func (d rootDisk) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	f, err := d.Root.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File
	}
	return f, nil
}

// TryLock locks a file.
func (rootDisk) TryLock(f file) error { return tryLock(f) }

// sync makes the content of a file, or the names in a directory, outlast a power cut. A file system
// that has no fsync is no error.
func (d *Dir) sync(f file) error {
	err := f.Sync()
	if err == nil || !unsupported(err) {
		return err
	}
	d.warnUnsupported("fsync", "what was stored last may be lost in a power cut")
	return nil
}

func (d *Dir) syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // it keeps a journal of names, and refuses
	}
	dir, err := d.disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	return d.sync(dir)
}

func readDir(on disk, name string) ([]fs.DirEntry, error) {
	dir, err := on.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

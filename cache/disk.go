package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"
)

// A disk is what a Dir needs of a file system, so that tests can make each step
// of it fail. Names are relative to the directory, with slashes.
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
	io.WriterAt
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

// syncDir makes what was renamed or made in a directory outlast a power cut.
func syncDir(on disk, name string) error {
	if runtime.GOOS == "windows" {
		return nil // it writes the journal by itself, and refuses
	}
	dir, err := on.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err // but for file systems that know no such thing
	}
	return nil
}

func readDir(on disk, name string) ([]fs.DirEntry, error) {
	dir, err := on.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// ErrUnavailable means that the directory cannot be used: it is missing or full, or access to it is
// denied. The caller can go on without a cache.
var ErrUnavailable = errors.New("cache unavailable")

// The reasons why an entry cannot be used, for errors.Is.
var (
	// ErrDamaged: the content of the file has changed since it was written. The file has been
	// removed.
	ErrDamaged = errors.New("damaged")

	// ErrVersion: the entry has the format of another release. It is kept for that release.
	ErrVersion = errors.New("format of another release")
)

// Problem is an entry that cannot be used.
type Problem struct {
	Path string // the entry's file, relative to the directory, with slashes; never empty
	Err  error  // what is wrong: wraps [ErrDamaged] or [ErrVersion], never nil
}

// Error returns one line.
func (p *Problem) Error() string { return fmt.Sprintf("cache entry %s: %s", p.Path, p.Err) }

// Unwrap returns Err.
func (p *Problem) Unwrap() error { return p.Err }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// miss is the error of Get for a miss; why is nil where there is no entry.
func miss(key [32]byte, why error) error {
	name := hex.EncodeToString(key[:])
	if why == nil {
		return fmt.Errorf("cache entry %s: %w", name, fs.ErrNotExist)
	}
	return fmt.Errorf("cache entry %s: %w (%w)", name, fs.ErrNotExist, why)
}

func unavailable(err error) error {
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// warnUnavailable calls Options.Warn the first time that the directory cannot be used. It returns
// err as [ErrUnavailable].
func (d *Dir) warnUnavailable(err error) error {
	err = unavailable(err)
	d.warnedUnavailable.Do(func() { d.options.Warn(err) })
	return err
}

// warnUnsupported calls Options.Warn the first time that the file system lacks something.
func (d *Dir) warnUnsupported(what, consequence string) {
	d.warnedUnsupported.Do(func() {
		d.options.Warn(fmt.Errorf("the file system of the cache has no %s: %s", what, consequence))
	})
}

// warnNoLocks notes that the file system has no file locks, and says so.
func (d *Dir) warnNoLocks() {
	d.noLocks.Store(true)
	d.warnUnsupported("file locks", "processes that use it at once may each send, and pay for, the same page; "+
		"files that a killed process has left are removed after a week")
}

var errFull = errors.New("the last entry could not be written")

// What tryLock returns.
var (
	errLocked  = errors.New("locked by another process")
	errNoLocks = errors.New("no file locks here")
)

package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// ErrUnavailable reports a directory that cannot be used: missing, full, not to
// be read or written. Whoever gets it goes on without a cache.
var ErrUnavailable = errors.New("cache unavailable")

// What is wrong with an entry, for [errors.Is].
var (
	// ErrDamaged: the file is not what was written. It has been removed.
	ErrDamaged = errors.New("damaged")

	// ErrVersion: the file is an entry in a format of another release. It is
	// left to that one.
	ErrVersion = errors.New("format of another release")
)

// Problem is an entry that cannot be used.
type Problem struct {
	Path string // relative to the directory, with slashes
	Err  error  // is [ErrDamaged] or [ErrVersion]
}

// Error is one line.
func (p *Problem) Error() string { return fmt.Sprintf("cache entry %s: %s", p.Path, p.Err) }

// Unwrap returns Err.
func (p *Problem) Unwrap() error { return p.Err }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// miss is what Get returns where there is nothing to be had; why is nil where
// there is no entry.
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

// warnOnce tells that the directory cannot be used, the first time.
func (d *Dir) warnOnce(err error) error {
	err = unavailable(err)
	d.warned.Do(func() { d.options.Warn(err) })
	return err
}

// What tryLock returns.
var (
	errLocked  = errors.New("locked by another process")
	errNoLocks = errors.New("no file locks here")
)

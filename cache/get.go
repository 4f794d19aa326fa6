package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// An entry's time of last use is written at most once an hour, as in the Go
// build cache: precise enough for a limit of days, at a tenth of the writes.
const refreshAfter = time.Hour

// Get returns the content of the entry of a key, for the caller to close. All of
// it has been checked by then; it stays whole when the entry is replaced or
// removed meanwhile.
//
// Every error but the context's end is a miss and wraps [fs.ErrNotExist]. An
// entry that is damaged is one too: it is removed, and Options.Warn is told. So
// is one of an unknown version, which stays, and one that cannot be read. A
// content of more than 256 KiB is checked a second time while it is read, so that
// a file that is changed in place just then ends in [ErrDamaged].
func (d *Dir) Get(ctx context.Context, key [32]byte) (io.ReadCloser, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r, _ := d.enter(true) // without one, nothing is kept from trimming
	if r != nil {
		defer r.leave()
	}
	name := entryName(key)
	f, info, err := d.openEntry(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, miss(key, nil)
	}
	var content io.Reader
	if err == nil {
		content, err = readEntry(f, info.Size(), key)
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, miss(key, d.report(name, info, err))
	}
	if r != nil {
		r.need(key)
	}
	if now := d.stamp(); now.Sub(info.ModTime()) > refreshAfter {
		_ = d.disk.Chtimes(name, now, now) // a cache that is only readable has its use
	}
	if info.Size() <= inMemory {
		f.Close()
		return io.NopCloser(content), nil
	}
	return struct {
		io.Reader
		io.Closer
	}{content, f}, nil
}

// openEntry opens a regular file, and follows no link to it.
func (d *Dir) openEntry(name string) (file, fs.FileInfo, error) {
	info, err := d.disk.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, damaged("not a file (%s)", info.Mode().Type())
	}
	f, err := d.disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, info, err
	}
	opened, err := f.Stat()
	if err == nil && !opened.Mode().IsRegular() {
		err = damaged("not a file (%s)", opened.Mode().Type())
	}
	return f, opened, err
}

// report tells of an entry that cannot be used, and removes it where it is
// damaged.
func (d *Dir) report(name string, info fs.FileInfo, err error) error {
	if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
		return d.warnOnce(fmt.Errorf("%s: %w", name, err))
	}
	p := &Problem{Path: name, Err: err}
	if errors.Is(err, ErrDamaged) {
		d.discard(name, info)
		d.options.Warn(p)
	}
	return p
}

// discard removes an entry, unless it is another one by now.
func (d *Dir) discard(name string, info fs.FileInfo) bool {
	now, err := d.disk.Lstat(name)
	if err != nil || info == nil || !os.SameFile(info, now) || !now.ModTime().Equal(info.ModTime()) {
		return false
	}
	return d.disk.Remove(name) == nil
}

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

// The time of an entry's last use is written at most once an hour, as in the Go build cache:
// precise enough for limits of days, at a tenth of the writes.
const refreshAfter = time.Hour

// Get checks the whole entry of a key and returns its content, which the caller closes. The content
// stays readable even if the entry is replaced or removed.
//
// Every error is a miss and wraps [fs.ErrNotExist], except the end of the context. A damaged entry
// is a miss: Get removes it and calls [Options.Warn]. An entry of an unknown version, or one that
// cannot be read, is a miss and is kept. Content of more than 256 KiB is checked again while the
// caller reads it: if the file has changed, the last Read returns [ErrDamaged].
func (d *Dir) Get(ctx context.Context, key [32]byte) (io.ReadCloser, error) {
	if err := d.check(ctx); err != nil {
		return nil, err
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
	if now := d.stamp(); now.Sub(info.ModTime()) > refreshAfter {
		_ = d.disk.Chtimes(name, now, now) // a cache that can only be read is still useful
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

// Has reports whether [Dir.Get] would find the entry of a key. It checks only the size and the
// first bytes; Get finds damage further in. It changes nothing: it does not mark the entry as used,
// and neither removes nor reports a damaged one. It returns false if the entry cannot be accessed.
func (d *Dir) Has(ctx context.Context, key [32]byte) bool {
	if d.check(ctx) != nil {
		return false
	}
	f, info, err := d.openEntry(entryName(key))
	if f != nil {
		defer f.Close()
	}
	if err != nil || info.Size() < emptyLen {
		return false
	}
	head := make([]byte, headLen)
	return readFull(f, head, 0) == nil && string(head) == format+version+string(key[:])
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

// report calls Options.Warn for an entry that cannot be used, and removes a damaged one.
func (d *Dir) report(name string, info fs.FileInfo, err error) error {
	if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
		return d.warnUnavailable(fmt.Errorf("%s: %w", name, err))
	}
	p := &Problem{Path: name, Err: err}
	if errors.Is(err, ErrDamaged) {
		d.discard(name, info)
		d.options.Warn(p)
	}
	return p
}

// discard removes an entry, unless another one has replaced it.
func (d *Dir) discard(name string, info fs.FileInfo) {
	now, err := d.disk.Lstat(name)
	if err != nil || info == nil || !os.SameFile(info, now) || !now.ModTime().Equal(info.ModTime()) {
		return
	}
	_ = d.disk.Remove(name) // what stays is damaged the next time too
}

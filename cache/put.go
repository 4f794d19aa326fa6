package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// Put stores what write writes as the content of a key's entry, in place of what
// was there. It is on the disk, power cut or not, when Put returns nil. At any
// moment there is no entry, the former one or the new one, never a part: the
// content goes to a temporary file that is synced and then renamed. Of several
// Puts of one key at the same time the last one stays.
//
// An error of write comes back as it is. One of the directory is
// [ErrUnavailable]: it is full, may not be written, or has less room than the
// content needs. Options.Warn is told the first time; trying again is allowed
// and costs little. A context that has ended before Put begins is an error, later
// it is write's concern.
func (d *Dir) Put(ctx context.Context, key [32]byte, write func(io.Writer) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, err := d.enter(false)
	if err != nil {
		return d.warnOnce(err)
	}
	defer r.leave()
	temp := r.tempName()
	t := &tempWriter{left: d.options.MaxSize, limited: d.options.MaxSize > 0}
	if t.file, err = d.disk.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode); err != nil {
		return d.warnOnce(err)
	}
	stored := false
	defer func() { // also when write panics
		if !stored {
			t.file.Close()
			_ = d.disk.Remove(temp) // what stays is swept
		}
	}()
	if err := writeEntry(t, key, write); err != nil && t.err == nil {
		return err
	}
	if t.err == nil {
		t.err = t.file.Sync()
	}
	if err := cmp.Or(t.err, t.file.Close()); err != nil {
		return d.warnOnce(err)
	}
	now := d.stamp()
	_ = d.disk.Chtimes(temp, now, now) // else it has the time of writing, which is as good
	r.need(key)
	if err := d.place(temp, entryName(key)); err != nil {
		return d.warnOnce(err)
	}
	stored = true
	return nil
}

// place moves a finished file to where it belongs.
func (d *Dir) place(temp, name string) error {
	shard := path.Dir(name)
	err := d.disk.Mkdir(shard, dirMode)
	if errors.Is(err, fs.ErrNotExist) { // the whole of it was deleted meanwhile
		if err = d.disk.Mkdir(entriesName, dirMode); err == nil || errors.Is(err, fs.ErrExist) {
			err = d.disk.Mkdir(shard, dirMode)
		}
	}
	switch {
	case err == nil:
		if err := syncDir(d.disk, entriesName); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	default:
		if info, err := d.disk.Lstat(shard); err != nil {
			return err
		} else if !info.IsDir() {
			return fmt.Errorf("%s: not a directory", shard)
		}
	}
	if err := d.disk.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(d.disk, shard)
}

// tempWriter remembers the errors of the directory, to tell them from the
// caller's.
type tempWriter struct {
	file    file
	left    int64
	limited bool
	err     error
}

// Write writes to the file.
func (t *tempWriter) Write(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	if t.left -= int64(len(p)); t.left < 0 && t.limited {
		t.err = errors.New("the entry is larger than the cache may be")
		return 0, t.err
	}
	n, err := t.file.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	t.err = err
	return n, err
}

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

// Put calls write and stores what it writes as the entry of a key. It replaces an earlier entry.
// When Put returns nil, the entry survives a power cut, unless the file system has no fsync. There
// is never a partial entry: the content goes to a temporary file, which is synced and then renamed.
// If several Puts of one key run at once, the last one wins.
//
// Put returns an error of write unchanged. An error of the directory is [ErrUnavailable]: the
// directory is full, access is denied, or the entry is larger than [Options.MaxSize].
// [Options.Warn] is called the first time. The next Put may succeed; a failed one costs little. Put
// checks the context only before it begins; after that, write has to.
//
// Put then trims the directory, like [Dir.Trim], if there was no trim for an hour, or if this Dir
// has stored more than a tenth of [Options.MaxSize] since its last trim. If the trim fails, Put
// does not: it calls [Options.Warn].
func (d *Dir) Put(ctx context.Context, key [32]byte, write func(io.Writer) error) error {
	if err := d.check(ctx); err != nil {
		return err
	}
	if write == nil {
		return errors.New("cache: the function write is nil")
	}
	if err := d.beginPut(); err != nil {
		return d.warnUnavailable(err)
	}
	defer d.puts.Done()
	size, err := d.put(key, write)
	if err == nil {
		d.trimIfDue(ctx, size)
	}
	return err
}

// beginPut counts a Put, for Close to wait for.
func (d *Dir) beginPut() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return os.ErrClosed
	}
	d.puts.Add(1)
	return nil
}

// put returns the size of the entry's file.
func (d *Dir) put(key [32]byte, write func(io.Writer) error) (size int64, err error) {
	t := &tempWriter{max: d.options.MaxSize}
	temp, err := d.makeInTransit(".new", func(name string) (err error) {
		t.file, err = d.disk.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		return err
	})
	if err != nil {
		return 0, d.putFailed(err)
	}
	stored := false
	defer func() { // also when write panics
		if !stored {
			t.file.Close()
			_ = d.disk.Remove(temp) // what stays is swept
		}
	}()
	if err := writeEntry(t, key, write); err != nil && t.err == nil {
		return 0, err
	}
	if t.err == nil {
		t.err = d.sync(t.file)
	}
	if err := cmp.Or(t.err, t.file.Close()); err != nil {
		return 0, d.putFailed(err)
	}
	now := d.stamp()
	_ = d.disk.Chtimes(temp, now, now) // else it has the time of writing, which is as good
	if err := d.place(temp, entryName(key)); err != nil {
		return 0, d.putFailed(err)
	}
	stored = true
	d.full.Store(false)
	return t.size, nil
}

func (d *Dir) putFailed(err error) error {
	d.full.Store(!errors.Is(err, errTooLarge))
	return d.warnUnavailable(err)
}

// place moves a finished file to where it belongs.
func (d *Dir) place(temp, name string) error {
	shard := path.Dir(name)
	err := d.disk.Mkdir(shard, dirMode)
	if errors.Is(err, fs.ErrNotExist) { // somebody has deleted all of it
		if err = d.disk.Mkdir(entriesName, dirMode); err == nil || errors.Is(err, fs.ErrExist) {
			err = d.disk.Mkdir(shard, dirMode)
		}
	}
	switch {
	case err == nil:
		if err := d.syncDir(entriesName); err != nil {
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
	return d.syncDir(shard)
}

var errTooLarge = errors.New("the entry is larger than the size limit of the cache")

// tempWriter remembers the errors of the directory, to tell them from the caller's.
type tempWriter struct {
	file file
	size int64 // written
	max  int64 // less than zero is no limit
	err  error
}

// Write writes to the file.
func (t *tempWriter) Write(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	if t.size += int64(len(p)); t.size > t.max && t.max >= 0 {
		t.err = errTooLarge
		return 0, t.err
	}
	n, err := t.file.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	t.err = err
	return n, err
}

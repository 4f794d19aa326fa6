package cache

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"time"
)

// Usage is a number of entries and their size.
type Usage struct {
	Entries int   // files
	Bytes   int64 // the length of these files, not of the disk's blocks
}

// A stored is a file below entries.
type stored struct {
	name string // entries/ab/abcd...
	size int64
	used time.Time
}

// Size returns the number and size of the entries, without temporary files. The error is
// [ErrUnavailable] or the context's cause.
func (d *Dir) Size(ctx context.Context) (Usage, error) {
	var u Usage
	err := d.walk(ctx, func(s stored) error {
		u.add(s)
		return nil
	})
	return u, err
}

// Verify reads every entry and calls problem for each that cannot be used. Like Get, it removes
// damaged entries and keeps those of another release. It returns how much it has read. An entry
// that another process removes meanwhile is not a problem; one that cannot be read ends Verify with
// [ErrUnavailable].
func (d *Dir) Verify(ctx context.Context, problem func(*Problem)) (Usage, error) {
	var u Usage
	err := d.walk(ctx, func(s stored) error {
		err := d.verify(s)
		var p *Problem
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.As(err, &p):
			if problem != nil {
				problem(p)
			}
		case err != nil:
			return err
		}
		u.add(s)
		return nil
	})
	return u, err
}

func (d *Dir) verify(s stored) error {
	f, info, err := d.openEntry(s.name)
	if f != nil {
		defer f.Close()
	}
	if err == nil {
		if key, ok := keyOf(path.Base(s.name)); ok {
			_, err = readEntry(f, info.Size(), key)
		} else {
			err = damaged("not the name of an entry")
		}
	}
	if errors.Is(err, ErrDamaged) {
		d.discard(s.name, info)
	}
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrVersion) {
		return &Problem{Path: s.name, Err: err}
	}
	return err
}

// Clear removes every entry, even one used recently, and the temporary files of dead processes. It
// does so even if the directory is in use: see [Dir.InUse]. It returns what it removed. The error is [ErrUnavailable] or the context's cause.
func (d *Dir) Clear(ctx context.Context) (Usage, error) {
	var u Usage
	err := d.walk(ctx, func(s stored) error {
		err := d.disk.Remove(s.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			u.add(s)
		}
		return err
	})
	if err == nil {
		d.sweep(d.transitName())
	}
	return u, err
}

// walk calls f for everything below entries that is no directory. It follows no link.
func (d *Dir) walk(ctx context.Context, f func(stored) error) error {
	if err := d.check(ctx); err != nil {
		return err
	}
	shards, err := readDir(d.disk, entriesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, shard := range shards {
		if err != nil {
			break
		}
		if shard.IsDir() {
			err = d.walkShard(ctx, entriesName+"/"+shard.Name(), f)
		}
	}
	if err != nil && ctx.Err() == nil {
		return unavailable(err)
	}
	return err
}

func (d *Dir) walkShard(ctx context.Context, shard string, f func(stored) error) error {
	files, err := readDir(d.disk, shard)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if e.IsDir() {
			continue
		}
		info, err := d.disk.Lstat(shard + "/" + e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := f(stored{shard + "/" + e.Name(), info.Size(), info.ModTime()}); err != nil {
			return err
		}
	}
	return nil
}

func (u *Usage) add(s stored) {
	u.Entries++
	u.Bytes += s.size
}

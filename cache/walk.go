package cache

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// Usage is what a directory holds.
type Usage struct {
	Entries int
	Bytes   int64 // of the files, not of the disk's blocks
}

// A stored is a file below entries.
type stored struct {
	name string // entries/ab/abcd...
	base string
	size int64
	used time.Time
}

// Size counts the entries. What is in transit does not count.
func (d *Dir) Size(ctx context.Context) (Usage, error) {
	var u Usage
	err := d.walk(ctx, func(s stored) error {
		u.Entries++
		u.Bytes += s.size
		return nil
	})
	return u, err
}

// Verify reads every entry, and calls problem for each that cannot be used: a
// damaged one is removed, as Get does, one of another release stays. It returns
// how much was read; entries that go meanwhile are no problem, one that cannot be
// read ends it with [ErrUnavailable].
func (d *Dir) Verify(ctx context.Context, problem func(*Problem)) (Usage, error) {
	var u Usage
	err := d.walk(ctx, func(s stored) error {
		err := d.verify(s)
		var p *Problem
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.As(err, &p):
			problem(p)
		case err != nil:
			return err
		}
		u.Entries++
		u.Bytes += s.size
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
		if key, ok := keyOf(s.base); ok {
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

// Clear removes every entry, also those that runs under way have used, which
// then miss them, and what dead runs have left. It returns what it removed.
func (d *Dir) Clear(ctx context.Context) (Usage, error) {
	var u Usage
	err := d.walk(ctx, func(s stored) error {
		err := d.disk.Remove(s.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			u.Entries++
			u.Bytes += s.size
		}
		return err
	})
	if err != nil {
		return u, err
	}
	err = d.others(d.runName(), func(name string, alive bool) {
		if !alive {
			_ = d.disk.RemoveAll(name)
		}
	})
	if err != nil {
		return u, unavailable(err)
	}
	return u, nil
}

// walk calls f for everything below entries that is no directory. It follows no
// link.
func (d *Dir) walk(ctx context.Context, f func(stored) error) error {
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
		if err := f(stored{shard + "/" + e.Name(), e.Name(), info.Size(), info.ModTime()}); err != nil {
			return err
		}
	}
	return nil
}

// runName is the name of the Dir's run, or empty.
func (d *Dir) runName() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run == nil {
		return ""
	}
	return d.run.name
}

package cache

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"
)

// A trim gives way to runs under way, unless the last one is so long ago: on a
// machine that is never idle it has to be done some time.
const giveWay = 24 * time.Hour

// Trimmed is what a trim has done.
type Trimmed struct {
	Removed Usage
	Left    Usage
	// Kept is the part of Left that is too old or too much, and stays because a
	// run has used it that is under way or was not finished.
	Kept Usage
	// Deferred: nothing was done, because runs of others are under way.
	Deferred bool
}

// Trim removes the entries that nobody used for Options.MaxAge, then those used
// longest ago until the rest is no more than Options.MaxSize, and what dead
// processes have left in transit. Call it between runs, after [Dir.Finish]: what
// a run has used that is under way, this Dir's included, or was cut short within
// the last week is never removed, and while other Dirs have runs under way no
// entry is, unless the last trim is more than a day ago.
//
// The time of an entry's last use is the file's modification time, precise to an
// hour. Age is not counted by a clock that has jumped: an entry whose time is in
// the future is not old, and a clock that has moved by more than two weeks since
// the last trim, or back, counts from the second trim on that it agrees with, at
// least a day later. The limit of size holds at any time.
func (d *Dir) Trim(ctx context.Context) (Trimmed, error) {
	now := d.options.Now()
	d.sweep(d.runName())
	last := d.readMark()
	m := last.next(now)
	needed, alive, err := d.needed(d.runName(), m.sure)
	if err != nil {
		return Trimmed{}, unavailable(err)
	}
	if gone := now.Sub(last.sure); alive > 0 && -slack <= gone && gone < giveWay {
		return Trimmed{Deferred: true}, nil
	}

	var t Trimmed
	var left []stored
	err = d.walk(ctx, func(s stored) error {
		if d.options.MaxAge < 0 || m.sure.IsZero() || m.sure.Sub(s.used) <= d.options.MaxAge {
			left = append(left, s)
			t.Left.add(s)
			return nil
		}
		t.Left.add(s)
		return d.trim(&t, s, needed)
	})
	if err != nil {
		return t, err
	}
	slices.SortFunc(left, func(a, b stored) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name))
	})
	for _, s := range left {
		if d.options.MaxSize < 0 || t.Left.Bytes <= d.options.MaxSize {
			break
		}
		if ctx.Err() != nil {
			return t, context.Cause(ctx)
		}
		if err := d.trim(&t, s, needed); err != nil {
			return t, unavailable(err)
		}
	}
	if err := d.writeMark(m); err != nil {
		return t, unavailable(err)
	}
	return t, nil
}

// trim removes an entry, unless it is needed or was used since it was looked at.
func (d *Dir) trim(t *Trimmed, s stored, needed map[[32]byte]bool) error {
	if key, ok := keyOf(s.base); ok && needed[key] {
		t.Kept.add(s)
		return nil
	}
	info, err := d.disk.Lstat(s.name)
	if err == nil && !info.ModTime().Equal(s.used) {
		return nil
	}
	if err == nil {
		err = d.disk.Remove(s.name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // somebody else did it
	case err != nil:
		return err
	default:
		t.Removed.add(s)
	}
	t.Left.Entries--
	t.Left.Bytes -= s.size
	return nil
}

func (u *Usage) add(s stored) {
	u.Entries++
	u.Bytes += s.size
}

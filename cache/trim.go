package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"
)

const (
	// Put trims again after so long.
	trimInterval = time.Hour
	// What was used within this time never goes by age, nor, below twice the limit, by size. The
	// time of the last use is known to refreshAfter.
	leastAge   = 7*24*time.Hour + refreshAfter
	recentTime = 24*time.Hour + refreshAfter
)

// Trimmed is the result of a trim.
type Trimmed struct {
	Removed Usage // by this trim
	Left    Usage // in the directory, after it
	// Over is how many bytes Left is above [Options.MaxSize], because all of it was used in the
	// last 24 hours.
	Over int64
}

// Trim removes the entries that were not used for [Options.MaxAge]. While the rest is larger than
// [Options.MaxSize], it then removes the least recently used entry. It removes an entry used in the
// last 24 hours only while the directory holds more than twice MaxSize. It never removes an entry
// used in the last seven days because of its age. It also removes the temporary files of dead
// processes. There is no need to call Trim: see [Dir.Put].
//
// The time of the last use is the modification time of the file, precise to an hour. A clock that
// jumps does not make entries old. An entry with a time in the future is not old. If the clock has
// gone back, or forward by more than two weeks, since the last trim, Trim keeps the old time until
// a second trim, at least a day later, confirms the new one. In the first day of a new directory
// nothing is old.
//
// The error is [ErrUnavailable] or the context's cause; [Trimmed] has what was removed before it.
func (d *Dir) Trim(ctx context.Context) (Trimmed, error) {
	if err := d.check(ctx); err != nil {
		return Trimmed{}, err
	}
	recent := int64(math.MaxInt64)
	if d.options.MaxSize <= math.MaxInt64/2 {
		recent = 2 * d.options.MaxSize
	}
	return d.trim(ctx, d.options.MaxSize, recent)
}

// TrimTo is like [Dir.Trim], but with maxSize bytes as a strict limit: it also removes entries used
// in the last 24 hours, even if the directory is in use: see [Dir.InUse]. Zero removes everything; a
// negative maxSize means no limit.
func (d *Dir) TrimTo(ctx context.Context, maxSize int64) (Trimmed, error) {
	return d.trim(ctx, maxSize, maxSize)
}

// trim removes by age, and then by size: down to recentMax bytes all entries, down to maxSize those
// that were not used recently.
func (d *Dir) trim(ctx context.Context, maxSize, recentMax int64) (Trimmed, error) {
	if err := d.check(ctx); err != nil {
		return Trimmed{}, err
	}
	now := d.options.now()
	m := d.readMark().next(now)
	_ = d.disk.Chtimes(markName, now, now) // so that others do not begin the same now
	d.sweep(d.transitName())

	var t Trimmed
	err := d.walk(ctx, func(s stored) error {
		t.Left.add(s)
		if d.options.MaxAge < 0 || m.age(s.used) <= max(d.options.MaxAge, leastAge) {
			return nil
		}
		return d.remove(&t, s, false)
	})
	if err == nil && maxSize >= 0 && t.Left.Bytes > maxSize {
		err = d.trimSize(ctx, &t, m, maxSize, recentMax)
	}
	if err == nil {
		err = d.writeMark(m, now)
	}
	if err != nil && ctx.Err() == nil {
		err = unavailable(err)
	}
	return t, err
}

// trimSize counts anew what is left: a directory within its limit is never listed in memory.
func (d *Dir) trimSize(ctx context.Context, t *Trimmed, m mark, maxSize, recentMax int64) error {
	var entries []stored
	t.Left = Usage{}
	err := d.walk(ctx, func(s stored) error {
		entries = append(entries, s)
		t.Left.add(s)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b stored) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name))
	})
	for _, s := range entries {
		if t.Left.Bytes <= maxSize {
			return nil
		}
		if t.Left.Bytes <= recentMax && m.age(s.used) <= recentTime {
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := d.remove(t, s, maxSize == recentMax); err != nil {
			return err
		}
	}
	t.Over = max(0, t.Left.Bytes-maxSize)
	return nil
}

// remove removes an entry. Without always it stays where it was used since it was looked at.
func (d *Dir) remove(t *Trimmed, s stored, always bool) error {
	info, err := d.disk.Lstat(s.name)
	if err == nil && !always && !info.ModTime().Equal(s.used) {
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

// trimIfDue trims after a Put of size bytes where it is time to, and again where other Puts have made
// it so meanwhile.
func (d *Dir) trimIfDue(ctx context.Context, size int64) {
	for ; d.beginTrim(size); size = 0 {
		trimmed, err := d.Trim(ctx)
		d.mu.Lock()
		d.trimming, d.nextTrim = false, d.options.now().Add(trimInterval)
		d.mu.Unlock()
		switch {
		case err != nil && ctx.Err() == nil:
			_ = d.warnUnavailable(err) // the entry is stored all the same
		case trimmed.Over > 0:
			d.warnedSize.Do(func() {
				d.options.Warn(fmt.Errorf("the cache holds %d bytes, and its limit is %d: all its entries were used in the last 24 hours, "+
					"so it may grow to twice the limit before anything is removed", trimmed.Left.Bytes, d.options.MaxSize))
			})
		}
	}
}

// beginTrim reports whether a trim is due that no other Put of this Dir is at.
func (d *Dir) beginTrim(size int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.added += size
	now := d.options.now()
	much := d.options.MaxSize > 0 && d.added > d.options.MaxSize/10
	if d.trimming || !much && notDue(now, d.nextTrim) {
		return false
	}
	d.added = 0
	if !much {
		if info, err := d.disk.Lstat(markName); err == nil {
			if next := info.ModTime().Add(trimInterval); notDue(now, next) { // others trim too
				d.nextTrim = next
				return false
			}
		}
	}
	d.trimming = true
	return true
}

// notDue reports whether next is still to come. It is not when the clock was set back far.
func notDue(now, next time.Time) bool {
	wait := next.Sub(now)
	return 0 < wait && wait <= trimInterval+slack
}

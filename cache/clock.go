package cache

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// A mark is what the cache knows of the time. Every trim writes it for the next one. Age is counted
// up to the time that it is sure of, which follows a clock that jumps only later. So a clock that
// is wrong for a while, ahead or behind, makes nothing old.
type mark struct {
	sure    time.Time // surely reached; zero: nothing is old
	doubted time.Time // a clock's time after a jump, for a later trim to confirm
}

const (
	// A clock that went on for no more than this since the last trim is believed.
	step = 14 * 24 * time.Hour
	// One that jumped is believed by the first trim that finds it so much later. A clock that is
	// wrong by years does not stay so: no certificate is valid then.
	confirmed = 24 * time.Hour
	// Clocks are set back by a little all the time.
	slack = time.Hour
)

// No clock that is right is before this; that of a machine with an empty battery is.
var earliest = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// next is the mark after a trim at a time.
func (m mark) next(now time.Time) mark {
	elapsed := now.Sub(m.sure)
	switch {
	case now.Before(earliest):
		return m
	case !m.sure.IsZero() && -slack <= elapsed && elapsed <= step:
		return mark{sure: later(m.sure, now)}
	case m.doubted.IsZero() || now.Before(m.doubted):
		return mark{sure: m.sure, doubted: now}
	case now.Sub(m.doubted) < confirmed:
		return m
	case now.Sub(m.doubted) <= step:
		return mark{sure: now}
	}
	return mark{sure: m.doubted, doubted: now}
}

// age is how long ago an entry was used, as far as the mark is sure of the time.
func (m mark) age(used time.Time) time.Duration {
	if m.sure.IsZero() {
		return 0
	}
	return m.sure.Sub(used)
}

// stamp is the time that is written to files. It is never before the mark, so that what is used
// under a clock that is behind is not old when the clock is right again.
func (d *Dir) stamp() time.Time {
	return later(d.options.now(), later(d.clock.sure, earliest))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// readMark reads the mark; one that cannot be read is none.
func (d *Dir) readMark() mark {
	f, err := d.disk.OpenFile(markName, os.O_RDONLY, 0)
	if err != nil {
		return mark{}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return mark{}
	}
	return parseMark(text)
}

func parseMark(text []byte) (m mark) {
	lines := bytes.Split(text, []byte("\n"))
	if len(lines) != 3 || len(lines[2]) != 0 { // two lines, each with its end
		return mark{}
	}
	if m.sure.UnmarshalText(lines[0]) != nil || m.doubted.UnmarshalText(lines[1]) != nil {
		return mark{}
	}
	return m
}

func (m mark) text() string {
	return m.sure.UTC().Format(time.RFC3339) + "\n" + m.doubted.UTC().Format(time.RFC3339) + "\n"
}

// writeMark writes the mark for the next trim, and the time of this one as its modification time.
// Of two trims at once, one mark stays.
func (d *Dir) writeMark(m mark, now time.Time) error {
	f, err := d.disk.OpenFile(markTemp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, m.text())
	if err == nil {
		err = d.sync(f)
	}
	if err := cmp.Or(err, f.Close()); err != nil {
		return err
	}
	_ = d.disk.Chtimes(markTemp, now, now) // else it has the time of writing, which is as good
	if err := d.disk.Rename(markTemp, markName); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // another trim has renamed it
}

package cache

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"time"
)

// A mark is what the cache knows of the time: it is written by every trim, and
// read by the next one. Age is counted up to the time that it is sure of, which
// follows the clock at a distance where the clock jumps. So a clock that is wrong
// for a while, ahead or behind, makes nothing old.
type mark struct {
	sure    time.Time // surely reached; zero: nothing is old
	doubted time.Time // a clock's time after a jump, for a later trim to confirm
}

const (
	// A clock that went on for no more than this since the last trim is believed.
	step = 14 * 24 * time.Hour
	// One that jumped is believed from the trim on that finds it gone on for so
	// long. A clock that is wrong by years does not stay so: no certificate is
	// valid then.
	confirmed = 24 * time.Hour
	// Clocks are set back by a little all the time.
	slack = time.Hour
)

// No right clock is before this: those are of machines with an empty battery.
var earliest = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// next is the mark after a trim at a time.
func (m mark) next(now time.Time) mark {
	gone := now.Sub(m.sure)
	switch {
	case now.Before(earliest):
		return m
	case !m.sure.IsZero() && -slack <= gone && gone <= step:
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

// stamp is the time that is written to files: never before the mark, so that
// what is used under a clock that is behind is not old when it is right again.
func (d *Dir) stamp() time.Time {
	return later(d.options.Now(), later(d.clock.sure, earliest))
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

// writeMark writes the mark for the next trim. Of two at once one stays.
func (d *Dir) writeMark(m mark) error {
	f, err := d.disk.OpenFile(markTemp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, m.text())
	if err == nil {
		err = f.Sync()
	}
	if err := cmp.Or(err, f.Close()); err != nil {
		return err
	}
	return d.disk.Rename(markTemp, markName)
}

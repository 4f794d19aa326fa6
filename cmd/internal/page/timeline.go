package page

import (
	"slices"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// A timeline is what happened to one document, within limits. Its methods do nothing on a nil
// timeline, of a document that is not followed.
type timeline struct {
	id       string
	name     string
	from, to time.Duration // since the run's start
	elapsed  time.Duration
	failed   bool
	rows     []*row
	marks    int // in the rows
	leftOut  int // beyond the limit
	outcome  *Outcome
}

// A row is a chunk of a document.
type row struct {
	first, last int // pages; zero where the document goes whole
	marks       []mark
	stop        retry.Stop
	stopped     bool
}

// A mark is a stretch of time of a chunk.
type mark struct {
	class    class
	open     bool // it goes on
	from, to time.Duration
	status   int
	kind     retry.Kind
	rule     string
}

// A class is what a mark looks like.
type class string

// The classes.
const (
	ok       class = "ok"
	again    class = "again" // an answer after which the request was repeated
	bad      class = "bad"
	wait     class = "wait"
	cached   class = "cached"
	underWay class = "open" // no answer
)

// find is the row of an event's pages, nil where there is none.
func (t *timeline) find(e partition.Event) *row {
	if t == nil {
		return nil
	}
	i := slices.IndexFunc(t.rows, func(r *row) bool { return r.first == e.Pages.First && r.last == e.Pages.Last })
	if i < 0 {
		return nil
	}
	return t.rows[i]
}

// add begins a mark.
func (t *timeline) add(e partition.Event, m mark) {
	switch {
	case t == nil:
		return
	case t.marks >= maxMarksDocument:
		t.leftOut++
		return
	}
	r := t.find(e)
	if r == nil {
		r = &row{first: e.Pages.First, last: e.Pages.Last}
		t.rows = append(t.rows, r)
	}
	t.marks++
	r.marks = append(r.marks, m)
}

// end closes what a chunk has open.
func (t *timeline) end(e partition.Event, at time.Duration) {
	if m := t.find(e).current(); m != nil && m.open {
		m.open, m.to = false, at
	}
}

// current is a row's last mark.
func (r *row) current() *mark {
	if r == nil || len(r.marks) == 0 {
		return nil
	}
	return &r.marks[len(r.marks)-1]
}

// answer closes an attempt.
func (t *timeline) answer(e partition.Event, at time.Duration, c class) {
	m := t.find(e).current()
	if m == nil || !m.open || m.class != underWay {
		return // left out
	}
	m.open, m.to, m.class = false, at, c
	m.status, m.kind, m.rule = e.Attempt.Status, e.Attempt.Error, e.Attempt.Rule
}

// repeat notes that the last answer is not the end.
func (t *timeline) repeat(e partition.Event) {
	if m := t.find(e).current(); m != nil && m.class == bad {
		m.class = again
	}
}

// stop notes that a chunk is given up, and why.
func (t *timeline) stop(e partition.Event, at time.Duration) {
	t.end(e, at)
	if r := t.find(e); r != nil {
		r.stopped, r.stop = true, e.Attempt.Stop
	}
}

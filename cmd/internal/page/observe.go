package page

import (
	"cmp"
	"slices"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// Observe takes an event of the client; it is the client's observer, or called by it with every
// event.
func (r *Run) Observe(e partition.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := time.Since(r.start)
	r.last = max(r.last, at)
	t := r.live[idOf(e)] // nil where it is not followed; a timeline's methods bear it
	switch e.Kind {
	case partition.DocumentStart:
		if t == nil {
			r.live[idOf(e)] = &timeline{id: idOf(e), name: e.Document, from: at}
		}
	case partition.ChunkStart:
		if e.Cached {
			t.add(e, mark{class: cached, from: at, to: at})
		}
	case partition.ChunkEnd:
		delete(r.waits, chunkOf(e))
		t.end(e, at)
	case partition.AttemptEvent:
		r.attempt(t, e, at)
	case partition.DocumentEnd:
		delete(r.live, idOf(e))
		if t != nil {
			t.to, t.elapsed = at, e.Elapsed
			r.keep(t, e.Err != nil && partition.KindOf(e.Err) != partition.KindCanceled)
		}
	}
}

// attempt takes an event of the retry core.
func (r *Run) attempt(t *timeline, e partition.Event, at time.Duration) {
	a := e.Attempt
	switch a.Kind {
	case retry.EventAttempt:
		if w, repeats := r.waits[chunkOf(e)]; repeats {
			delete(r.waits, chunkOf(e))
			rule := r.rule(w.rule)
			rule.retries++
			rule.waited += at - w.from
		}
		t.end(e, at) // of a wait
		t.add(e, mark{class: underWay, from: at, open: true})
	case retry.EventAnswer:
		class := bad
		if a.Error == "" && a.Status >= 200 && a.Status < 300 {
			class = ok
		}
		t.answer(e, at, class)
		r.overview.add(at, class == ok)
		r.answers[answerKey{a.Status, a.Error}]++
	case retry.EventSleep:
		t.repeat(e)
		t.add(e, mark{class: wait, from: at, rule: a.Rule, open: true})
		r.waits[chunkOf(e)] = pause{a.Rule, at}
	case retry.EventStop:
		delete(r.waits, chunkOf(e))
		t.stop(e, at)
		r.rule(a.Rule).gaveUp++
	case retry.EventClosed, retry.EventOpened:
		r.gate(a, at)
	}
}

func (r *Run) rule(name string) *ruleCount {
	rule := r.rules[name]
	if rule == nil {
		rule = &ruleCount{}
		r.rules[name] = rule
	}
	return rule
}

// gate notes when every request had to wait.
func (r *Run) gate(e retry.Event, at time.Duration) {
	closes := e.Kind == retry.EventClosed
	if closes == r.closed {
		return
	}
	r.closed = closes
	last := len(r.closings) - 1
	switch {
	case !closes && r.closings[last].open:
		r.closings[last].to, r.closings[last].open = at, false
	case closes && len(r.closings) < maxClosings:
		r.closings = append(r.closings, closing{from: at, open: true, rule: e.Rule})
	case closes:
		r.moreClosings++
	}
}

// keep decides whether the timeline of a document that has ended is drawn.
func (r *Run) keep(t *timeline, failed bool) {
	r.ended++
	t.name = shorten(t.name, maxStringBytes)
	t.failed = failed
	if failed && len(r.failed) < maxFailedDrawn {
		r.failed = append(r.failed, t)
	} else if failed {
		r.undrawn++
	}
	i, _ := slices.BinarySearchFunc(r.slowest, t, func(a, b *timeline) int {
		return cmp.Or(cmp.Compare(b.elapsed, a.elapsed), cmp.Compare(a.name, b.name))
	})
	if i == maxSlowest {
		return
	}
	r.slowest = slices.Insert(r.slowest, i, t)
	if len(r.slowest) > maxSlowest {
		clear(r.slowest[maxSlowest:])
		r.slowest = r.slowest[:maxSlowest]
	}
}

// idOf tells documents of one name apart.
func idOf(e partition.Event) string { return cmp.Or(e.ID, e.Document) }

// A chunkKey is a chunk of a document, by its pages.
type chunkKey struct {
	document    string
	first, last int
}

func chunkOf(e partition.Event) chunkKey { return chunkKey{idOf(e), e.Pages.First, e.Pages.Last} }

// A pause is a wait before a retry.
type pause struct {
	rule string
	from time.Duration
}

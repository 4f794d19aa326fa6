package retry

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// queue lets attempts out, one queue for a client: the head waits for the gate, then the pacer,
// then a free slot of the limit. Calls that have begun come before those that have not; among each,
// first come, first served. One timer and the events that free something pump the queue; nothing
// polls.
type queue struct {
	limit *Limiter // nil is no limit
	rand  func() float64

	mu        sync.Mutex
	gate      gate
	pacer     pacer
	returning []*waiter // calls that have begun
	fresh     []*waiter
	timer     *time.Timer
}

type waiter struct {
	ready chan struct{} // closed after slot was set
	slot  *Slot
}

// A waitLimit is how long a waiter waits at the gate; 0 is no limit.
type waitLimit struct {
	until  time.Time     // for a call that has begun
	outage time.Duration // for one that has not: the longest outage
}

// stopError is a wait that a limit ended.
type stopError struct {
	stop Stop
	text string
}

func (e *stopError) Error() string { return e.text }

func hardElapsed() error {
	return &stopError{stopHardElapsed, "the time budget ended while waiting to send"}
}

// admit waits for a slot.
func (q *queue) admit(life lifetime, begun bool, limit waitLimit) (*Slot, error) {
	if err := life.ended(); err != nil {
		return nil, err
	}
	arrived := time.Now()
	q.mu.Lock()
	if len(q.returning) == 0 && (begun || len(q.fresh) == 0) {
		if slot, _ := q.try(); slot != nil {
			q.mu.Unlock()
			return slot, nil
		}
	}
	if err := q.hopeless(arrived, arrived, begun, limit); err != nil {
		q.mu.Unlock()
		return nil, err
	}
	w := &waiter{ready: make(chan struct{})}
	if begun {
		q.returning = append(q.returning, w)
	} else {
		q.fresh = append(q.fresh, w)
	}
	q.pumpLocked()
	q.mu.Unlock()

	check := limit.outage
	if !limit.until.IsZero() {
		check = limit.until.Sub(arrived)
	}
	var tick <-chan time.Time
	if check > 0 {
		t := time.NewTimer(check)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-w.ready:
			if !limit.until.IsZero() && !time.Now().Before(limit.until) {
				w.slot.Release()
				return nil, hardElapsed()
			}
			return w.slot, nil
		case <-life.ctx.Done():
			q.leave(w)
			return nil, life.ended()
		case <-life.stopped():
			q.leave(w)
			return nil, life.ended()
		case now := <-tick:
			q.mu.Lock()
			err := q.hopeless(now, arrived, begun, limit)
			since := later(arrived, q.gate.closedAt)
			q.mu.Unlock()
			if err != nil {
				q.leave(w)
				return nil, err
			}
			again := limit.outage
			if d := since.Add(limit.outage).Sub(now); d > 0 {
				again = d
			}
			t := time.NewTimer(again)
			defer t.Stop()
			tick = t.C
		}
	}
}

// hopeless returns the error of a waiter that need not wait any longer.
func (q *queue) hopeless(now, arrived time.Time, begun bool, limit waitLimit) error {
	if begun {
		if !limit.until.IsZero() && !later(now, q.gate.until).Before(limit.until) {
			return hardElapsed()
		}
		return nil
	}
	closed := q.gate.closedAt
	if limit.outage <= 0 || closed.IsZero() || now.Sub(closed) < limit.outage ||
		now.Sub(arrived) < limit.outage && arrived.Sub(closed) < limit.outage {
		return nil
	}
	return &stopError{stopOutage, fmt.Sprintf("the server has been out of reach for %s", roundSpan(now.Sub(closed)))}
}

// leave takes a waiter that gives up out of the queue.
func (q *queue) leave(w *waiter) {
	q.mu.Lock()
	is := func(v *waiter) bool { return v == w }
	q.returning = slices.DeleteFunc(q.returning, is)
	q.fresh = slices.DeleteFunc(q.fresh, is)
	q.pumpLocked()
	slot := w.slot
	q.mu.Unlock()
	slot.Release()
}

func (q *queue) pump() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pumpLocked()
}

// pumpLocked admits waiters for as long as it can.
func (q *queue) pumpLocked() {
	for {
		waiting := &q.returning
		if len(*waiting) == 0 {
			waiting = &q.fresh
		}
		if len(*waiting) == 0 {
			if q.timer != nil {
				q.timer.Stop()
			}
			return
		}
		slot, again := q.try()
		if slot == nil {
			if again > 0 {
				if q.timer == nil {
					q.timer = time.AfterFunc(again, q.pump)
				} else {
					q.timer.Reset(again)
				}
			}
			return
		}
		w := (*waiting)[0]
		*waiting = (*waiting)[1:]
		w.slot = slot
		close(w.ready)
	}
}

// try admits one attempt now, or returns after how long to try again; 0 is when something is freed.
func (q *queue) try() (slot *Slot, again time.Duration) {
	now := time.Now()
	d, pace := q.gate.delay(now), q.pacer.delay(now)
	if d > 0 || pace != 0 {
		return nil, max(d, pace, 0)
	}
	if q.limit != nil && !q.limit.take(q) {
		return nil, 0
	}
	slot = &Slot{queue: q}
	slot.probe, slot.reopened = q.gate.admitted(now, q.rand())
	q.pacer.admitted(now)
	return slot, 0
}

// pace turns pacing on.
func (q *queue) pace() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pacer.on = true
}

// judge tells the gate, the pacer and the limit how an attempt that started at the given time has
// ended.
func (q *queue) judge(s *Slot, call uint64, started time.Time, d *decision, o *observation) (closed, opened bool) {
	if o.Kind == KindCanceled {
		return false, false
	}
	now := time.Now()
	q.mu.Lock()
	s.judged = true
	if o.Status != 0 {
		q.pacer.learn(now, o.Header, d.asked)
	} else {
		q.pacer.ended()
	}
	switch {
	case d.outage:
		closed = q.gate.failed(now, call, s.probe)
	case o.Status != 0:
		opened = q.gate.alive(now)
	case s.probe:
		q.gate.abandoned(now)
	}
	if d.asked > 0 && d.action != Return && q.gate.hold(now.Add(d.asked)) {
		closed = true
	}
	q.pumpLocked()
	q.mu.Unlock()
	if q.limit != nil {
		switch {
		case o.pressure() && !d.final:
			q.limit.pressure(started, now)
		case o.success():
			q.limit.good()
		}
	}
	return closed, opened
}

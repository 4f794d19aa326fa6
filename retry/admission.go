package retry

import (
	"context"
	"slices"
	"sync"
	"time"
)

// admission lets attempts out, one queue for a client: the head waits for the
// gate, then the pacer, then a free slot of the limit. Calls that have begun come
// before those that have not; among each, first come, first served. One
// timer and the events that free something pump the queue; nothing polls.
type admission struct {
	limit *Limiter // nil is no limit
	rand  func() float64

	mu        sync.Mutex
	gate      gate
	pacer     pacer
	returning []*waiter
	fresh     []*waiter
	timer     *time.Timer
}

type waiter struct {
	ready chan struct{} // closed after slot was set
	slot  *Slot
}

// admit waits for a slot.
func (a *admission) admit(ctx context.Context, begun bool, p patience) (*Slot, error) {
	if ctx.Err() != nil {
		return nil, canceled(ctx)
	}
	arrived := time.Now()
	a.mu.Lock()
	if len(a.returning) == 0 && (begun || len(a.fresh) == 0) {
		if slot, _ := a.try(); slot != nil {
			a.mu.Unlock()
			return slot, nil
		}
	}
	if err := a.hopeless(arrived, arrived, begun, p); err != nil {
		a.mu.Unlock()
		return nil, err
	}
	w := &waiter{ready: make(chan struct{})}
	if begun {
		a.returning = append(a.returning, w)
	} else {
		a.fresh = append(a.fresh, w)
	}
	a.pumpLocked()
	a.mu.Unlock()

	check := p.outage
	if !p.until.IsZero() {
		check = p.until.Sub(arrived)
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
			if !p.until.IsZero() && !time.Now().Before(p.until) {
				w.slot.Release()
				return nil, hardElapsed()
			}
			return w.slot, nil
		case <-ctx.Done():
			a.leave(w)
			return nil, canceled(ctx)
		case now := <-tick:
			a.mu.Lock()
			err := a.hopeless(now, arrived, begun, p)
			since := later(arrived, a.gate.closedAt)
			a.mu.Unlock()
			if err != nil {
				a.leave(w)
				return nil, err
			}
			again := p.outage
			if d := since.Add(p.outage).Sub(now); d > 0 {
				again = d
			}
			t := time.NewTimer(again)
			defer t.Stop()
			tick = t.C
		}
	}
}

// leave takes a waiter that gives up out of the queue.
func (a *admission) leave(w *waiter) {
	a.mu.Lock()
	is := func(v *waiter) bool { return v == w }
	a.returning = slices.DeleteFunc(a.returning, is)
	a.fresh = slices.DeleteFunc(a.fresh, is)
	a.pumpLocked()
	slot := w.slot
	a.mu.Unlock()
	slot.Release()
}

func (a *admission) pump() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pumpLocked()
}

// pumpLocked admits waiters for as long as it can.
func (a *admission) pumpLocked() {
	for {
		queue := &a.returning
		if len(*queue) == 0 {
			queue = &a.fresh
		}
		if len(*queue) == 0 {
			if a.timer != nil {
				a.timer.Stop()
			}
			return
		}
		slot, again := a.try()
		if slot == nil {
			if again > 0 {
				if a.timer == nil {
					a.timer = time.AfterFunc(again, a.pump)
				} else {
					a.timer.Reset(again)
				}
			}
			return
		}
		w := (*queue)[0]
		*queue = (*queue)[1:]
		w.slot = slot
		close(w.ready)
	}
}

// try admits one attempt now, or returns after how long to try again; 0 is when
// something is freed.
func (a *admission) try() (slot *Slot, again time.Duration) {
	now := time.Now()
	d, pace := a.gate.delay(now), a.pacer.delay(now)
	if d > 0 || pace != 0 {
		return nil, max(d, pace, 0)
	}
	if a.limit != nil && !a.limit.take(a) {
		return nil, 0
	}
	slot = &Slot{a: a}
	slot.probe, slot.reopened = a.gate.admitted(now, a.rand())
	a.pacer.admitted(now)
	return slot, 0
}

// pace turns pacing on.
func (a *admission) pace() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pacer.on = true
}

// judge tells the gate, the pacer and the limit how an attempt that started at
// the given time has ended.
func (a *admission) judge(s *Slot, call uint64, started time.Time, d *Decision, o *Observation) (closed, opened bool) {
	if o.Kind == KindCanceled {
		return false, false
	}
	now := time.Now()
	a.mu.Lock()
	s.judged = true
	if o.Status != 0 {
		a.pacer.learn(now, o.Header, d.Asked)
	} else {
		a.pacer.ended()
	}
	switch {
	case d.Outage:
		closed = a.gate.failed(now, call, s.probe)
	case o.Status != 0:
		opened = a.gate.alive(now)
	case s.probe:
		a.gate.abandoned(now)
	}
	if d.Asked > 0 && d.Action != Return && a.gate.hold(now.Add(d.Asked)) {
		closed = true
	}
	a.pumpLocked()
	a.mu.Unlock()
	if a.limit != nil {
		switch {
		case o.pressure() && !d.Final:
			a.limit.pressure(started, now)
		case o.Success():
			a.limit.good()
		}
	}
	return closed, opened
}

// pressure reports whether the outcome speaks for sending less at a time.
func (o *Observation) pressure() bool {
	switch o.Status {
	case 429, 502, 503, 504:
		return true
	}
	return o.Kind == KindReset || o.Kind == KindLost
}

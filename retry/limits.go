package retry

import (
	"context"
	"sync"
	"time"
)

// limits ends an attempt that takes too long to its answer's header or in all, or whose body comes
// too slowly, by the cause of its context. One timer serves all waits. Setting a timer is dear, it
// may wake a thread: one that is pending is left alone, and set anew if it turns out to have fired
// too early.
type limits struct {
	cancel  context.CancelCauseFunc
	budget  *Budget
	attempt int
	silent  func(attempt int) // called once, after Budget.Silence

	mu    sync.Mutex
	timer *time.Timer
	at    time.Time // when the timer fires; zero is never
	due   time.Time // when the wait is over; zero is no wait
	stage stage
	ends  time.Time // of the wait for the header; zero is no limit
	began time.Time // when the wait for the header began

	left  time.Duration // of the whole attempt, without the time in which nothing is waited for
	idle  time.Duration // that the body may still be waited for, until leastBody bytes have come
	since time.Time     // when the wait for the body began
	came  int           // of the body, since idle was whole
}

// leastBody is how many bytes of a body must come within the idle limit: a body of a byte now and
// then would have no end.
const leastBody = 1 << 10

type stage int8

const (
	stageSilence stage = iota
	stageHeaders
	stageIdle
	stageWhole
)

// start begins the wait for the header of an attempt that is that old.
func (l *limits) start(now time.Time, age time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.began, l.left = now, l.budget.WholeAttempt-age
	if l.budget.ToHeaders > 0 {
		l.ends = now.Add(l.budget.ToHeaders - age)
	}
	if whole := now.Add(l.left); l.budget.WholeAttempt > 0 && (l.ends.IsZero() || whole.Before(l.ends)) {
		l.ends = whole
	}
	if wait := l.budget.Silence - age; wait > 0 && (l.ends.IsZero() || now.Add(wait).Before(l.ends)) {
		l.arm(stageSilence, now, wait)
	} else if !l.ends.IsZero() {
		l.arm(stageHeaders, now, l.ends.Sub(now))
	}
}

// header ends the wait for the header.
func (l *limits) header() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due, l.idle = time.Time{}, l.budget.BodyIdle
	l.left -= time.Since(l.began)
}

// wait begins the wait for bytes of the body.
func (l *limits) wait() {
	if !l.boundsBody() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = time.Now()
	if l.budget.WholeAttempt > 0 && (l.budget.BodyIdle == 0 || l.left < l.idle) {
		l.arm(stageWhole, l.since, l.left)
	} else {
		l.arm(stageIdle, l.since, l.idle)
	}
}

func (l *limits) boundsBody() bool { return l.budget.BodyIdle > 0 || l.budget.WholeAttempt > 0 }

// got ends the wait for bytes of the body: so many came.
func (l *limits) got(n int) {
	if !l.boundsBody() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = time.Time{}
	waited := time.Since(l.since)
	l.idle, l.left = l.idle-waited, l.left-waited
	if l.came += n; l.came >= leastBody {
		l.came, l.idle = 0, l.budget.BodyIdle
	}
}

// close ends the attempt.
func (l *limits) close() {
	l.mu.Lock()
	l.due = time.Time{}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.cancel(nil)
}

func (l *limits) arm(s stage, now time.Time, wait time.Duration) {
	l.stage, l.due = s, now.Add(wait)
	if !l.at.IsZero() && !l.at.After(l.due) {
		return
	}
	l.at = l.due
	if l.timer == nil {
		l.timer = time.AfterFunc(wait, l.fire)
	} else {
		l.timer.Reset(wait)
	}
}

func (l *limits) fire() {
	if l.expired() {
		l.silent(l.attempt)
	}
}

// expired ends the attempt, or reports that it has been silent.
func (l *limits) expired() (silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.at = time.Time{}
	if l.due.IsZero() {
		return false
	}
	if now.Before(l.due) {
		l.arm(l.stage, now, l.due.Sub(now))
		return false
	}
	l.due = time.Time{}
	switch l.stage {
	case stageSilence:
		if !l.ends.IsZero() {
			l.arm(stageHeaders, now, l.ends.Sub(now))
		}
		return true
	case stageHeaders:
		if whole := l.budget.WholeAttempt; whole > 0 && (l.budget.ToHeaders == 0 || whole < l.budget.ToHeaders) {
			l.cancel(wholeLimit(whole))
		} else {
			l.cancel(headersLimit(l.budget.ToHeaders))
		}
	case stageWhole:
		l.cancel(wholeLimit(l.budget.WholeAttempt))
	case stageIdle:
		l.cancel(idleLimit(l.budget.BodyIdle))
	}
	return false
}

package retry

import (
	"fmt"
	"time"
)

// patience is how long a waiter waits at the gate.
type patience struct {
	until  time.Time     // for a call that has begun; zero is no limit
	outage time.Duration // for one that has not: the longest outage; 0 is no limit
}

// stopError is a wait that a budget ended.
type stopError struct {
	stop Stop
	text string
}

func (e *stopError) Error() string { return e.text }

// hopeless returns the error of a waiter that need not wait any longer.
func (a *admission) hopeless(now, arrived time.Time, begun bool, p patience) error {
	if begun {
		if !p.until.IsZero() && !later(now, a.gate.until).Before(p.until) {
			return hardElapsed()
		}
		return nil
	}
	closed := a.gate.closedAt
	if p.outage <= 0 || closed.IsZero() || now.Sub(closed) < p.outage ||
		now.Sub(arrived) < p.outage && arrived.Sub(closed) < p.outage {
		return nil
	}
	return &stopError{StopOutage, fmt.Sprintf("the server has been out of reach for %s", roundSpan(now.Sub(closed)))}
}

func hardElapsed() error {
	return &stopError{StopHardElapsed, "the time budget ended while waiting to send"}
}

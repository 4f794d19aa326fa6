package retry

import (
	"context"
	"sync/atomic"
	"time"
)

// Slot is an admission for one attempt.
type Slot struct {
	queue    *queue
	probe    bool
	reopened bool // the first after a hold
	judged   bool // its outcome is known to the gate; guarded by queue.mu
	released atomic.Bool
}

// Admit waits until an attempt may be sent: until the gate is open, the pacer's time has come and
// the limit has a free slot. First come, first served, after the calls that have begun. Use it to
// prepare a request no sooner than it can be sent, and hand the slot to [Call.Slot], or release it.
//
// The error is an *[Error]. It unwraps to the end of the context, or is stopped by "outage": the
// server stayed out of reach for the policy's [Budget.HardElapsed], or had been already when Admit
// was called.
func (c *Client) Admit(ctx context.Context) (*Slot, error) {
	c.init()
	slot, err := c.queue.admit(lifetime{ctx: ctx}, false, waitLimit{outage: c.policy.Budget.HardElapsed})
	if err != nil {
		return nil, &Error{Trace: Trace{Stop: string(stopOf(err))}, err: err}
	}
	return slot, nil
}

// Release gives the slot back. Only the first call counts; nil is allowed. It is safe for
// concurrent use.
func (s *Slot) Release() {
	if s == nil || s.released.Swap(true) {
		return
	}
	q := s.queue
	q.mu.Lock()
	if !s.judged {
		q.pacer.ended()
		if s.probe {
			q.gate.abandoned(time.Now())
		}
	}
	q.pumpLocked()
	q.mu.Unlock()
	if q.limit != nil {
		q.limit.give()
	}
}

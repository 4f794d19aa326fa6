package retry

import (
	"context"
	"sync/atomic"
	"time"
)

// Slot is the permission to send one attempt.
type Slot struct {
	queue    *queue
	probe    bool
	reopened bool // the first after a hold
	judged   bool // its outcome is known to the gate; guarded by queue.mu
	released atomic.Bool
}

// Admit waits until an attempt may be sent: until the gate is open, the pacer allows it and the
// limit has a free slot. Calls that have begun go first; after them it is first come, first served.
// Use it to prepare a request only when it can be sent. Then pass the slot in [Call.Slot], or
// release it.
//
// The error is an [*Error]. Either it unwraps to the context's error, or its Trace.Stop is
// "outage": the server had been out of reach for the policy's [Budget.HardElapsed], during the wait
// or already when Admit was called.
func (c *Client) Admit(ctx context.Context) (*Slot, error) {
	c.init()
	if ctx == nil {
		return nil, &Error{err: errNilContext}
	}
	slot, err := c.queue.admit(lifetime{ctx: ctx}, false, waitLimit{outage: c.policy.Budget.HardElapsed})
	if err != nil {
		return nil, &Error{Trace: Trace{Stop: string(stopOf(err))}, err: err}
	}
	return slot, nil
}

// Release gives the slot back. Further calls do nothing, and s may be nil or zero. It is safe for
// concurrent use.
func (s *Slot) Release() {
	if s == nil || s.queue == nil || s.released.Swap(true) {
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

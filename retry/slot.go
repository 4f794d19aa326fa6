package retry

import (
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

// Release gives the slot back. Only the first call counts; nil is allowed. It is safe for concurrent
// use.
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

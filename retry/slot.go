package retry

import (
	"sync/atomic"
	"time"
)

// Slot is an admission for one attempt.
type Slot struct {
	a        *admission
	probe    bool
	reopened bool // the first after a hold
	judged   bool // its outcome is known to the gate; guarded by a.mu
	released atomic.Bool
}

// Release gives the slot back. Only the first call counts; nil is allowed. It is
// safe for concurrent use.
func (s *Slot) Release() {
	if s == nil || s.released.Swap(true) {
		return
	}
	a := s.a
	a.mu.Lock()
	if !s.judged {
		a.pacer.ended()
		if s.probe {
			a.gate.abandoned(time.Now())
		}
	}
	a.pumpLocked()
	a.mu.Unlock()
	if a.limit != nil {
		a.limit.give()
	}
}

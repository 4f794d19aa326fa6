package retry

import "time"

// Trace is what a call did.
type Trace struct {
	Attempts []Attempt
	// Elapsed is the time from the start of the first attempt to the end of the
	// call, without reading the returned body.
	Elapsed time.Duration
	// Slept is the part of Elapsed between attempts: waits, the gate, the pacer
	// and the queue for a slot.
	Slept time.Duration
	// Stop is what ended the call: a [Stop] where a repeat was wanted but not
	// made, else the name of the rule.
	Stop string
	// Final says that the server declared that a repeat cannot succeed.
	Final bool
	// Partial says that the returned answer is usable but incomplete.
	Partial bool
}

// Attempt is one send.
type Attempt struct {
	Status int  // 0 without an answer
	Kind   Kind // how it went wrong, apart from the status
	Err    error
	Rule   string
	// Wait is the wait that the policy chose after the attempt; 0 for the last.
	Wait time.Duration
	// BytesSent counts the bytes of the request's body that were taken to be
	// sent; BodySent says that the request was sent to its end.
	BytesSent int64
	BodySent  bool
	// Elapsed runs from the start of the attempt to its judgement.
	Elapsed time.Duration
	// MaybeBilled says that the work may have been done and charged although no
	// usable answer came.
	MaybeBilled bool
}

// Retries is the number of attempts after the first.
func (t Trace) Retries() int { return max(len(t.Attempts)-1, 0) }

// MaybeBilledTwice is the number of attempts that were made although the one
// before may have been billed.
func (t Trace) MaybeBilledTwice() int {
	n := 0
	for i := range t.Retries() {
		if t.Attempts[i].MaybeBilled {
			n++
		}
	}
	return n
}

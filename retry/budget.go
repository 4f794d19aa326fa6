package retry

import "time"

// Budget limits a call. The zero value of a member sets no limit. The elapsed
// budgets run from the start of the call's first attempt: waiting for the first
// free slot is not charged to the call.
type Budget struct {
	// Attempts is the most sends of one call, the first included; sends after a
	// [Mutate] are not charged.
	Attempts int
	// MinRetries is how many retries a call is owed whatever the elapsed budgets
	// say: a single attempt may be slower than both. The soft one is not
	// applied, under the hard one the wait shrinks to what is left, down to
	// none. A wait that the server asked for is never shortened.
	MinRetries int
	// SoftElapsed is judged when an attempt has failed: at or after it the call
	// ends. A sleep may end after it.
	SoftElapsed time.Duration
	// HardElapsed: no sleep ends at or after it.
	HardElapsed time.Duration
	// Resends is the most retries of one call that may be billed twice: after
	// the request was fully sent and no complete answer came, or after a rule
	// that is marked so.
	Resends int
	// RetryAfter is the longest wait that the server may ask for; a longer one
	// ends the call with the answer in hand.
	RetryAfter time.Duration
	// ToHeaders is the time from the start of an attempt to the answer's header.
	ToHeaders time.Duration
	// BodyIdle is how long reading an answer's body may see no byte.
	BodyIdle time.Duration
	// Silence is after how long without an answer's header an
	// [EventSilence] is sent. It stops nothing.
	Silence time.Duration
}

// Peek bounds what is read of an answer before the decision.
type Peek struct {
	// Bytes is the most that is read of an error's body; 64 KiB where it is 0.
	Bytes int
	// Wait is the longest that an error's body may take; 2 s where it is 0. A
	// body that comes slower is judged by its status alone.
	Wait time.Duration
	// Result is the most that is read of a 2xx body where a rule looks at it;
	// 1 MiB where it is 0. A longer body is accepted unseen.
	Result int
}

const (
	defaultPeekBytes  = 64 << 10
	defaultPeekWait   = 2 * time.Second
	defaultPeekResult = 1 << 20
)

func (p Peek) withDefaults() Peek {
	if p.Bytes <= 0 {
		p.Bytes = defaultPeekBytes
	}
	if p.Wait <= 0 {
		p.Wait = defaultPeekWait
	}
	if p.Result <= 0 {
		p.Result = defaultPeekResult
	}
	return p
}

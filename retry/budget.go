package retry

import "time"

// Budget limits a call. The elapsed limits run from the start of the call's first attempt: waiting
// for the first free slot is not charged to the call.
type Budget struct {
	// Attempts is the most attempts of one call, the first included; those after a [Mutate] are not
	// charged. 0 is no limit.
	Attempts int
	// MinRetries is how many retries a call is owed: SoftElapsed does not end them, and where a wait
	// of the backoff would end after HardElapsed it shrinks to what is left. A wait that the server
	// asked for is never shortened. 0 is none.
	MinRetries int
	// SoftElapsed is judged when an attempt has failed: at or after it the call ends. A wait may end
	// after it. 0 is no limit.
	SoftElapsed time.Duration
	// HardElapsed is the time from which on nothing is sent again. 0 is no limit.
	HardElapsed time.Duration
	// Resends is the most retries of one call that may be billed twice: after the request was fully
	// sent and no complete answer came, or after a rule that is marked [Rule.Billed]. 0 is no limit.
	Resends int
	// SameAnswer is how often in a row a call may get the same 500, the first included: the next one
	// would be no new draw. Two are the same if their bodies are, but for ids, times and numbers of
	// attempts; a 500 with a Retry-After, with a verdict ("retryable", true or false), or whose body
	// was not seen to its end is never counted. They must be spread over at least 5 s, for which the
	// wait before the last is lengthened; and the server must have shown since the first that it
	// works, by a success of another call of the client or to [Call.Alive]. Otherwise the call goes
	// on. 0 is no limit, 1 is not allowed.
	SameAnswer int
	// RetryAfter is the longest wait that the server may ask for; a longer one ends the call with the
	// answer in hand. 0 is 5 minutes.
	RetryAfter time.Duration
	// ToHeaders is the longest time from the start of an attempt to the answer's header. 0 is no
	// limit.
	ToHeaders time.Duration
	// BodyIdle is how long reading an answer's body may see no byte. 0 is no limit.
	BodyIdle time.Duration
	// Silence is after how long without an answer's header an [EventSilence] is sent; it ends nothing.
	// 0 is never.
	Silence time.Duration
}

// Peek bounds what is read of an answer before the decision.
type Peek struct {
	// Bytes is the most that is read of an error's body, in bytes; 0 is 64 KiB.
	Bytes int
	// Wait is the longest that an error's body may take; 0 is 2 s. A body that comes slower is judged
	// by its status alone.
	Wait time.Duration
	// Result is the most that is read of a 2xx body where a rule looks at it, in bytes; 0 is 1 MiB. A
	// longer body is accepted unseen.
	Result int
}

const (
	defaultRetryAfter = 5 * time.Minute
	defaultPeekBytes  = 64 << 10
	defaultPeekWait   = 2 * time.Second
	defaultPeekResult = 1 << 20
)

func (b *Budget) retryAfter() time.Duration {
	if b.RetryAfter > 0 {
		return b.RetryAfter
	}
	return defaultRetryAfter
}

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

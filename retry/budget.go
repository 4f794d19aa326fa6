package retry

import "time"

// Budget limits a call. SoftElapsed and HardElapsed are counted from the start of the first
// attempt: the wait for the first slot does not count.
type Budget struct {
	// Attempts is the most attempts of one call, the first included; those after a [Mutate] do not
	// count. 0 means no limit.
	Attempts int
	// MinRetries is how many retries a call gets even after SoftElapsed. If the backoff's wait
	// would end after HardElapsed, it is shortened to the time that is left. A wait that the server
	// asked for is never shortened. 0 means none.
	MinRetries int
	// SoftElapsed is checked when an attempt has failed: if it has passed, the call ends. A wait
	// may end after it. 0 means no limit.
	SoftElapsed time.Duration
	// HardElapsed is the time after which no request is sent again. An attempt that is under way goes
	// on, within ToHeaders, BodyIdle and WholeAttempt. 0 means no limit.
	HardElapsed time.Duration
	// Resends is the most retries of one call that may be billed twice: those after an attempt that
	// was sent completely but got no complete answer, and those after a rule with [Rule.Billed]. 0
	// means no limit.
	Resends int
	// SameAnswer is how often in a row a call may get the same 500 before it ends, the first included.
	// Two 500s are the same if their bodies are, apart from ids, times and numbers of attempts. A 500
	// does not count if it has a Retry-After, has a verdict ("retryable", true or false), or was not
	// read to its end. The answers must be spread over at least 5 s; the wait before the last one is
	// lengthened for that. And the server must have shown since the first one that it works: by a
	// success of another call of the client, or to [Call.Alive]. Otherwise the call goes on. 0 means
	// no limit; 1 is not allowed.
	SameAnswer int
	// RetryAfter is the longest wait that the server may ask for; if it asks for more, the call
	// ends and returns that answer. 0 means 5 minutes.
	RetryAfter time.Duration
	// ToHeaders is the longest time from the start of an attempt to the answer's header. 0 means no
	// limit.
	ToHeaders time.Duration
	// BodyIdle is how long an answer's body may be waited for until the next KiB of it, or its end, has
	// come. The time in which the caller does not read does not count. 0 means no limit.
	BodyIdle time.Duration
	// WholeAttempt is the longest time of an attempt: the wait for the answer's header and the waits for
	// its body together. The time in which the caller does not read does not count. 0 means no limit.
	WholeAttempt time.Duration
	// Silence is how long an attempt may wait for the answer's header before an [EventSilence] is
	// sent. The attempt goes on. 0 means never.
	Silence time.Duration
}

// Peek limits how much of an answer is read before the decision.
type Peek struct {
	// Bytes is the most bytes of an error's body to read; 0 means 64 KiB.
	Bytes int
	// Wait is the longest time to read an error's body; 0 means 2 s. If it takes longer, the status
	// alone decides.
	Wait time.Duration
	// Result is the most bytes of a 2xx body to read if a rule looks at it; 0 means 1 MiB. A longer
	// body is accepted unchecked.
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

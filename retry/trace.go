package retry

import (
	"strings"
	"time"
)

// Trace is what a call did.
type Trace struct {
	// Attempts has one [EventAnswer] for each attempt. Its Wait is the wait that the policy chose
	// after the attempt; 0 for the last.
	Attempts []Event
	// Elapsed is the time from the start of the first attempt to the end of the call. It does not
	// include reading the returned body.
	Elapsed time.Duration
	// Slept is the part of Elapsed between attempts: time spent in waits, at the gate, in the pacer
	// and in the queue for a slot.
	Slept time.Duration
	// Stop is what ended the call: a [Stop] if a rule asked for a retry that was not made, else the
	// name of the rule that ended it. If no rule matches, it is "success" for a 2xx answer and
	// "default" for any other outcome. After an error that is never retried it is
	// "permanent_error".
	Stop string
	// Final says that the server declared that a retry cannot succeed.
	Final bool
	// Partial says that the returned answer is usable but incomplete.
	Partial bool
}

// Retries returns the number of attempts after the first.
func (t Trace) Retries() int { return max(len(t.Attempts)-1, 0) }

// MaybeBilledTwice returns the number of attempts that were made although the previous one may have
// been billed.
func (t Trace) MaybeBilledTwice() int {
	n := 0
	for i := range t.Retries() {
		if t.Attempts[i].MaybeBilled {
			n++
		}
	}
	return n
}

// end notes the decision that ended the call.
func (t *Trace) end(d *decision) {
	t.Stop, t.Final = d.rule, d.final
	if d.stop != "" {
		t.Stop = string(d.stop)
	}
}

// stopText is Stop as a sentence has it; the name of a policy's rule stays as it is.
func (t *Trace) stopText() string {
	if n := len(t.Attempts); n > 0 && t.Stop == t.Attempts[n-1].Rule && t.Stop != ruleNever {
		return t.Stop
	}
	return Stop(t.Stop).words()
}

// Stop names the limit or other reason that forbids a retry that a rule asked for:
//
//	attempts             [Budget.Attempts] are used up
//	soft_elapsed         [Budget.SoftElapsed] is over
//	retry_after_ceiling  the server asks for a longer wait than [Budget.RetryAfter]
//	hard_elapsed         [Budget.HardElapsed] would be over before the retry
//	resends              [Budget.Resends] are used up
//	same_answer          [Budget.SameAnswer] is reached
//	deadline             a deadline of the caller would pass before the retry, or has passed
//	body_not_replayable  the request's body can be read only once
//	canceled             the caller's context, or [Call.Stop], ended
//	outage               the server was out of reach for [Budget.HardElapsed] before the first attempt
type Stop string

const (
	// StopCanceled means that the caller's context, or [Call.Stop], ended.
	StopCanceled Stop = "canceled"
	// StopSameAnswer means that the server gave this request the same answer again and again, while
	// it answered others: the request is at fault.
	StopSameAnswer Stop = "same_answer"
)

const (
	stopAttempts     Stop = "attempts"
	stopSoftElapsed  Stop = "soft_elapsed"
	stopHardElapsed  Stop = "hard_elapsed"
	stopRetryAfter   Stop = "retry_after_ceiling"
	stopResends      Stop = "resends"
	stopDeadline     Stop = "deadline"
	stopUnreplayable Stop = "body_not_replayable"
	stopOutage       Stop = "outage"
)

// words is the name as a sentence has it.
func (s Stop) words() string { return strings.ReplaceAll(string(s), "_", " ") }

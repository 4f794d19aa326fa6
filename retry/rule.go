package retry

import (
	"strings"
	"time"
)

// Action is what happens after an attempt.
type Action string

// The actions.
const (
	// Return ends the call with the attempt's answer or error.
	Return Action = "return"
	// Retry sends the same request again after the rule's wait.
	Retry Action = "retry"
	// Mutate sends a changed request. It does not count against [Budget.Attempts].
	Mutate Action = "mutate"
)

// Rule is one rule of a policy: one row of its table.
type Rule struct {
	// Name identifies the rule in traces, events and errors. Required, unique in a policy.
	Name string `json:"name"`
	// When says which outcomes the rule is for. The zero value matches all.
	When Condition `json:"when,omitzero"`
	// Do is the action. Required.
	Do Action `json:"do"`
	// Wait is how long to wait before sending again. "" means "header" for [Retry], and "none" for
	// [Mutate].
	Wait Wait `json:"wait,omitempty"`
	// Max is how often the rule may apply in one call; after that it does not match any more. 0
	// means no limit. [Mutate] needs at least 1.
	Max int `json:"max,omitempty"`
	// Patch names the change that [Mutate] asks for. If [Call.Patches] does not have it, the rule
	// does not match. "" for the other actions.
	Patch string `json:"patch,omitempty"`
	// Final says that with this outcome the server declares that a retry cannot succeed. Only for
	// [Return]; false by default.
	Final bool `json:"final,omitempty"`
	// Partial says that the answer is usable but incomplete. If the budget forbids another attempt,
	// the answer is returned and [Trace.Partial] is set. False by default.
	Partial bool `json:"partial,omitempty"`
	// Outage says that the outcome means that the whole server is in trouble. Several such outcomes
	// in a row, of any calls, close the client's gate. False by default.
	Outage bool `json:"outage,omitempty"`
	// Billed says that an attempt with this outcome is billed even though it is retried. The retry
	// counts against [Budget.Resends]. False by default.
	Billed bool `json:"billed,omitempty"`
	// Why is the reason, printed in the table; "" means none.
	Why string `json:"why,omitempty"`
}

// Wait is how long to wait before sending again: a duration such as "60s", or one of
//
//	none                 no wait
//	backoff              the policy's backoff
//	header               the server's Retry-After, but at least the shortest first step of the
//	                     backoff; the backoff where there is none that can be read, or one of 0: a
//	                     server that says "at once" must not be hammered
//	header_then_backoff  the server's Retry-After the first time that the row fires in a call; from
//	                     the second time on the backoff is added to it
type Wait string

const (
	waitNone              Wait = "none"
	waitBackoff           Wait = "backoff"
	waitHeader            Wait = "header"
	waitHeaderThenBackoff Wait = "header_then_backoff"
)

// waitKind is the row's wait, or the default for its action.
func (r *Rule) waitKind() Wait {
	switch {
	case r.Wait != "":
		return r.Wait
	case r.Do == Mutate:
		return waitNone
	default:
		return waitHeader
	}
}

// fixed returns the wait that is a duration.
func (w Wait) fixed() (time.Duration, bool) {
	d, err := time.ParseDuration(strings.TrimSpace(string(w)))
	return d, err == nil && d >= 0
}

func (w Wait) valid() bool {
	switch w {
	case "", waitNone, waitBackoff, waitHeader, waitHeaderThenBackoff:
		return true
	}
	_, ok := w.fixed()
	return ok
}

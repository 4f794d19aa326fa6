package retry

import (
	"strings"
	"time"
)

// Action is what a rule does with an attempt's outcome.
type Action string

// The actions.
const (
	// Return ends the call with the answer or the error in hand.
	Return Action = "return"
	// Retry sends the same request again after the rule's wait.
	Retry Action = "retry"
	// Mutate sends a changed request again. It is not charged to the attempts.
	Mutate Action = "mutate"
)

// Rule is one row of a policy.
type Rule struct {
	// Name identifies the row in traces, events and errors. Required, unique in a policy.
	Name string `json:"name"`
	// When says which outcomes the row is for. The zero value matches all.
	When Condition `json:"when,omitzero"`
	// Do is what happens. Required.
	Do Action `json:"do"`
	// Wait is how long a repeat waits. "" is "header" for [Retry], and "none" for [Mutate].
	Wait Wait `json:"wait,omitempty"`
	// Max is how often the row may fire in one call; an exhausted row does not match any more. 0 is no
	// limit. [Mutate] needs at least 1.
	Max int `json:"max,omitempty"`
	// Patch names the change that [Mutate] asks for. A call that does not offer it in [Call.Patches]
	// skips the row. "" for the other actions.
	Patch string `json:"patch,omitempty"`
	// Final says that the row is the server's own word that a repeat cannot succeed. Only for
	// [Return]; false by default.
	Final bool `json:"final,omitempty"`
	// Partial says that the answer is usable but incomplete: it is returned, and marked, where the
	// budget forbids another attempt. False by default.
	Partial bool `json:"partial,omitempty"`
	// Outage says that the outcome speaks of the server as a whole. Several in a row across calls
	// close the client's gate. False by default.
	Outage bool `json:"outage,omitempty"`
	// Billed says that the outcome has cost money although it is repeated. It counts against
	// [Budget.Resends]. False by default.
	Billed bool `json:"billed,omitempty"`
	// Why is printed in the table; "" is no reason given.
	Why string `json:"why,omitempty"`
}

// Wait is how long a repeat waits: a duration such as "60s", or one of
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

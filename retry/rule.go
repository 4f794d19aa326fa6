package retry

import (
	"fmt"
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
	// Name identifies the row in traces, events and errors. Unique in a policy.
	Name string `json:"name"`
	// When says which outcomes the row is for. The zero value matches all.
	When Condition `json:"when,omitzero"`
	// Do is what happens.
	Do Action `json:"do"`
	// Wait is how long a repeat waits. The zero value is the policy's backoff
	// for [Retry], and no wait for [Mutate].
	Wait Wait `json:"wait,omitzero"`
	// Max is how often the row may fire in one call; an exhausted row does not
	// match any more. 0 is no limit. [Mutate] needs at least 1.
	Max int `json:"max,omitempty"`
	// Patch names the change that [Mutate] asks for. A call that does not offer
	// it in [Call.Patches] skips the row.
	Patch string `json:"patch,omitempty"`
	// Final says that the row is the server's own word that a repeat cannot
	// succeed. Only for [Return].
	Final bool `json:"final,omitempty"`
	// Partial says that the answer is usable but incomplete: it is returned,
	// and marked, where the budget forbids another attempt.
	Partial bool `json:"partial,omitempty"`
	// Outage says that the outcome speaks of the server as a whole. Several in a
	// row across calls close the client's gate.
	Outage bool `json:"outage,omitempty"`
	// Billed says that the outcome has cost money although it is repeated. It
	// counts against [Budget.Resends].
	Billed bool `json:"billed,omitempty"`
	// Why is printed in the table.
	Why string `json:"why,omitempty"`
}

// WaitKind says where a wait comes from.
type WaitKind string

// The kinds of waits. The zero value is described at [Rule.Wait].
const (
	// WaitNone repeats at once.
	WaitNone WaitKind = "none"
	// WaitBackoff takes the policy's backoff.
	WaitBackoff WaitKind = "backoff"
	// WaitHeader takes the server's Retry-After, but at least the shortest first
	// step of the backoff; where the answer names none that can be read, or 0, it
	// takes the backoff: a server that says "at once" must not be hammered.
	WaitHeader WaitKind = "header"
	// WaitHeaderBackoff takes the server's Retry-After the first time the row
	// fires in a call; from the second time on the backoff is added to it.
	WaitHeaderBackoff WaitKind = "header-then-backoff"
	// WaitFixed takes [Wait.For].
	WaitFixed WaitKind = "fixed"
)

// Wait is how long a repeat waits. In JSON it is a string: the name of a kind,
// or a duration such as "60s" for a fixed wait.
type Wait struct {
	Kind WaitKind
	// For is the length of a [WaitFixed].
	For time.Duration
}

// IsZero reports whether w is the zero value.
func (w Wait) IsZero() bool { return w == Wait{} }

// String is the form that [Wait.UnmarshalText] reads.
func (w Wait) String() string {
	if w.Kind == WaitFixed {
		return formatSpan(w.For)
	}
	return string(w.Kind)
}

// MarshalText writes the form that [Wait.UnmarshalText] reads.
func (w Wait) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads the name of a kind or a duration.
func (w *Wait) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	switch k := WaitKind(s); k {
	case WaitNone, WaitBackoff, WaitHeader, WaitHeaderBackoff:
		*w = Wait{Kind: k}
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("unknown wait %q: want none, backoff, header, header-then-backoff or a duration", s)
	}
	*w = Wait{Kind: WaitFixed, For: d}
	return nil
}

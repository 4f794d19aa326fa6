package retry

import (
	"net/http"
	"slices"
	"time"
)

// State is what a call has used up when an attempt ends.
type State struct {
	// Attempt is the number of sends made, the observed one included; 0 is
	// taken as 1.
	Attempt int
	// Free is how many of them followed a [Mutate].
	Free int
	// Elapsed is the time since the first attempt started.
	Elapsed time.Duration
	// TimeLeft is the time to the context's deadline; nil is none.
	TimeLeft *time.Duration
	// Resends is the number of retries made that may be billed twice.
	Resends int
	// Fired counts by name how often a rule has led to a repeat.
	Fired map[string]int
	// Patches are the names of the changes that the call offers.
	Patches []string
	// Unreplayable says that the request's body was opened and cannot be opened
	// again.
	Unreplayable bool
}

// Observation is how an attempt ended: values only, no open resource.
type Observation struct {
	Method string
	Status int         // 0 without an answer
	Header http.Header // of the answer
	Kind   Kind
	Err    error
	Peek   []byte // beginning of the body, decoded from gzip; nil where it was not looked at
	// PeekEOF says that Peek is the whole body.
	PeekEOF bool
	Stream  bool      // the body is a stream: never looked at
	Sent    bool      // the request was fully sent
	At      time.Time // when the answer came, for dates in headers
	Facts   map[string]bool
}

// Success reports whether the attempt ended with a 2xx status and no error.
func (o *Observation) Success() bool {
	return o.Kind == KindNone && o.Status >= 200 && o.Status <= 299
}

// Stop names a budget or a circumstance that forbids a repeat a rule asked for.
type Stop string

// The reasons to stop.
const (
	StopAttempts     Stop = "attempts"
	StopSoftElapsed  Stop = "soft elapsed"
	StopRetryAfter   Stop = "retry-after ceiling"
	StopHardElapsed  Stop = "hard elapsed"
	StopResends      Stop = "resends"
	StopDeadline     Stop = "deadline"
	StopUnreplayable Stop = "body not replayable"
	StopCanceled     Stop = "canceled"
	StopOutage       Stop = "outage" // the gate stayed closed for the hard elapsed budget
)

// Names that a decision carries where no rule of the policy matched.
const (
	RuleSuccess = "success"         // a 2xx answer
	RuleDefault = "default"         // the policy's fallback
	RuleNever   = "permanent error" // a kind of error that is never repeated
)

// Decision is what happens next.
type Decision struct {
	Action Action
	Rule   string   // the row that matched, or one of RuleSuccess, RuleDefault, RuleNever
	Stop   Stop     // why the repeat that the row asked for is not made
	Wait   Interval // before a repeat
	// Asked is the wait that the server asked for, where it is the reason of
	// Wait; every call of the client keeps to it.
	Asked   time.Duration
	Patch   string // the change to make before a repeat
	Free    bool   // the repeat is not charged
	Final   bool   // the server declared that a repeat cannot succeed
	Partial bool   // the answer is usable but incomplete
	Outage  bool   // the outcome speaks of the server as a whole
	Billed  bool   // a repeat may be billed twice
	Why     string
}

// minWait keeps a charged repeat from following in the same instant: under a
// clock that stands still that would be an endless loop.
const minWait = time.Millisecond

// Decide returns what happens after an attempt. It is pure: the same arguments
// give the same decision, and nothing is read, drawn or waited for.
//
// The first rule that matches wins. A 2xx answer that no rule claims is a
// success; anything else that no rule claims falls to the default. The budgets
// are judged where a repeat is wanted, in the order of their [Stop] names. A
// wait whose range crosses the hard budget is cut to what fits, and one whose range
// comes near the deadline leaves at least half of the slack to the attempt.
func (p *Policy) Decide(s State, o Observation) Decision { return p.decide(&s, &o) }

func (p *Policy) decide(s *State, o *Observation) Decision {
	if o.Kind.permanent() {
		d := Decision{Action: Return, Rule: RuleNever}
		if o.Kind == KindCanceled {
			d.Stop = StopCanceled
		}
		return d
	}
	r := p.find(s, o)
	d := Decision{
		Action: r.Do, Rule: r.Name, Final: r.Final, Partial: r.Partial, Outage: r.Outage, Why: r.Why,
		Billed: r.Billed || o.Sent && o.Kind.unanswered(),
	}
	if r.Do == Return {
		return d
	}
	d.Free, d.Patch = r.Do == Mutate, r.Patch
	d.Wait, d.Asked = p.wait(&r, s, o)
	if d.Stop = p.Budget.apply(s, &d); d.Stop != "" {
		d.Action, d.Patch, d.Free, d.Wait = Return, "", false, Interval{}
	}
	return d
}

// find returns the row that decides.
func (p *Policy) find(s *State, o *Observation) Rule {
	m := newMatcher(o)
	for i := range p.Rules {
		if r := &p.Rules[i]; r.available(s) && m.match(&r.When) == yes {
			return *r
		}
	}
	if o.Success() {
		return Rule{Name: RuleSuccess, Do: Return}
	}
	return Rule{Name: RuleDefault, Do: p.Default}
}

// wantsBody reports whether the decision depends on the answer's body.
func (p *Policy) wantsBody(s *State, o *Observation) bool {
	m := newMatcher(o)
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.available(s) {
			continue
		}
		switch m.match(&r.When) {
		case open:
			return true
		case yes:
			return false
		}
	}
	return false
}

func (r *Rule) available(s *State) bool {
	if r.Max > 0 && s.Fired[r.Name] >= r.Max {
		return false
	}
	return r.Do != Mutate || slices.Contains(s.Patches, r.Patch)
}

func (s *State) charged() int { return max(s.Attempt, 1) - s.Free }

// wait returns the row's wait. That of a charged repeat can always be minWait.
func (p *Policy) wait(r *Rule, s *State, o *Observation) (wait Interval, asked time.Duration) {
	kind := r.Wait.Kind
	if kind == "" {
		kind = WaitBackoff
		if r.Do == Mutate {
			kind = WaitNone
		}
	}
	wait = p.Backoff.Step(s.charged() - 1)
	switch kind {
	case WaitNone:
		wait = Interval{}
	case WaitFixed:
		wait = Interval{r.Wait.For, r.Wait.For}
	case WaitHeader, WaitHeaderBackoff:
		d, _ := RetryAfter(o.Header, o.At)
		if d == 0 {
			break
		}
		d = max(d, p.Backoff.Step(0).Min)
		asked, wait = d, Interval{d, d}
		if n := s.Fired[r.Name]; kind == WaitHeaderBackoff && n > 0 {
			more := p.Backoff.Step(n - 1)
			wait = Interval{addSaturating(d, more.Min), addSaturating(d, more.Max)}
		}
	}
	if r.Do == Retry {
		wait.Max = max(wait.Max, minWait)
	}
	return wait, asked
}

// apply returns what forbids the repeat, and cuts its wait to what fits.
func (b *Budget) apply(s *State, d *Decision) Stop {
	owed := s.charged()-1 < b.MinRetries
	switch {
	case !d.Free && b.Attempts > 0 && s.charged() >= b.Attempts:
		return StopAttempts
	case !owed && b.SoftElapsed > 0 && s.Elapsed >= b.SoftElapsed:
		return StopSoftElapsed
	case b.RetryAfter > 0 && d.Asked > b.RetryAfter:
		return StopRetryAfter
	}
	if b.HardElapsed > 0 {
		left := b.HardElapsed - s.Elapsed
		if owed && d.Asked == 0 {
			d.Wait.Min = min(d.Wait.Min, max(left-minWait, 0))
			d.Wait.Max = min(d.Wait.Max, max(left-minWait, 0))
		} else if !d.fit(left, left-1) {
			return StopHardElapsed
		}
	}
	switch {
	case b.Resends > 0 && d.Billed && s.Resends >= b.Resends:
		return StopResends
	case s.TimeLeft != nil && !d.fit(*s.TimeLeft, d.Wait.Min+(*s.TimeLeft-d.Wait.Min)/2):
		return StopDeadline
	case s.Unreplayable:
		return StopUnreplayable
	}
	return ""
}

// fit cuts the wait to the longest that is sensible, and reports whether the
// shortest ends before the time that is left.
func (d *Decision) fit(left, longest time.Duration) bool {
	shortest := d.Wait.Min
	if !d.Free {
		shortest = max(shortest, minWait)
	}
	if shortest >= left {
		return false
	}
	d.Wait.Max = min(d.Wait.Max, longest)
	return true
}

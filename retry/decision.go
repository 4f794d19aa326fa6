package retry

import (
	"time"
)

// state is what a call has used up when an attempt ends.
type state struct {
	attempt      int            // attempts made, the one to decide on included
	free         int            // how many of them followed a [Mutate]
	elapsed      time.Duration  // since the first attempt began
	timeLeft     *time.Duration // to the caller's deadline; nil is none
	resends      int            // repeats made that may be billed twice
	fired        map[string]int // by name, how often a rule has led to a repeat
	offers       func(patch string) bool
	facts        map[string]bool
	same         int           // [Event.Same]
	spread       time.Duration // since the first of those
	works        bool          // the server has shown since then that it works
	unreplayable bool          // the request's body was opened and cannot be opened again
}

func newState(call *Call) state {
	return state{
		facts:  call.Facts,
		offers: func(patch string) bool { return call.Patches[patch] != nil },
	}
}

// charged is the number of attempts that count against [Budget.Attempts].
func (s *state) charged() int { return s.attempt - s.free }

// repeated notes that a decision led to a repeat.
func (s *state) repeated(d *decision) {
	if s.fired == nil {
		s.fired = make(map[string]int)
	}
	s.fired[d.rule]++
	if d.free {
		s.free++
	}
	if d.billed {
		s.resends++
	}
}

// Names that a decision carries where no rule of the policy matched.
const (
	ruleSuccess = "success"         // a 2xx answer
	ruleDefault = "default"         // the policy's default
	ruleNever   = "permanent_error" // a kind of error that is never repeated
)

// decision is what happens after an attempt.
type decision struct {
	action  Action
	rule    string        // the row that matched, or one of the names above
	stop    Stop          // why the repeat that the row asked for is not made
	wait    interval      // before a repeat
	asked   time.Duration // the wait that the server asked for; every call of the client keeps to it
	patch   string        // the change to make before a repeat
	free    bool          // the repeat is not charged
	final   bool          // the server declared that a repeat cannot succeed
	partial bool          // the answer is usable but incomplete
	outage  bool          // the outcome speaks of the server as a whole
	billed  bool          // a repeat may be billed twice
	why     string
}

// minWait keeps a charged repeat from following in the same instant: under a clock that stands
// still that would be an endless loop.
const minWait = time.Millisecond

// decide returns what happens after an attempt. It is pure: the same arguments give the same
// decision, and nothing is read, drawn or waited for.
//
// The first rule that matches wins. A 2xx answer that no rule claims is a success; anything else
// that no rule claims falls to the default. The budget is judged where a repeat is wanted, in the
// order of the [Stop] names. A wait whose range crosses the hard limit is cut to what fits, and one
// whose range comes near the deadline leaves at least half of the slack to the attempt.
func (p *Policy) decide(s *state, o *observation) decision {
	if o.Kind.permanent() {
		d := decision{action: Return, rule: ruleNever, billed: o.Sent && o.Kind == KindCanceled}
		if o.Kind == KindCanceled {
			d.stop = StopCanceled
		}
		return d
	}
	r := p.find(s, o)
	d := decision{
		action: r.Do, rule: r.Name, final: r.Final, partial: r.Partial, outage: r.Outage, why: r.Why,
		billed: r.Billed || o.Sent && o.Kind.unanswered(),
	}
	if r.Do == Return {
		return d
	}
	d.free, d.patch = r.Do == Mutate, r.Patch
	d.wait, d.asked = p.wait(&r, s, o)
	if d.asked == 0 {
		d.wait = p.Budget.spread(s, d.wait)
	}
	if d.stop = p.Budget.apply(s, &d); d.stop != "" {
		d.action, d.patch, d.free, d.wait = Return, "", false, interval{}
	}
	return d
}

// find returns the row that decides.
func (p *Policy) find(s *state, o *observation) Rule {
	m := matcher{o: o, facts: s.facts}
	for i := range p.Rules {
		if r := &p.Rules[i]; r.available(s) && m.match(&r.When) == yes {
			return *r
		}
	}
	if o.success() {
		return Rule{Name: ruleSuccess, Do: Return}
	}
	return Rule{Name: ruleDefault, Do: p.Default}
}

// wantsBody reports whether the decision depends on the answer's body.
func (p *Policy) wantsBody(s *state, o *observation) bool {
	m := matcher{o: o, facts: s.facts}
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

func (r *Rule) available(s *state) bool {
	if r.Max > 0 && s.fired[r.Name] >= r.Max {
		return false
	}
	return r.Do != Mutate || s.offers(r.Patch)
}

// wait returns the row's wait. That of a charged repeat can always be minWait.
func (p *Policy) wait(r *Rule, s *state, o *observation) (wait interval, asked time.Duration) {
	wait = p.Backoff.step(s.charged() - 1)
	switch kind := r.waitKind(); kind {
	case waitNone:
		wait = interval{}
	case waitBackoff:
	case waitHeader, waitHeaderThenBackoff:
		d, _ := retryAfter(o.Header, o.at)
		if d == 0 {
			break
		}
		d = max(d, p.Backoff.step(0).min)
		asked, wait = d, interval{d, d}
		if n := s.fired[r.Name]; kind == waitHeaderThenBackoff && n > 0 {
			more := p.Backoff.step(n - 1)
			wait = interval{addSaturating(d, more.min), addSaturating(d, more.max)}
		}
	default:
		d, _ := kind.fixed()
		wait = interval{d, d}
	}
	if r.Do == Retry {
		wait.max = max(wait.max, minWait)
	}
	return wait, asked
}

// apply returns what forbids the repeat, and cuts its wait to what fits.
func (b *Budget) apply(s *state, d *decision) Stop {
	owed := s.charged()-1 < b.MinRetries
	switch {
	case !d.free && b.Attempts > 0 && s.charged() >= b.Attempts:
		return stopAttempts
	case !owed && b.SoftElapsed > 0 && s.elapsed >= b.SoftElapsed:
		return stopSoftElapsed
	case d.asked > b.retryAfter():
		return stopRetryAfter
	}
	if b.HardElapsed > 0 {
		left := b.HardElapsed - s.elapsed
		if owed && d.asked == 0 {
			d.wait.min = min(d.wait.min, max(left-minWait, 0))
		}
		if !d.fit(left, left-1) {
			return stopHardElapsed
		}
	}
	switch {
	case s.works && b.sameAnswerDue(s):
		return StopSameAnswer
	case b.Resends > 0 && d.billed && s.resends >= b.Resends:
		return stopResends
	case s.timeLeft != nil && !d.fit(*s.timeLeft, d.wait.min+(*s.timeLeft-d.wait.min)/2):
		return stopDeadline
	case s.unreplayable:
		return stopUnreplayable
	}
	return ""
}

// fit cuts the wait to the longest that is sensible, and reports whether the shortest ends before
// the time that is left.
func (d *decision) fit(left, longest time.Duration) bool {
	shortest := d.wait.min
	if !d.free {
		shortest = max(shortest, minWait)
	}
	if shortest >= left {
		return false
	}
	d.wait.max = min(d.wait.max, longest)
	return true
}

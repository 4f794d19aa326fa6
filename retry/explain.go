package retry

import (
	"fmt"
	"strings"
	"time"
)

// Explain returns lines of text that say what the policy does after an attempt, and why. The first
// line is the action with its wait. Then come the rule that decided, with its number and condition,
// and the limits of the budget. Explain sends nothing, waits for nothing and draws no random
// number.
//
// before is what the call had done before the attempt, but its Elapsed is the time until the
// attempt ended. The outcome is taken to be the same answer as those that the last of its Attempts
// counts. Of call, only the Facts, the names of the Patches, and whether there is an Alive are used:
// with one, the server works.
func (p *Policy) Explain(call Call, before Trace, o Outcome) string {
	s := newState(&call)
	s.attempt, s.elapsed = len(before.Attempts)+1, before.Elapsed
	for _, a := range before.Attempts {
		s.repeated(&decision{rule: a.Rule, billed: a.MaybeBilled, free: p.mutates(a.Rule)})
	}
	last := observed(o, time.Now())
	if n := len(before.Attempts); n > 0 && last.comparable() {
		s.same, s.spread = before.Attempts[n-1].Same, before.Elapsed
		for _, a := range before.Attempts[:n-s.same] {
			s.spread -= a.Elapsed + a.Wait
		}
		s.spread -= before.Attempts[n-max(s.same, 1)].Elapsed
		s.same, s.works = s.same+1, call.Alive != nil
	}
	return p.explanation(&s, p.decide(&s, &last))
}

// mutates reports whether the rule of that name asks for a changed request.
func (p *Policy) mutates(rule string) bool {
	for i := range p.Rules {
		if p.Rules[i].Name == rule {
			return p.Rules[i].Do == Mutate
		}
	}
	return false
}

func (p *Policy) explanation(s *state, d decision) string {
	var b strings.Builder
	b.WriteString(string(d.action))
	switch {
	case d.action == Return && s.attempt == 1:
		b.WriteString(" after 1 attempt")
	case d.action == Return:
		fmt.Fprintf(&b, " after %d attempts", s.attempt)
	case d.wait.min == d.wait.max:
		fmt.Fprintf(&b, " after %s", d.wait.min)
	default:
		fmt.Fprintf(&b, " after %s to %s", d.wait.min, d.wait.max)
	}
	fmt.Fprintf(&b, "\npolicy: %s\nrule: %s\n", p.Name, p.row(d.rule))
	for _, line := range []struct{ name, text string }{{"why", d.why}, {"change", d.patch}, {"stopped by", d.stop.words()}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", line.name, line.text)
		}
	}
	for _, note := range []struct {
		set  bool
		text string
	}{
		{s.same > 1, fmt.Sprintf("the same answer %d times in %s", s.same, formatSpan(s.spread))},
		{p.Budget.sameAnswerDue(s) && !s.works, "nothing has shown since then that the server works"},
		{d.final, "the server declared it final"},
		{d.asked > 0, "the server asked for this wait"},
		{d.partial, "the answer is usable, but incomplete"},
		{d.free, "does not count as an attempt"},
		{d.billed && d.action != Return, "the retry may be billed twice"},
		{d.outage, "counts towards closing the gate for all requests"},
	} {
		if note.set {
			fmt.Fprintf(&b, "note: %s\n", note.text)
		}
	}
	return b.String()
}

// row is a row with its number and condition.
func (p *Policy) row(name string) string {
	for i := range p.Rules {
		if r := &p.Rules[i]; r.Name == name {
			return fmt.Sprintf("%d, %s (%s)", i+1, name, r.When.text())
		}
	}
	switch name {
	case ruleSuccess:
		return "none: a 2xx answer that no rule matches is a success"
	case ruleNever:
		return "none: such an error is never retried"
	default:
		return "none: no rule matches, so the policy's default applies"
	}
}

// Play runs one call by the policy in virtual time: it sends nothing and does not wait. outcome
// returns how each attempt ends; attempts are counted from 1. Attempts take no time, and each wait
// is the middle of its range. The server is taken to work for other calls. Play returns the trace of
// the call; its Slept is the sum of the waits.
func (p *Policy) Play(outcome func(attempt int) Outcome) Trace {
	var t Trace
	var same sameAnswers
	var start time.Time
	s := newState(&Call{})
	s.works = true
	for {
		s.attempt++
		s.elapsed = t.Elapsed
		o := observed(outcome(s.attempt), start)
		s.same, s.spread = same.note(&o, start.Add(t.Elapsed))
		d := p.decide(&s, &o)
		wait := d.wait.pick(0.5)
		t.Attempts = append(t.Attempts, Event{
			Kind: EventAnswer, Attempt: s.attempt, Status: o.Status, Error: o.Kind, Rule: d.rule, Stop: d.stop, Wait: wait,
			Same: s.same, MaybeBilled: d.billed,
		})
		if d.action == Return {
			t.end(&d)
			return t
		}
		s.repeated(&d)
		t.Slept += wait
		t.Elapsed += wait
	}
}

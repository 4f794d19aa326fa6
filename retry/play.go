package retry

import "time"

// Play runs one call by the policy in virtual time: nothing is sent and nothing is waited for.
// outcome returns how each attempt ends, counted from 1; attempts take no time, and each wait is the
// middle of its range. The trace is that of the call, and Slept the sum of its waits.
func (p *Policy) Play(outcome func(attempt int) Outcome) Trace {
	var t Trace
	s := newState(&Call{})
	for {
		s.attempt++
		s.elapsed = t.Elapsed
		o := observed(outcome(s.attempt), time.Time{})
		d := p.decide(&s, &o)
		wait := d.wait.pick(0.5)
		t.Attempts = append(t.Attempts, Event{
			Kind: EventAnswer, Attempt: s.attempt, Status: o.Status, Error: o.Kind, Rule: d.rule, Stop: d.stop, Wait: wait,
			MaybeBilled: d.billed,
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

package retry

import "time"

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
	unreplayable bool // the request's body was opened and cannot be opened again
}

func newState(call *Call) state {
	return state{
		fired: make(map[string]int), facts: call.Facts,
		offers: func(patch string) bool { return call.Patches[patch] != nil },
	}
}

// charged is the number of attempts that count against [Budget.Attempts].
func (s *state) charged() int { return s.attempt - s.free }

// repeated notes that a decision led to a repeat.
func (s *state) repeated(d *decision) {
	s.fired[d.rule]++
	if d.free {
		s.free++
	}
	if d.billed {
		s.resends++
	}
}

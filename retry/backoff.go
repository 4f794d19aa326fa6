package retry

import (
	"math"
	"time"
)

// Backoff is an exponential schedule: step n, from 0, has the length Initial*Factor^n, at most Max.
type Backoff struct {
	// Initial is the length of the first step. Required if a rule or the default retries.
	Initial time.Duration
	// Max is the longest step; 0 means no limit.
	Max time.Duration
	// Factor is the ratio of each step to the step before it, 1 to 100; 0 means 2.
	Factor float64
	// Jitter varies the waits, so that clients that failed at the same time do not retry at the
	// same time. For a step of length d the wait is
	//
	//	none    d
	//	full    uniform in 0..d
	//	equal   uniform in d/2..d
	//	second  d plus uniform 0..1 s, cut at Max
	//
	// "" is none.
	Jitter string
}

const (
	jitterNone   = "none"
	jitterFull   = "full"
	jitterEqual  = "equal"
	jitterSecond = "second"
)

// interval is a range of waits, both ends included.
type interval struct{ min, max time.Duration }

// pick returns the wait at r, from 0 for min to 1 for max.
func (i interval) pick(r float64) time.Duration {
	span := float64(i.max - i.min)
	part := span * min(max(r, 0), 1)
	if part >= span {
		return i.max // the largest wait is not a number of nanoseconds that a float64 holds
	}
	return i.min + time.Duration(part)
}

// step returns the waits possible at step n, from 0.
func (b Backoff) step(n int) interval {
	factor := b.Factor
	if factor == 0 {
		factor = 2
	}
	top := b.Max
	if top <= 0 {
		top = math.MaxInt64
	}
	d := top
	if f := float64(b.Initial) * math.Pow(factor, float64(max(n, 0))); f < float64(top) {
		d = time.Duration(f)
	}
	switch b.Jitter {
	case jitterFull:
		return interval{0, d}
	case jitterEqual:
		return interval{d / 2, d}
	case jitterSecond:
		return interval{d, min(addSaturating(d, time.Second), top)}
	}
	return interval{d, d}
}

func addSaturating(a, b time.Duration) time.Duration {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

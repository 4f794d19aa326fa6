package retry

import (
	"math"
	"time"
)

// Jitter spreads waits so that clients that failed together do not return
// together.
type Jitter string

// The jitters, for a step's length d.
const (
	JitterNone   Jitter = "none"   // d
	JitterFull   Jitter = "full"   // uniform in 0..d
	JitterEqual  Jitter = "equal"  // uniform in d/2..d
	JitterSecond Jitter = "second" // d plus uniform 0..1 s, cut at the maximum
)

// Backoff is an exponential schedule: step n, from 0, has the length
// Initial*Factor^n, at most Max.
type Backoff struct {
	Initial time.Duration
	// Max is the longest step; 0 is no maximum.
	Max time.Duration
	// Factor is 2 where it is 0.
	Factor float64
	// Jitter is [JitterNone] where it is empty.
	Jitter Jitter
}

// Interval is a range of waits, both ends included.
type Interval struct {
	Min, Max time.Duration
}

// Pick returns the wait at r, from 0 for Min to 1 for Max.
func (i Interval) Pick(r float64) time.Duration {
	return i.Min + time.Duration(float64(i.Max-i.Min)*min(max(r, 0), 1))
}

// Step returns the waits possible at step n, from 0.
func (b Backoff) Step(n int) Interval {
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
	case JitterFull:
		return Interval{0, d}
	case JitterEqual:
		return Interval{d / 2, d}
	case JitterSecond:
		return Interval{d, min(addSaturating(d, time.Second), top)}
	}
	return Interval{d, d}
}

func addSaturating(a, b time.Duration) time.Duration {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

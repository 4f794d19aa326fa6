package retry

import (
	"math"
	"slices"
	"sync"
	"time"
)

// The limiter's numbers: AWS's adaptive mode lowers by 0.7, TCP once in a flight.
const (
	lowerBy = 0.7
	floor   = 1
)

// Limiter limits the attempts in flight, for one client or several. If the server shows overload
// (429, 503, gateway errors, broken connections), it lowers its limit, but never below 1, and only
// once for all attempts that were in flight together. After as many good answers as the limit, it
// raises the limit by 1, up to the number given to [NewLimiter]. The zero value has a limit of 1.
type Limiter struct {
	mu      sync.Mutex
	most    int
	limit   float64
	used    int
	lowered time.Time
	waiting []*queue
}

// NewLimiter returns a limit of n attempts in flight, at least 1.
func NewLimiter(n int) *Limiter {
	n = max(n, floor)
	return &Limiter{most: n, limit: float64(n)}
}

// take takes a slot; where there is none, q is pumped when one becomes free.
func (l *Limiter) take(q *queue) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used < max(int(l.limit), floor) {
		l.used++
		return true
	}
	if !slices.Contains(l.waiting, q) {
		l.waiting = append(l.waiting, q)
	}
	return false
}

func (l *Limiter) give() {
	l.mu.Lock()
	l.used--
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	for _, q := range waiting {
		q.pump()
	}
}

// pressure lowers the limit, unless it was lowered since the attempt started.
func (l *Limiter) pressure(started, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !started.After(l.lowered) {
		return
	}
	l.limit, l.lowered = max(math.Floor(l.limit*lowerBy), floor), now
}

func (l *Limiter) good() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = min(l.limit+1/l.limit, float64(l.most))
}

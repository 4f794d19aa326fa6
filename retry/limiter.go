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

// Limiter bounds the attempts that are in flight, for one client or several. It lowers itself, down
// to 1, where the server shows pressure (429, 503, gateway errors, broken connections), once for
// all attempts that were in flight together, and rises by 1 for every limit's worth of good
// answers, up to the number that it was made with.
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
	if l.used < int(l.limit) {
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

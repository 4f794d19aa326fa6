package retry

import (
	"net/http"
	"strings"
)

// SetRandom makes the client draw its jitter from f.
func (c *Client) SetRandom(f func() float64) { c.random = f }

// Limit is the present limit.
func (l *Limiter) Limit() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.limit)
}

// InFlight is the number of slots in use.
func (l *Limiter) InFlight() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used
}

// NewError is a call that made no attempt.
func NewError(err error) *Error { return &Error{err: err} }

// RoundTripBuffer is the bound of what a round tripper copies.
const RoundTripBuffer = roundTripBuffer

// Headers reads "Name: value" lines.
func Headers(lines string) http.Header { return headerLines(lines) }

func headerLines(lines string) http.Header {
	h := make(http.Header)
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		h.Add(name, strings.TrimPrefix(value, " "))
	}
	return h
}

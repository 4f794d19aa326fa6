package partition

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/quire-dev/quire/retry"
)

// A limitError is a spending limit that is reached.
type limitError struct{ requests int64 }

func (e *limitError) Error() string { return fmt.Sprintf("request limit of %d reached", e.requests) }

// Permanent tells the retry core that a request which was refused for it is not sent again.
func (e *limitError) Permanent() bool { return true }

// A countingTransport lets so many requests out, and refuses the next.
type countingTransport struct {
	next  http.RoundTripper
	limit int64 // 0: none
	sent  atomic.Int64
}

// counted makes the requests of an HTTP client count.
func counted(hc *http.Client, limit int) *countingTransport {
	t := &countingTransport{next: hc.Transport, limit: int64(limit)}
	if t.next == nil {
		t.next = http.DefaultTransport
	}
	hc.Transport = t
	return t
}

// spent returns the error of the next request, nil where it may go out.
func (t *countingTransport) spent() error {
	if t.limit > 0 && t.sent.Load() >= t.limit {
		return &limitError{t.limit}
	}
	return nil
}

// RoundTrip sends a request, or refuses it with a [limitError].
func (t *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.sent.Add(1) > t.limit && t.limit > 0 {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read of it
		}
		return nil, &limitError{t.limit}
	}
	return t.next.RoundTrip(r)
}

// withoutRefused is the trace of a call without an attempt that the limit refused: it was not sent.
func withoutRefused(t retry.Trace) retry.Trace {
	if n := len(t.Attempts); n > 0 && isRefused(t.Attempts[n-1].Err) {
		t.Attempts = t.Attempts[:n-1]
	}
	return t
}

// isRefused reports whether an attempt was refused by the limit. What wraps one does not count: that is the end of a run.
func isRefused(err error) bool {
	_, refused := err.(*limitError) //nolint:errorlint // as the comment says
	return refused
}

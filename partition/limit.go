package partition

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/quire-dev/quire/retry"
)

// A limitError is a spending limit that is reached.
type limitError struct{ requests int }

func (e *limitError) Error() string { return fmt.Sprintf("request limit of %d reached", e.requests) }

// Permanent tells the retry core that a request which was refused for it is not sent again.
func (e *limitError) Permanent() bool { return true }

// A countingTransport lets so many requests out, and refuses the next.
type countingTransport struct {
	next  http.RoundTripper
	limit int // 0: none

	mu       sync.Mutex
	counted  int
	reserved int // of those, the ones that have not gone out
}

// counted makes the requests of an HTTP client count.
func counted(hc *http.Client, limit int) *countingTransport {
	t := &countingTransport{next: hc.Transport, limit: limit}
	if t.next == nil {
		t.next = http.DefaultTransport
	}
	hc.Transport = t
	return t
}

// spent returns the error of the next request, nil where it may go out.
func (t *countingTransport) spent() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over()
}

// reserve counts a request that goes out next, so that chunks go out in page order up to the limit.
func (t *countingTransport) reserve() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.over(); err != nil {
		return err
	}
	t.counted++
	t.reserved++
	return nil
}

// count counts a request that goes out now: a reserved one, whoever reserved it, or one more.
func (t *countingTransport) count() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reserved > 0 {
		t.reserved--
		return nil
	}
	if err := t.over(); err != nil {
		return err
	}
	t.counted++
	return nil
}

func (t *countingTransport) over() error {
	if t.limit > 0 && t.counted >= t.limit {
		return &limitError{t.limit}
	}
	return nil
}

// RoundTrip sends a request, or refuses it with a [limitError].
func (t *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.count(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // nothing was read of it
		}
		return nil, err
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

// isRefused reports whether an attempt was refused by the limit. What wraps one does not count:
// that is the end of a run.
func isRefused(err error) bool {
	_, refused := err.(*limitError) //nolint:errorlint // as the comment says
	return refused
}

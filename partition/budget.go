package partition

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/quire-dev/quire/retry"
)

// A Budget is what a client may spend in its life, over all its documents; 0 is no limit.
//
// A part of a document that would pass a limit is not sent, and fails with [KindBudget]; from then on so does every other part that
// is not under way, also one that would fit. Answers from the cache are free. What is under way comes to its end, and a document
// fails when its first page that was not asked for has its turn. There is one [Refused] event, before the first failure shows.
type Budget struct {
	// Requests is how many requests are sent, repetitions included. Once they are, no call waits to be repeated: it fails with what
	// its last attempt came to.
	Requests int
	// Pages is how many pages are asked for. A part counts its pages once, however often it is sent; a half that a part was
	// narrowed to counts again, for it is asked for anew. What goes whole and is of unknown length counts as one page: everything
	// but a PDF, a PDF that cannot be parsed or is too large to be, and the second request of [ScopeAfter].
	Pages int
}

// A limitError is a limit of the budget that is reached.
type limitError struct {
	of    string
	limit int
}

func (e *limitError) Error() string { return fmt.Sprintf("%s limit of %d reached", e.of, e.limit) }

// A spending is what a client has spent of its budget. Nothing is given back, so that a refusal is final.
type spending struct {
	budget Budget

	mu       sync.Mutex
	requests int
	pages    int
	refusal  error          // of all parts to come
	waiting  sync.WaitGroup // first requests that are paid for and have not gone out

	spent context.Context // ends with the last request
	end   context.CancelCauseFunc
	told  sync.Once
}

func newSpending(b Budget) *spending {
	s := &spending{budget: b}
	s.spent, s.end = context.WithCancelCause(context.Background())
	return s
}

// check refuses a part of so many pages if it cannot be paid for.
func (s *spending) check(pages int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuse(pages)
}

// begin pays for a part and its first request, or for neither.
func (s *spending) begin(pages int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(pages); err != nil {
		return err
	}
	s.pages += pages
	s.waiting.Add(1)
	s.pay()
	return nil
}

func (s *spending) refuse(pages int) error {
	switch {
	case s.refusal != nil:
	case s.spent.Err() != nil:
		s.refusal = context.Cause(s.spent)
	case s.budget.Pages > 0 && pages > s.budget.Pages-s.pages:
		s.refusal = &limitError{"page", s.budget.Pages}
	}
	return s.refusal
}

// again pays for a repetition.
func (s *spending) again() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spent.Err() != nil {
		return context.Cause(s.spent)
	}
	s.pay()
	return nil
}

func (s *spending) pay() {
	if s.requests++; s.requests == s.budget.Requests {
		s.end(&limitError{"request", s.requests})
	}
}

// refused tells once that the budget has refused something, when everything that it paid for has gone out. Whoever comes second
// waits until that is done.
func (c *Client) refused(ctx context.Context, e Event) {
	c.spending.told.Do(func() {
		c.spending.waiting.Wait()
		e.Kind = Refused
		c.event(ctx, e)
	})
}

// A meter is the way of one call through the budget: its first request was paid for when its part was admitted, and each
// repetition is on its way out.
type meter struct {
	*spending
	pauses  context.Context // of the call's waits: it ends with the budget
	sending context.Context // of its attempts
	stop    context.CancelCauseFunc
	kill    context.CancelCauseFunc
	disarm  func() bool
	sent    int
	over    bool // an attempt was begun that was not sent
}

type meterKey struct{}

// meter begins a call: pauses is the context of its waits, sending that of its attempts.
func (s *spending) meter(pauses, sending context.Context) *meter {
	m := &meter{spending: s, disarm: func() bool { return true }}
	m.pauses, m.stop = context.WithCancelCause(pauses)
	m.sending, m.kill = context.WithCancelCause(context.WithValue(sending, meterKey{}, m))
	return m
}

func (m *meter) close() {
	if m.sent == 0 {
		m.waiting.Done()
	}
	m.disarm()
	m.stop(nil)
	m.kill(nil)
}

// send lets an attempt out, or ends the call.
func (m *meter) send() error {
	if m.sent > 0 {
		if err := m.again(); err != nil {
			m.over = true
			m.stop(err)
			m.kill(err)
			return err
		}
	}
	if m.sent++; m.sent == 1 {
		m.waiting.Done()
		m.disarm = context.AfterFunc(m.spent, func() { m.stop(context.Cause(m.spent)) }) // not before: what is paid for goes out
	}
	return nil
}

// sentOnly is the trace without an attempt that was not sent.
func (m *meter) sentOnly(t retry.Trace) retry.Trace {
	if m.over {
		t.Attempts = t.Attempts[:len(t.Attempts)-1]
	}
	return t
}

// refusal is the limit that kept a call from another attempt, nil where something else ended it.
func (m *meter) refusal(t retry.Trace) *limitError {
	limit, _ := context.Cause(m.pauses).(*limitError) //nolint:errorlint // not what wraps one: that is the end of a run
	if n := len(t.Attempts); n == 0 || t.Stop != string(retry.StopCanceled) || t.Attempts[n-1].Kind == retry.KindCanceled {
		return nil
	}
	return limit
}

// A meteredTransport is where attempts go out.
type meteredTransport struct{ next http.RoundTripper }

// metered makes an HTTP client's requests pass their meters.
func metered(hc *http.Client) *http.Client {
	next := hc.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	hc.Transport = meteredTransport{next}
	return hc
}

// RoundTrip sends a request that is paid for.
func (t meteredTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if m, ok := r.Context().Value(meterKey{}).(*meter); ok {
		if err := m.send(); err != nil {
			if r.Body != nil {
				_ = r.Body.Close() // nothing was read of it
			}
			return nil, err
		}
	}
	return t.next.RoundTrip(r)
}

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
// What would pass a limit is not sent, and fails with [KindBudget]: a document whose pages do not all fit, a part for which there is
// no request. From then on so does everything that was not paid for before, also what would fit. Answers from the cache are free.
// What is paid for comes to its end, and a document of which a part was refused fails when the first page of that has its turn.
// There is one [Refused] event, before the first such failure shows: it waits until every other document under way is answered or has
// failed, and every request that is paid for has gone out.
type Budget struct {
	// Requests is how many requests are sent, repetitions included. Once they are, no call waits to be repeated: it fails with what
	// its last attempt came to.
	Requests int
	// Pages is how many pages are asked for. Those of a document that the cache does not answer are paid for together, before its
	// first request, so that none is sent by half; a cache without a method Has(context.Context, Key) bool is read for it. They
	// count once, however often they are sent, in parts or whole in place of parts, and also where the document fails before all are
	// sent. A half that a part was narrowed to counts again, for it is asked for anew. What goes whole and is of unknown length
	// counts as one page: everything but a PDF, a PDF that cannot be parsed or is too large to be, and the second request of
	// [ScopeAfter], which is paid for when its turn comes.
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
	waiting  int  // documents under way, but for those that were refused, and first requests that are paid for and have not gone out
	over     bool // something was refused

	spent   context.Context // ends with the last request
	end     context.CancelCauseFunc
	settled context.Context // ends when something was refused and nothing is waiting
	settle  context.CancelFunc
	told    sync.Once
}

func newSpending(b Budget) *spending {
	s := &spending{budget: b}
	s.spent, s.end = context.WithCancelCause(context.Background())
	s.settled, s.settle = context.WithCancel(context.Background())
	return s
}

// await begins a document that pays for nothing in advance. It is waited for until it is gone.
func (s *spending) await() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting++
}

// document pays for the pages of a document, or for none. It is waited for until it is gone.
func (s *spending) document(pages int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(pages)
}

// begin pays for a part, of no pages where they are paid for with its document's, and its first request, or for neither. The
// request is waited for until it is gone.
func (s *spending) begin(pages int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.take(pages); err != nil {
		return err
	}
	s.pay()
	return nil
}

func (s *spending) take(pages int) error {
	switch {
	case s.spent.Err() != nil:
		return context.Cause(s.spent)
	case pages == 0: // what was refused meanwhile is another's
	case s.over, s.budget.Pages > 0 && pages > s.budget.Pages-s.pages:
		s.over = true
		return &limitError{"page", s.budget.Pages}
	}
	s.pages += pages
	s.waiting++
	return nil
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

// gone ends the waiting for a document, or for a request.
func (s *spending) gone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	s.rest()
}

func (s *spending) rest() {
	if s.over && s.waiting == 0 {
		s.settle()
	}
}

// refused tells once that the budget has refused something, when nothing that it paid for is waiting any more. Whoever comes second
// waits until that is done, or until its own context ends.
func (c *Client) refused(ctx context.Context, e Event) {
	s := c.spending
	s.mu.Lock()
	s.over = true
	s.rest()
	s.mu.Unlock()
	select {
	case <-s.settled.Done():
	case <-ctx.Done():
	}
	if s.settled.Err() == nil {
		return
	}
	s.told.Do(func() {
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
		m.gone()
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
		m.gone()
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
	if n := len(t.Attempts); n == 0 || t.Stop != string(retry.StopCanceled) || t.Attempts[n-1].Error == retry.KindCanceled {
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

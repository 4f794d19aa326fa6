package retry

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// sending is one attempt under way.
type sending struct {
	start  time.Time
	body   *sentBody // the one in use; nil is no body
	answer *answerBody

	asked     atomic.Bool // the transport asked for a connection
	connected atomic.Bool // and got one
	barred    atomic.Bool // which is spent: the request's body is not opened for it
	wrote     atomic.Int32
}

// Values of sending.wrote.
const (
	wroteUnknown int32 = iota // a transport that does not say, or has not yet
	wroteAll
	wroteFailed
)

func (s *sending) trace(ctx context.Context, c *connection) context.Context {
	hooks := httptrace.ClientTrace{
		GetConn: func(string) { s.asked.Store(true); s.connected.Store(false) },
		GotConn: func(i httptrace.GotConnInfo) { s.connected.Store(true); s.barred.Store(c.take(i.Conn)) },
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if i.Err != nil {
				s.wrote.Store(wroteFailed)
			} else {
				s.wrote.Store(wroteAll)
				c.wrote()
			}
		},
		GotFirstResponseByte: c.answered,
	}
	return httptrace.WithClientTrace(ctx, &hooks)
}

func (s *sending) progress() progress {
	if s.body == nil {
		return progress{}
	}
	return s.body.progress()
}

// sent reports whether the request went out to its end. Where the transport does not say, a body
// that was taken to its end counts as sent.
func (s *sending) sent(answered bool) bool {
	switch s.wrote.Load() {
	case wroteAll:
		return true
	case wroteFailed:
		return false
	}
	if s.body == nil {
		return answered
	}
	return s.body.progress().done
}

// RoundTrip sends an attempt within the policy's limits: it is what the HTTP client of the call
// uses as its transport. A client that follows redirects comes here several times in one attempt;
// the limits are the attempt's.
func (l *loop) RoundTrip(req *http.Request) (*http.Response, error) {
	s := l.sending
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &answerBody{ctx: ctx, limits: limits{cancel: cancel, budget: &l.policy.Budget, attempt: l.state.attempt, silent: l.silent}}
	now := time.Now()
	b.limits.start(now, now.Sub(s.start))
	resp, err := l.roundTrip(ctx, req, b)
	b.limits.header()
	if err != nil {
		err = withLimit(ctx, err)
		b.limits.close()
		return nil, err
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	b.rc, resp.Body, s.answer = resp.Body, b, b
	return resp, nil
}

// roundTrip sends an attempt on a connection that no 5xx came on.
func (l *loop) roundTrip(ctx context.Context, req *http.Request, b *answerBody) (*http.Response, error) {
	for {
		c := &connection{pool: &l.client.conns}
		resp, err := l.transport.RoundTrip(req.WithContext(l.sending.trace(ctx, c)))
		if err == nil {
			c.settle(resp)
			b.connection = c
			return resp, nil
		}
		if unsent := c.give(); !unsent || ctx.Err() != nil {
			return nil, err
		}
		if req.GetBody != nil {
			again, bodyErr := req.GetBody()
			if bodyErr != nil {
				return nil, bodyErr
			}
			req = req.Clone(ctx)
			req.Body = again
		}
	}
}

// silent sends the event of an attempt that has been without an answer for [Budget.Silence].
func (l *loop) silent(attempt int) {
	l.emit(Event{Kind: EventSilence, Attempt: attempt, Wait: l.policy.Budget.Silence})
}

// answerBody is an answer's body within the limits of its attempt: a body that comes too
// slowly ends the attempt, and so does Close.
type answerBody struct {
	rc         io.ReadCloser
	ctx        context.Context
	limits     limits
	connection *connection
	err        error // why reading failed
}

func (b *answerBody) Read(p []byte) (int, error) {
	b.limits.wait()
	n, err := b.rc.Read(p)
	b.limits.got(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = withLimit(b.ctx, err)
		b.err = err
	}
	return n, err
}

func (b *answerBody) Close() error {
	err := b.rc.Close()
	b.connection.give()
	b.limits.close()
	return err
}

// withLimit returns the limit that ended the attempt instead of what the transport made of it.
func withLimit(ctx context.Context, err error) error {
	var limit *limitError
	if errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	return err
}

// heldBody is the body that the caller gets: what was peeked at, then the rest. It holds the slot,
// if it has one, until Close.
type heldBody struct {
	seen []byte
	rest io.ReadCloser
	slot *Slot
}

func (b *heldBody) Read(p []byte) (int, error) {
	if len(b.seen) > 0 {
		n := copy(p, b.seen)
		b.seen = b.seen[n:]
		return n, nil
	}
	return b.rest.Read(p)
}

func (b *heldBody) Close() error {
	err := b.rest.Close()
	b.slot.Release()
	return err
}

package retry

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// Outcome is how an attempt ended, as a policy sees it. It holds values only, no open resources.
type Outcome struct {
	// Status is the answer's status; 0 means no answer.
	Status int
	// Header is the answer's header.
	Header http.Header
	// Kind is what went wrong, apart from the status; "" means nothing.
	Kind Kind
	// Body is the answer's body; nil if it is empty or was not read to its end.
	Body []byte
	// Sent says that the request was sent completely.
	Sent bool
}

// observation is an outcome with what only a running call knows.
type observation struct {
	Outcome // Body is the beginning of the body that was seen, decoded from gzip

	err    error
	seen   bool      // the body was looked at
	whole  bool      // Body is all of it
	stream bool      // the body is never looked at
	at     time.Time // when the answer came, for dates in headers
}

// observed is an outcome whose body is known.
func observed(o Outcome, at time.Time) observation {
	return observation{Outcome: o, seen: o.Status != 0, whole: o.Status != 0, at: at}
}

// success reports whether the attempt ended with a 2xx status and no error.
func (o *observation) success() bool { return o.Kind == "" && o.Status >= 200 && o.Status <= 299 }

// pressure reports whether the outcome speaks for sending less at a time.
func (o *observation) pressure() bool {
	switch o.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return o.Kind == KindReset || o.Kind == KindLost
}

// observe turns an attempt's outcome into values.
func (l *loop) observe(resp *http.Response, err error) {
	p := l.sending.progress()
	l.last = observation{at: time.Now()}
	o := &l.last
	o.Sent = l.sending.sent(resp != nil)
	l.resp, l.seen, l.accepted = nil, nil, false
	if resp != nil {
		o.Status, o.Header = resp.StatusCode, resp.Header
		o.stream = l.call.Stream || isEventStream(resp.Header)
	}
	switch {
	case err == nil:
		l.resp = resp
		l.look(o)
	case resp != nil:
		o.Kind, o.err = KindRedirect, bare(err)
	case p.err != nil:
		o.Kind, o.err = KindBody, p.err
	case p.length:
		o.Kind, o.err = KindLength, bare(err)
	default:
		o.err = bare(err)
		o.Kind = classify(o.err, l.sending.asked.Load() && !l.sending.connected.Load(), o.Sent)
		if errors.Is(err, errTwice) {
			o.Kind = KindBody
		}
	}
	if o.err != nil && l.life.ctx.Err() != nil {
		o.Kind, o.err = KindCanceled, canceled(l.life.ctx)
	}
}

// look reads of an answer what the decision needs.
func (l *loop) look(o *observation) {
	if o.stream {
		return
	}
	var err error
	wanted := l.policy.wantsBody(&l.state, o) || l.policy.Budget.SameAnswer > 0 && o.Status == http.StatusInternalServerError
	switch {
	case wanted && o.success():
		var whole bool
		l.seen, whole, err = peekAll(l.resp, l.peek.Result)
		o.see(l.seen, whole, l.peek.Result)
	case wanted:
		var whole bool
		l.seen, whole = peek(l.resp, l.peek.Bytes, l.peek.Wait)
		o.see(l.seen, whole, l.peek.Bytes)
	}
	if err == nil && o.success() && l.call.Accept != nil {
		l.accepted = true
		if len(l.seen) > 0 {
			l.resp.Body = &heldBody{seen: l.seen, rest: l.resp.Body}
		}
		err = l.call.Accept(l.resp)
	}
	if err != nil {
		o.err, o.Kind = err, classifyResult(err, l.sending.answer.err)
	}
}

// see notes what was seen of the body.
func (o *observation) see(seen []byte, whole bool, limit int) {
	o.seen = true
	o.Body, o.whole = plain(o.Header, seen, whole, limit)
}

// dispose reads an answer that nobody will read to its end, within the bounds of a peek, so that
// its connection can be used again.
func (l *loop) dispose(resp *http.Response) {
	if !l.last.stream && l.seen == nil {
		seen, _ := peek(resp, l.peek.Bytes, l.peek.Wait)
		if !l.accepted {
			l.seen = seen
		}
	}
	resp.Body.Close()
	resp.Body = http.NoBody
}

func isEventStream(h http.Header) bool {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

package retry

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// observe turns an attempt's outcome into values.
func (l *loop) observe(resp *http.Response, err error) {
	p := l.sending.progress()
	o := &l.last
	*o = Observation{Method: o.Method, Facts: l.call.Facts, At: time.Now(), Sent: l.sending.sent(resp != nil)}
	l.resp, l.seen, l.accepted = nil, nil, false
	if resp != nil {
		o.Status, o.Header = resp.StatusCode, resp.Header
		o.Stream = l.call.Stream || isEventStream(resp.Header)
	}
	switch {
	case err == nil:
		l.resp = resp
		l.look(o)
	case resp != nil:
		o.Kind, o.Err = KindRedirect, bare(err)
	case p.err != nil:
		o.Kind, o.Err = KindBody, p.err
	case p.length:
		o.Kind, o.Err = KindLength, bare(err)
	default:
		o.Err = bare(err)
		o.Kind = classify(o.Err, l.sending.asked.Load() && !l.sending.connected.Load(), o.Sent)
		if errors.Is(err, errTwice) {
			o.Kind = KindBody
		}
	}
	if o.Err != nil && l.attempts.Err() != nil {
		o.Kind, o.Err = KindCanceled, canceled(l.attempts)
	}
}

// look reads of an answer what the decision needs.
func (l *loop) look(o *Observation) {
	if o.Stream {
		return
	}
	if !o.Success() {
		if l.policy.wantsBody(&l.state, o) {
			l.peekError(o)
		}
		return
	}
	var err error
	if l.policy.wantsBody(&l.state, o) {
		var whole bool
		l.seen, whole, err = peekAll(l.resp, l.peek.Result)
		o.Peek, o.PeekEOF = plain(o.Header, l.seen, whole, l.peek.Result)
	}
	if err == nil && l.call.Accept != nil {
		l.accepted = true
		if len(l.seen) > 0 {
			hold(l.resp, l.seen, nil)
		}
		err = l.call.Accept(l.resp)
	}
	if err != nil {
		o.Err, o.Kind = err, classifyResult(err, l.sending.answer.err)
	}
}

func (l *loop) peekError(o *Observation) {
	var whole bool
	l.seen, whole = peek(l.resp, l.peek.Bytes, l.peek.Wait)
	o.Peek, o.PeekEOF = plain(o.Header, l.seen, whole, l.peek.Bytes)
}

// dispose reads an answer that nobody will read to its end, within the bounds of a
// peek, so that its connection can be used again.
func (l *loop) dispose(resp *http.Response) {
	if !l.last.Stream && l.seen == nil {
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

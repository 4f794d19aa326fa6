package retry

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// result makes the results of a call from where it ended.
func (l *loop) result(err error) (*http.Response, Trace, error) {
	l.finished = true
	d, t := &l.decision, &l.trace
	if !l.start.IsZero() {
		t.Elapsed = time.Since(l.start)
	}
	t.end(d)
	if d.action != Return { // ended between two attempts, or before the first
		stop := stopOf(err)
		if ended := l.life.ended(); ended != nil && (stop == StopCanceled || stop == stopDeadline) {
			err = ended
		}
		t.Stop = string(stop)
		if !l.judged.IsZero() {
			t.Slept += time.Since(l.judged)
		}
	} else if err = l.last.err; d.stop == StopCanceled {
		t.Stop = string(stopOf(err))
	}
	if l.usable() && (d.action == Return || t.Stop == string(stopHardElapsed) || t.Stop == string(stopDeadline)) {
		t.Partial = d.partial
		if l.accepted {
			l.seen = nil // the caller has it
		}
		l.resp.Body = &heldBody{seen: l.seen, rest: l.resp.Body, slot: l.slot}
		if !l.last.success() || d.partial || d.final {
			l.stopped(nil)
		}
		return l.resp, *t, nil
	}
	l.slot.Release()
	e := &Error{Trace: *t, err: err}
	if len(t.Attempts) > 0 {
		last := l.last.Outcome
		if !l.last.whole {
			last.Body = nil
		}
		e.Last = &last
	}
	l.stopped(err)
	return nil, *t, e
}

// cleanUp closes a request's body that was not sent, and leaves nothing behind when a function of
// the caller has panicked.
func (l *loop) cleanUp() {
	if req := l.call.Request; req != nil && req.Body != nil && (req.GetBody != nil || l.sending == nil || !l.sending.progress().opened) {
		req.Body.Close()
	}
	if l.finished {
		return
	}
	if l.resp != nil {
		l.resp.Body.Close()
	}
	l.slot.Release()
}

// stopOf returns what ended a wait.
func stopOf(err error) Stop {
	var (
		stop *stopError
		end  *canceledError
	)
	switch {
	case errors.As(err, &stop):
		return stop.stop
	case errors.As(err, &end) && errors.Is(end.err, context.DeadlineExceeded):
		return stopDeadline
	case errors.Is(err, context.DeadlineExceeded):
		return stopDeadline
	case errors.As(err, &end), errors.Is(err, context.Canceled):
		return StopCanceled
	}
	return ""
}

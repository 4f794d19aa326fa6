package retry

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// record adds the attempt to the trace.
func (l *loop) record(now time.Time) {
	p := l.sending.progress()
	l.trace.Attempts = append(l.trace.Attempts, Attempt{
		Status: l.last.Status, Kind: l.last.Kind, Err: l.last.Err, Rule: l.decision.Rule, Wait: l.wait,
		BytesSent: p.n, BodySent: l.last.Sent, Elapsed: now.Sub(l.sending.start), MaybeBilled: l.decision.Billed,
	})
}

// finish makes the results of a call from where it ended.
func (l *loop) finish(err error) (*http.Response, Trace, error) {
	d := &l.decision
	t := &l.trace
	if !l.start.IsZero() {
		t.Elapsed = time.Since(l.start)
	}
	t.Stop, t.Final = d.Rule, d.Final
	if d.Stop != "" {
		t.Stop = string(d.Stop)
	}
	if d.Action != Return { // ended between two attempts, or before the first
		t.Stop = string(stopOf(err))
		if !l.idleFrom.IsZero() {
			t.Slept += time.Since(l.idleFrom)
		}
		if l.ctx.Err() != nil && (t.Stop == string(StopCanceled) || t.Stop == string(StopDeadline)) {
			err = canceled(l.ctx)
		}
	} else if err = l.last.Err; d.Stop == StopCanceled {
		t.Stop = string(stopOf(err))
	}
	usable := l.resp != nil && l.last.Kind == KindNone
	if usable && (d.Action == Return || t.Stop == string(StopHardElapsed) || t.Stop == string(StopDeadline)) {
		t.Partial = d.Partial
		l.hand()
		if !l.last.Success() || d.Partial || d.Final {
			l.stopped(nil)
		}
		return l.resp, *t, nil
	}
	l.slot.Release()
	e := &Error{Trace: *t, Err: err}
	if len(t.Attempts) > 0 {
		last := l.last
		e.Last = &last
	}
	l.stopped(err)
	return nil, *t, e
}

// hand gives the last answer to the caller.
func (l *loop) hand() {
	switch {
	case l.accepted:
	case l.decision.Action == Return:
		hold(l.resp, l.seen, l.slot)
	default:
		hold(l.resp, l.seen, nil)
	}
}

// abort leaves nothing behind when a hook of the caller has panicked.
func (l *loop) abort() {
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
		return StopDeadline
	case errors.Is(err, context.DeadlineExceeded):
		return StopDeadline
	case errors.As(err, &end), errors.Is(err, context.Canceled):
		return StopCanceled
	}
	return ""
}

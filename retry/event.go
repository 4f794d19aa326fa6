package retry

import (
	"log/slog"
	"time"
)

// EventKind is what happened.
type EventKind string

// The events.
const (
	EventAttempt EventKind = "attempt" // an attempt starts
	EventSilence EventKind = "silence" // an attempt has been without an answer for [Budget.Silence]
	EventAnswer  EventKind = "answer"  // an attempt has ended and was judged
	EventSleep   EventKind = "sleep"   // the call waits before the next attempt
	EventClosed  EventKind = "closed"  // the client's gate closed
	EventOpened  EventKind = "opened"  // the client's gate opened
	EventStop    EventKind = "stop"    // the call ended without success
)

// Event is one thing that happened to a call. It never holds a header's value or
// a body.
type Event struct {
	Kind    EventKind
	Attempt int // from 1
	Status  int // 0 without an answer
	Error   Kind
	Err     error
	Rule    string
	// Stop is why a repeat is not made; in [EventStop] what [Trace.Stop] says.
	Stop Stop
	// Wait is the length of a sleep, the expected time of a closed gate, or how
	// long an attempt has been silent; Elapsed is how long an attempt took, or
	// the call for [EventStop].
	Wait, Elapsed time.Duration
	BytesSent     int64       // as [Attempt] has it, once that has ended
	Attrs         []slog.Attr // the call's
}

// emit sends an event to the client's observer and logger.
func (l *loop) emit(e Event) {
	if l.client.Observe == nil && l.client.Logger == nil {
		return
	}
	e.Attrs = l.call.Attrs
	if l.client.Observe != nil {
		l.client.Observe(l.ctx, e)
	}
	if log := l.client.Logger; log != nil && log.Enabled(l.ctx, e.level()) {
		log.LogAttrs(l.ctx, e.level(), "retry: "+string(e.Kind), e.attrs()...)
	}
}

// report tells how an attempt was judged, and what follows.
func (l *loop) report(closed, opened bool) {
	if l.client.Observe == nil && l.client.Logger == nil {
		return
	}
	d := &l.decision
	last := &l.trace.Attempts[len(l.trace.Attempts)-1]
	e := Event{
		Kind: EventAnswer, Attempt: l.state.Attempt, Status: last.Status, Error: last.Kind, Err: last.Err,
		Rule: d.Rule, Stop: d.Stop, Elapsed: last.Elapsed,
		BytesSent: last.BytesSent,
	}
	l.emit(e)
	if closed {
		l.emit(Event{Kind: EventClosed, Attempt: e.Attempt, Status: e.Status, Error: e.Error, Rule: d.Rule, Wait: d.Asked})
	}
	if opened {
		l.emit(Event{Kind: EventOpened, Attempt: e.Attempt, Status: e.Status})
	}
	if d.Action != Return {
		e.Kind, e.Wait = EventSleep, l.wait
		l.emit(e)
	}
}

// stopped tells that the call ended without success.
func (l *loop) stopped(err error) {
	l.emit(Event{
		Kind: EventStop, Attempt: l.state.Attempt, Status: l.last.Status, Error: l.last.Kind, Err: err,
		Rule: l.decision.Rule, Stop: Stop(l.trace.Stop), Elapsed: l.trace.Elapsed,
	})
}

func (e *Event) level() slog.Level {
	switch e.Kind {
	case EventClosed, EventStop, EventSilence:
		return slog.LevelWarn
	case EventSleep, EventOpened:
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

func (e *Event) attrs() []slog.Attr {
	attrs := append(make([]slog.Attr, 0, len(e.Attrs)+8), e.Attrs...)
	if e.Attempt > 0 {
		attrs = append(attrs, slog.Int("attempt", e.Attempt))
	}
	if e.Status > 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	for _, a := range []struct{ key, value string }{
		{"kind", string(e.Error)}, {"rule", e.Rule}, {"stop", string(e.Stop)},
	} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value))
		}
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", oneLine(e.Err.Error())))
	}
	if e.Wait > 0 {
		attrs = append(attrs, slog.Duration("wait", e.Wait))
	}
	if e.Elapsed > 0 {
		attrs = append(attrs, slog.Duration("elapsed", e.Elapsed))
	}
	return attrs
}

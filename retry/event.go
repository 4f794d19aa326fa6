package retry

import (
	"log/slog"
	"slices"
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

// Event is one thing that happened to a call. It never holds a header's value or a body.
type Event struct {
	// Kind is what happened.
	Kind EventKind
	// Attempt is its number, from 1; 0 is before the first.
	Attempt int
	// Status is the answer's; 0 without an answer.
	Status int
	// Error is how the attempt went wrong, apart from its status; Err says it in words. In [EventStop]
	// Err is what the call ended with, nil where that is an answer.
	Error Kind
	Err   error
	// Rule is the row of the policy that judged the attempt, or one of the names at [Trace.Stop].
	Rule string
	// Stop is why a repeat is not made, "" where the rule did not want one; in [EventStop] it is what
	// [Trace.Stop] says.
	Stop Stop
	// Wait is the length of a sleep, the expected time of a closed gate, or how long an attempt has
	// been silent.
	Wait time.Duration
	// Elapsed is how long an attempt took until it was judged, or the call for [EventStop].
	Elapsed time.Duration
	// BytesSent is how much of the request's body was taken to be sent, in bytes, once the attempt has
	// ended.
	BytesSent int64
	// Same is how often in a row the answer is one of those that [Budget.SameAnswer] counts; 0 is an
	// answer that is not, or no answer.
	Same int
	// MaybeBilled says that the work may have been done and charged although the attempt brought no
	// usable answer.
	MaybeBilled bool
}

// emit sends an event to the call's observer and the client's logger.
func (l *loop) emit(e Event) {
	if l.call.Observe != nil {
		l.call.Observe(e)
	}
	if log := l.client.Logger; log != nil && log.Enabled(l.life.ctx, e.level()) {
		log.LogAttrs(l.life.ctx, e.level(), "retry: "+string(e.Kind), append(slices.Clone(l.call.Attrs), e.attrs()...)...)
	}
}

// report sends the events of a judged attempt: its answer, and what follows.
func (l *loop) report(closed, opened bool) {
	d := &l.decision
	answer := l.trace.Attempts[len(l.trace.Attempts)-1]
	answer.Wait = 0
	l.emit(answer)
	if closed {
		l.emit(Event{Kind: EventClosed, Attempt: answer.Attempt, Status: answer.Status, Error: answer.Error, Rule: d.rule, Wait: d.asked})
	}
	if opened {
		l.emit(Event{Kind: EventOpened, Attempt: answer.Attempt, Status: answer.Status})
	}
	if d.action != Return {
		answer.Kind, answer.Wait = EventSleep, l.wait
		l.emit(answer)
	}
}

// stopped sends the event of a call that ended without success.
func (l *loop) stopped(err error) {
	l.emit(Event{
		Kind: EventStop, Attempt: l.state.attempt, Status: l.last.Status, Error: l.last.Kind, Err: err,
		Rule: l.decision.rule, Stop: Stop(l.trace.Stop), Elapsed: l.trace.Elapsed,
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
	attrs := make([]slog.Attr, 0, 8)
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

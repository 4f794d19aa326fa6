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
	EventSilence EventKind = "silence" // an attempt has had no answer for [Budget.Silence]
	EventAnswer  EventKind = "answer"  // an attempt has ended and the policy has decided
	EventSleep   EventKind = "sleep"   // the call waits before the next attempt
	EventClosed  EventKind = "closed"  // the client's gate closed
	EventOpened  EventKind = "opened"  // the client's gate opened
	EventStop    EventKind = "stop"    // the call ended without success
)

// Event is one thing that happened to a call. It never holds a header's value or a body.
type Event struct {
	// Kind is what happened.
	Kind EventKind
	// Attempt is the number of the attempt, from 1; 0 means before the first.
	Attempt int
	// Status is the answer's status; 0 without an answer.
	Status int
	// Error is the kind of the attempt's error, apart from its status; Err is the error. In
	// [EventStop], Err is the error that the call ended with; nil if it ended with an answer.
	Error Kind
	Err   error
	// Rule is the name of the rule that decided on the attempt, or one of the names listed at
	// [Trace.Stop].
	Rule string
	// Stop is what forbids a retry; "" if the rule asked for none. In [EventStop] it is the value
	// of [Trace.Stop].
	Stop Stop
	// Wait is how long the call sleeps, how long the gate is expected to stay closed, or how long
	// an attempt has been silent.
	Wait time.Duration
	// Elapsed is how long the attempt took until the decision; in [EventStop], how long the call
	// took.
	Elapsed time.Duration
	// BytesSent is how many bytes of the request's body were read for sending. It is set when the
	// attempt has ended.
	BytesSent int64
	// Same is how often in a row the call got this answer, as [Budget.SameAnswer] counts; 0 means an
	// answer that does not count, or no answer.
	Same int
	// MaybeBilled says that the server may have done and billed the work, although the attempt got
	// no usable answer. So it is after a request that was sent completely, also if the caller's
	// context ended before the answer.
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

package batch

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// UnreachableAfter is how long a [Watch] lets a run try to reach a server for the first time.
const UnreachableAfter = 10 * time.Second

// A Watch observes a client and ends a hopeless run without waiting for its documents. If the key
// is refused or the quota is exhausted, it ends the run before the next request is sent. If the
// server was never reached, it ends the run after [UnreachableAfter]; without a Watch, requests go
// on for as long as their retry policy allows. It also keeps a run going while the server answers
// pages of some document, even if it fails others in a row.
//
// Pass its Observe method to [partition.WithObserver], and the Watch itself to a run with that
// client, in [Options.Watch]. Use a Watch for one run at a time. The zero value is ready to use.
type Watch struct {
	mu      sync.Mutex
	url     string
	stop    context.CancelCauseFunc // nil: there is no run
	reached bool                    // somebody answered
	worked  time.Time               // when the server last answered a chunk; zero is never
	late    *time.Timer             // since the first attempt, until somebody does
	last    error                   // why nobody did
}

// An UnreachableError ended a run because the server was never reached.
type UnreachableError struct {
	URL string
	Err error // of the last attempt
}

func (e *UnreachableError) Error() string {
	return "server unreachable: " + e.URL + ": " + rootCause(e.Err).Error()
}

// Unwrap returns the last attempt's error.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Observe handles an event of the client. It is safe for concurrent use and does not block. A nil
// Watch ignores it.
func (w *Watch) Observe(_ context.Context, e partition.Event) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stop == nil:
	case e.Kind == partition.ChunkEnd && e.Err == nil:
		w.worked = time.Now()
	case e.Kind == partition.Refused:
		w.stop(e.Err)
	case e.Kind != partition.AttemptEvent || w.reached:
	case e.Attempt.Kind == retry.EventAttempt && w.late == nil:
		w.late = time.AfterFunc(UnreachableAfter, w.giveUp)
	case e.Attempt.Kind == retry.EventAnswer:
		switch e.Attempt.Error {
		case retry.KindDial, retry.KindDNS, retry.KindTLS:
			w.last = e.Attempt.Err
		default:
			w.reached = true
			w.disarm()
		}
	}
}

// giveUp stops a run whose server was not reached in time; a first attempt that is still under way
// may yet reach it.
func (w *Watch) giveUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.reached || w.stop == nil:
	case w.last == nil:
		w.late.Reset(time.Second)
	default:
		w.stop(&UnreachableError{w.url, w.last})
	}
}

// begin watches a run. A nil Watch watches nothing.
func (w *Watch) begin(url string, stop context.CancelCauseFunc) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.url, w.stop = url, stop
}

// end ends the watching, and forgets the run.
func (w *Watch) end() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.disarm()
	w.stop, w.reached, w.worked, w.late, w.last = nil, false, time.Time{}, nil, nil
}

// lastWorked is when the server last answered a chunk; zero is never, or not known.
func (w *Watch) lastWorked() time.Time {
	if w == nil {
		return time.Time{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.worked
}

func (w *Watch) disarm() {
	if w.late != nil {
		w.late.Stop()
	}
}

// rootCause leaves out what repeats the URL.
func rootCause(err error) error {
	var wrapped interface{ Timeout() bool }
	for {
		next := errors.Unwrap(err)
		if next == nil || !errors.As(next, &wrapped) {
			return err
		}
		err = next
	}
}

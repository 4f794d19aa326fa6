package cmd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

const (
	// unreachableAfter is how long a server that was never reached is tried.
	unreachableAfter = 10 * time.Second

	// hopelessAfter is how many documents in a row a server must fail for the run to be given up. A server that is down for a while
	// fails none: its requests are tried again until their own time is up.
	hopelessAfter = 20
)

// A watch stops a hopeless run: every document would be refused alike, or wait out its own retries.
type watch struct {
	url  string
	stop context.CancelCauseFunc

	mu      sync.Mutex
	reached bool        // somebody answered
	late    *time.Timer // since the first attempt, until then
	last    error       // why it was not reached
	worked  bool        // the server has done a document, or a page
	failed  int         // documents in a row that it failed
}

// newWatch watches a run; with a list that a program feeds nothing is stopped: each document has its answer, and who asks knows when
// to stop.
func newWatch(stop context.CancelCauseFunc, list bool) *watch {
	if list {
		stop = func(error) {}
	}
	return &watch{stop: stop}
}

func (u *watch) observe(e partition.Event) {
	if e.Kind == partition.Refused {
		u.stop(e.Err)
		return
	}
	if e.Kind != partition.AttemptEvent {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.reached:
	case e.Attempt.Kind == retry.EventAttempt && u.late == nil:
		u.late = time.AfterFunc(unreachableAfter, u.giveUp)
	case e.Attempt.Kind == retry.EventAnswer:
		switch e.Attempt.Error {
		case retry.KindDial, retry.KindDNS, retry.KindTLS:
			u.last = e.Attempt.Err
		default:
			u.reached = true
			u.late.Stop()
		}
	}
}

// giveUp stops a run whose server was not reached in time; a first attempt that is still under way may yet reach it.
func (u *watch) giveUp() {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.reached:
	case u.last == nil:
		u.late.Reset(time.Second)
	default:
		u.stop(&unreachable{u.url, u.last})
	}
}

// close ends the watching.
func (u *watch) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.reached = true; u.late != nil {
		u.late.Stop()
	}
}

// concluded counts a document. A failure that speaks of the server counts; one that the server blames on the request, or declares
// final, does so as long as it has not done anything; and one that speaks of the document says nothing.
func (u *watch) concluded(o *outcome.Outcome) {
	u.mu.Lock()
	defer u.mu.Unlock()
	sent := o.Report.Requests() > 0
	switch {
	case sent && o.Report.Elements > 0, sent && o.State == outcome.Done:
		u.worked, u.failed = true, 0
	case o.State != outcome.Failed || !sent:
	case outcome.Unavailable(o.Err), !u.worked && outcome.MayBeShared(o.Err):
		if u.failed++; u.failed == hopelessAfter {
			u.stop(&hopeless{u.failed, o.Err})
		}
	}
}

// A hopeless is the cause of a run whose server failed one document after the other.
type hopeless struct {
	documents int
	last      error
}

func (h *hopeless) Error() string {
	return fmt.Sprintf("the server failed %d documents in a row: giving up; the last was %s", h.documents, h.last)
}
func (h *hopeless) Unwrap() error { return h.last }

// An unreachable is the cause of a run that a server ended by not being there.
type unreachable struct {
	url string
	err error
}

func (u *unreachable) Error() string {
	return "server unreachable: " + u.url + ": " + rootCause(u.err).Error()
}
func (u *unreachable) Unwrap() error { return u.err }

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

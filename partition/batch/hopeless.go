package batch

import (
	"errors"
	"fmt"
	"sync"

	"github.com/quire-dev/quire/partition"
)

// HopelessAfter is the number of documents in a row that the server must fail before Run gives up.
// A server that is down for a short while fails none of them: requests are retried until the limits
// of the retry policy are reached.
const HopelessAfter = 20

// A HopelessError ended a run because the server failed one document after the other.
type HopelessError struct {
	Documents int   // in a row
	Err       error // of the last
}

func (e *HopelessError) Error() string {
	return fmt.Sprintf("the server failed %d documents in a row: giving up; the last was %s", e.Documents, e.Err)
}

// Unwrap returns the last document's error.
func (e *HopelessError) Unwrap() error { return e.Err }

// A FailuresError ended a run that reached [Options.MaxFailures].
type FailuresError struct{ Limit int }

func (e *FailuresError) Error() string { return fmt.Sprintf("failure limit of %d reached", e.Limit) }

// A despair counts the documents in a row that a server failed.
type despair struct {
	mu     sync.Mutex
	worked bool // the server has done a document, or a page
	failed int  // documents in a row
}

// count counts a document, and returns an error when the run is hopeless. A failure that speaks of
// the server counts; one that the server blames on the request, or declares final, counts as long as
// the server has not done anything; one that speaks of the document, or of the time limit that the
// caller set for it, says nothing.
func (d *despair) count(o *Outcome) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var api *partition.APIError
	final := errors.As(o.Err, &api) && api.Final
	sent, scope := o.Report.Requests() > 0, o.Kind().Scope()
	switch {
	case sent && o.Report.Elements > 0, sent && o.State == Done:
		d.worked, d.failed = true, 0
	case o.State != Failed || !sent || o.limited:
	case o.Kind().Transient() && !final, !d.worked && (scope == partition.ScopeServer || scope == partition.ScopeRequest):
		if d.failed++; d.failed == HopelessAfter {
			return &HopelessError{d.failed, o.Err}
		}
	}
	return nil
}

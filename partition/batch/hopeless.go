package batch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

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

// A despair counts the documents in a row that a server failed while it did nothing else.
type despair struct {
	mu     sync.Mutex
	worked time.Time // when the server last did a document, or a page of one; zero is never
	failed int       // documents in a row
}

// count counts a document that has just ended, and returns an error when the run is hopeless. worked
// is when the server last answered pages of any document, where that is known.
//
// A failure that speaks of the server counts, unless the server did something else after the
// document's failing requests had begun: then the failure is the document's, whenever it ends. One
// that the server blames on the request, or that would be the same each time, counts as long as the
// server has not done anything; one that speaks of the document, or of the time limit that the
// caller set for it, says nothing.
func (d *despair) count(o *Outcome, worked time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if worked.After(d.worked) {
		d.worked, d.failed = worked, 0
	}
	now, scope := time.Now(), o.Kind().Scope()
	sent, never := o.Report.Requests() > 0, d.worked.IsZero()
	switch {
	case serverWorked(o.Report):
		d.worked, d.failed = now, 0
	case o.State != Failed && o.State != Partial || !sent || o.limited:
	case never && (scope == partition.ScopeServer || scope == partition.ScopeRequest),
		isTransient(o.Err) && !d.worked.After(now.Add(-failing(o.Report))):
		if d.failed++; d.failed == HopelessAfter {
			return &HopelessError{d.failed, o.Err}
		}
	}
	return nil
}

// serverWorked reports whether the server, and not the cache, answered some pages of a document.
func serverWorked(report partition.Report) bool {
	return slices.ContainsFunc(report.Chunks, func(c partition.ChunkReport) bool { return c.Err == nil && len(c.Trace.Attempts) > 0 })
}

// isTransient reports whether the document might be done at another time.
func isTransient(err error) bool {
	if api := (*partition.APIError)(nil); errors.As(err, &api) {
		return api.Transient()
	}
	return partition.KindOf(err).Transient()
}

// failing is how long the requests were repeated that a document failed by, from the first attempt.
func failing(report partition.Report) time.Duration {
	var longest time.Duration
	for i := range report.Chunks {
		if c := &report.Chunks[i]; c.Err != nil {
			longest = max(longest, c.Trace.Elapsed)
		}
	}
	return longest
}

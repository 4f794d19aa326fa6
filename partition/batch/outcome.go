package batch

import (
	"errors"
	"time"

	"github.com/quire-dev/quire/partition"
)

// A State says how a document ended in a run.
type State string

// The states.
const (
	Done      State = "done"      // all pages were answered
	Partial   State = "partial"   // some pages are missing, the others were delivered
	Failed    State = "failed"    // it has no result
	Unchanged State = "unchanged" // an earlier run has done it: see Options.Earlier
	Skipped   State = "skipped"   // it has no Open
	NotDone   State = "not_done"  // the run ended before it was done; what was answered by then was delivered
	Ended     State = "ended"     // not a document: says why the run ended early
)

// An Outcome says how one document ended.
type Outcome struct {
	Item   Item
	Number int // of the item in the sequence, from 1; 0 for Ended
	State  State

	// Result has the report and, unless [Options.Do] is set, the elements. If there is an error it
	// has the elements that were answered.
	partition.Result

	// Err is nil for Done, Skipped and, mostly, Unchanged. For Partial, and for NotDone if some pages
	// are answered, it is a [partition.PartialError], which lists the missing pages.
	Err error

	Elapsed time.Duration // from the opening of the document to its end

	earlier bool // the state is of an earlier run
	limited bool // the document took longer than it may
}

// Kind returns the kind of the outcome's error. For an error that package partition does not know,
// such as an output that could not be written, it is [partition.KindLocalIO]; without an error it
// is "".
func (o Outcome) Kind() partition.Kind {
	if o.Err == nil {
		return ""
	}
	if kind := partition.KindOf(o.Err); kind != "" {
		return kind
	}
	return partition.KindLocalIO
}

// isPartial reports whether a document was answered but for pages that the error names.
func isPartial(err error) bool {
	partial := (*partition.PartialError)(nil)
	return errors.As(err, &partial)
}

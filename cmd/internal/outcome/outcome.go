package outcome

import (
	"errors"
	"time"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/wire"
)

// A State is how a document ended.
type State = batch.State

// The states. They are words of the progress lines, and of the page about a run.
const (
	Done      = batch.Done      // its output is whole
	Partial   = batch.Partial   // its output lacks pages
	Failed    = batch.Failed    // it has no output
	Unchanged = batch.Unchanged // an earlier run did it, and nothing has changed since
	Skipped   = batch.Skipped   // it was left out
	NotDone   = batch.NotDone   // the run ended before it
)

// An Outcome is what a run knows of one document.
type Outcome struct {
	Number  int    // in the run, from 1
	Path    string // as it is opened; "-" for standard input
	Name    string // of its output, below the output folder, with slashes and without the format's extension
	Size    int64  // of its file, in bytes; 0 where that is not known
	Skip    string // why it was left out
	Quiet   bool   // it was left out without a message, unless the user asks for one
	State   State
	Report  partition.Report
	Err     error         // of a document that failed, or lacks pages
	SHA256  string        // of its content; "" where that was not needed, or could not be read
	Written bool          // it has an output, complete or not
	Elapsed time.Duration // how long it was under way
}

// Failed reports whether a document has no output, or one that lacks pages.
func (o *Outcome) Failed() bool { return o.State == Failed || o.State == Partial }

// Kind is the kind of a document's failure.
func (o *Outcome) Kind() partition.Kind {
	if earlier := (*EarlierError)(nil); errors.As(o.Err, &earlier) {
		return partition.Kind(earlier.Record.Kind)
	}
	if kind := partition.KindOf(o.Err); kind != "" {
		return kind
	}
	return partition.KindLocalIO
}

// Message is a document's failure in one line.
func (o *Outcome) Message() string { return wire.Printable(o.Err.Error()) }

// Status is the HTTP status of the last answer of a document that failed, 0 where there was none.
func (o *Outcome) Status() int {
	if api := (*partition.APIError)(nil); errors.As(o.Err, &api) {
		return api.Status
	}
	return 0
}

// Final reports whether the server said that the document would fail again: of every page that is
// missing.
func (o *Outcome) Final() bool { return final(o.Err) }

func final(err error) bool {
	if partial := (*partition.PartialError)(nil); errors.As(err, &partial) {
		for _, cause := range partial.Errs {
			if !final(cause) {
				return false
			}
		}
		return true
	}
	api := (*partition.APIError)(nil)
	return errors.As(err, &api) && api.Final
}

// MissingPages are the page ranges that have no answer.
func (o *Outcome) MissingPages() []string {
	var pages []string
	for _, missing := range o.Report.Missing {
		pages = append(pages, missing.String())
	}
	return pages
}

// MaybeBilled names the chunks of which the last request may have been billed, although they have no
// answer.
func (o *Outcome) MaybeBilled() []string {
	var chunks []string
	for _, c := range o.Report.Chunks {
		attempts := c.Trace.Attempts
		if c.Err == nil || len(attempts) == 0 || !attempts[len(attempts)-1].MaybeBilled {
			continue
		}
		name := wire.Printable(o.Path)
		if c.Pages.Len() > 0 {
			name += " pages " + c.Pages.String()
		}
		chunks = append(chunks, name)
	}
	return chunks
}

// Earlier reports whether a failure is one of an earlier run, which this run did not send again.
func (o *Outcome) Earlier() bool {
	earlier := (*EarlierError)(nil)
	return errors.As(o.Err, &earlier)
}

// An EarlierError is a failure of an earlier run that the server had declared final.
type EarlierError struct{ Record journal.Record }

func (e *EarlierError) Error() string {
	return e.Record.Error + " (declared final in an earlier run; --force resends it)"
}

// LacksPages reports whether an error is that of a document that was answered but for pages that
// are named.
func LacksPages(err error) bool {
	partial := (*partition.PartialError)(nil)
	return errors.As(err, &partial)
}

// An UnwrittenError is a document that has no output because some of its pages have no answer.
type UnwrittenError struct{ Cause error }

func (e *UnwrittenError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *UnwrittenError) Unwrap() error { return e.Cause }

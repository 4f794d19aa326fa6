package cmd

import (
	"errors"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/wire"
)

// A work is one document on its way.
type work struct {
	outcome.Outcome
	asked     *asked         // what a program asks for, see [listSink]; nil without one
	output    *folder.Output // in the output folder; nil where there is none
	spool     *wire.Store    // what goes to standard output; nil where there is none
	refused   error          // why it cannot be taken up; nil where it can
	concluded chan struct{}  // closed when nothing of it changes any more
}

// newWork is a document that a walk came upon.
func newWork(e walk.Entry) *work {
	w := &work{Outcome: outcome.Outcome{Path: e.Path, Name: e.Name, Skip: e.Skip, Quiet: e.Quiet}}
	if e.Info != nil {
		w.Size = e.Info.Size()
	}
	if e.Err != nil {
		w.refuse(partition.KindLocalIO, e.Err)
	}
	return w
}

// refuse makes a document one that cannot be taken up.
func (w *work) refuse(kind partition.Kind, err error) {
	w.refused = &partition.DocumentError{Document: w.Path, Kind: kind, Err: words.Reason(err)}
}

// nameless reports whether a program asks for something that is not a document: it cannot be run
// again.
func (w *work) nameless() bool { return w.asked != nil && w.asked.Path == "" }

// settle takes over what a run says of a document whose output goes to a sink. What the run ended
// before is partial where the answered pages are shown, and not done where another run does it.
func (w *work) settle(o batch.Outcome, to sink) {
	w.Number, w.State, w.Err, w.Report, w.Elapsed = o.Number, o.State, o.Err, o.Report, o.Elapsed
	unwritable := (*folder.WriteError)(nil)
	if w.State == outcome.NotDone && errors.As(w.Err, &unwritable) && partition.KindOf(w.Err) != partition.KindCanceled && !errors.As(w.Err, new(*stopped)) {
		w.State = outcome.Failed // it ended the run, and not the run it
	}
	if w.State == outcome.NotDone && outcome.LacksPages(w.Err) && !to.resumes() {
		w.State = outcome.Partial
	}
	switch {
	case w.State == outcome.Skipped:
	case w.State == outcome.Unchanged, w.Earlier():
		w.Written = w.State != outcome.Failed
	default:
		w.Written = w.State == outcome.Done || w.State == outcome.Partial || to.streams() && w.Report.Elements > 0
	}
}

package cmd

import (
	"context"
	"errors"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
)

// A work is one document on its way. Its fields are set before done is closed.
type work struct {
	outcome.Outcome
	asked   *asked         // what a program asks for, see [listSink]; nil without one
	output  *folder.Output // in the output folder; nil where there is none
	spool   *folder.Spool  // what goes to standard output; nil where there is none
	counted bool           // as a failure
	done    chan struct{}
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
	w.Err = &partition.DocumentError{Document: w.Path, Kind: kind, Err: words.Reason(err)}
}

// document reports whether there is something to send.
func (w *work) document() bool { return w.Skip == "" && w.Err == nil }

// settle decides what has become of a document. With keepsBeginnings the beginning of an output is kept.
func (w *work) settle(ctx context.Context, keepsBeginnings bool) {
	switch {
	case w.State != "": // an earlier run has decided
		w.Written = w.State != outcome.Failed
		return
	case w.Skip != "":
		w.State = outcome.Skipped
		return
	case w.Err == nil:
		w.State = outcome.Done
	case w.asked == nil && w.Kind() == partition.KindBudget:
		w.State = outcome.NotDone
	case ctx.Err() != nil && (errors.Is(w.Err, context.Cause(ctx)) || w.Kind() == partition.KindCanceled || w.Kind() == partition.KindBudget):
		w.State = outcome.NotDone
	case outcome.LacksPages(w.Err):
		w.State = outcome.Partial
	default:
		w.State = outcome.Failed
	}
	w.Written = w.hasOutput(keepsBeginnings)
}

// hasOutput reports whether a document has left something: all of it, all but pages that are named, or the beginning of a stream.
func (w *work) hasOutput(keepsBeginnings bool) bool {
	return w.Err == nil || outcome.LacksPages(w.Err) || keepsBeginnings && w.Report.Elements > 0
}

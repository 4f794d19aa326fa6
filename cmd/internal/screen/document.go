package screen

import (
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// documentEvent is what became of a document, for programs.
type documentEvent struct {
	Event    string         `json:"event"`
	Path     string         `json:"path"`
	State    outcome.State  `json:"state"`
	Skip     string         `json:"skipped_because,omitempty"`
	Elements int            `json:"elements"`
	Empty    bool           `json:"empty,omitempty"`
	Pages    int            `json:"pages"`
	Missing  []string       `json:"missing_pages,omitempty"`
	Requests int            `json:"requests"`
	Kind     partition.Kind `json:"error_kind,omitempty"`
	Error    string         `json:"error,omitempty"`
}

func newDocumentEvent(o *outcome.Outcome) documentEvent {
	e := documentEvent{
		Event: "document", Path: o.Path, State: o.State, Skip: o.Skip, Elements: o.Report.Elements, Empty: o.Report.Empty,
		Pages: o.Report.AnsweredPages(), Missing: o.MissingPages(), Requests: o.Report.Requests(),
	}
	if o.Err != nil && o.State != outcome.NotDone {
		e.Kind, e.Error = o.Kind(), o.Message()
	}
	return e
}

// Tell says to people what became of a document.
func (c *Console) Tell(o *outcome.Outcome) {
	name := wire.Printable(o.Path)
	for _, warning := range o.Report.Warnings {
		c.Remark("warning: %s: %s", name, warning)
	}
	switch o.State {
	case outcome.Skipped:
		c.Skipped(name, o.Skip, o.Quiet)
	case outcome.NotDone:
		if c.Verbose {
			c.Remark("not done: %s", name) // the run's own message says why
		}
	case outcome.Failed:
		c.Say("failed: %s", o.Message())
	case outcome.Partial:
		c.Say("partial: %s", o.Message())
	case outcome.Unchanged:
		if c.Verbose {
			c.Remark("unchanged: %s", name)
		}
	case outcome.Done:
		if c.Verbose {
			c.Remark("done: %s: %s", name, words.Count(o.Report.Elements, "element"))
		}
	}
}

// Skipped prints that a file was left out. One that was left out for a quiet reason is only printed
// by a verbose console.
func (c *Console) Skipped(path, reason string, quiet bool) {
	if c.Verbose || !quiet {
		c.Remark("skipped: %s: %s", wire.Printable(path), reason)
	}
}

package cmd

import (
	"strconv"

	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// reportStates says how a state is called on the page about a run; what is not here is only counted.
var reportStates = map[state]page.State{
	stateDone: page.Done, statePartial: page.Partial, stateFailed: page.Failed, stateUnchanged: page.Unchanged, stateNotDone: page.NotDone,
}

// outcome is what the page about a run is told of a document.
func (w *work) outcome() page.Outcome {
	o := page.Outcome{
		ID: w.report.ID, Name: w.entry.Path, State: reportStates[w.state], Pages: w.report.AnsweredPages(), MissingPages: missingPages(w.report),
		Elements: w.report.Elements, Requests: w.report.Requests(), Retries: w.report.Retries(),
		MaybeBilledTwice: w.report.MaybeBilledTwice(), CacheHits: w.report.CacheHits(), Elapsed: w.elapsed,
	}
	for _, missing := range w.report.Missing {
		o.Missing += missing.Len()
	}
	if w.err != nil {
		o.Kind, o.Err = w.kind(), w.message()
	}
	return o
}

// moreTotals are the figures that the page about a run is not told of document by document.
func (s *summary) moreTotals() []page.Total {
	return []page.Total{
		{Name: "files left out", Value: strconv.Itoa(s.Skipped)}, {Name: "sent", Value: words.Size(s.BytesSent)},
	}
}

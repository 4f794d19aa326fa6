package cmd

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
)

// A run takes documents through the API, several at once, and writes their outputs in the order of the walk.
type run struct {
	shell           *shell
	console         *console
	client          *apiClient
	params          partition.Params
	walk            *walk
	format          format
	formatOptions   formatOptions
	output          *outputFolder // nil: standard output
	toStdout        bool
	name            string // of standard input
	verbose         bool
	inFlight        int
	documentTimeout time.Duration
	stop            context.CancelCauseFunc
}

// A work is one document on its way. Its fields are set before done is closed.
type work struct {
	entry  entry
	report partition.Report
	err    error
	spool  *spool // what goes to standard output
	done   chan struct{}
}

// waitingOutputs is how many documents may be finished, or under way, ahead of the one whose output comes next.
const waitingOutputs = 1000

// documentsAhead is how many documents more than requests may be under way: those whose requests wait to be tried again must not
// keep the others from being sent.
const documentsAhead = 32

// all runs everything, then says and writes how it went.
func (r *run) all(ctx context.Context, summaryPath, outputDir string) error {
	start := time.Now()
	var summaryFile *outputFile
	if summaryPath != "" {
		file, done, err := openSummary(summaryPath)
		if err != nil {
			return &exitError{exitFailed, err}
		}
		defer done()
		summaryFile = file
	}
	sum := &summary{Engine: r.client.engineName()}
	var workers errgroup.Group
	workers.SetLimit(r.inFlight + documentsAhead)
	queue := make(chan *work, waitingOutputs)
	go func() {
		defer close(queue)
		for e := range r.walk.entries() {
			if ctx.Err() != nil {
				return
			}
			w := &work{entry: e, done: make(chan struct{})}
			queue <- w
			if e.err != nil || e.skip != "" {
				close(w.done)
				continue
			}
			workers.Go(func() error {
				defer close(w.done)
				r.one(ctx, w)
				return nil
			})
		}
	}()
	var lost error
	for w := range queue {
		<-w.done
		if err := r.conclude(ctx, w, sum); err != nil && lost == nil {
			lost = err
			r.stop(err)
		}
	}
	sum.ElapsedMS = time.Since(start).Milliseconds()
	r.console.close()
	if summaryFile != nil {
		if err := sum.write(summaryFile); err != nil {
			lost = errors.Join(lost, err)
		}
	}
	return r.verdict(ctx, sum, lost, outputDir)
}

// conclude counts a document and shows what there is to say, in the order of the walk. Its error ends the run.
func (r *run) conclude(ctx context.Context, w *work, sum *summary) error {
	name := partition.Printable(w.entry.path)
	for _, warning := range w.report.Warnings {
		r.console.remark("warning: %s: %s", name, warning)
	}
	switch {
	case w.entry.skip != "":
		sum.Skipped++
		if r.verbose || !w.entry.quiet {
			r.console.remark("skipped: %s: %s", name, w.entry.skip)
		}
		return nil
	case w.entry.err != nil:
		w.err = &partition.DocumentError{Document: w.entry.path, Kind: partition.KindLocalIO, Err: rootPathError(w.entry.err)}
	}
	lost := r.show(w)
	if lost != nil && w.err == nil {
		w.err = lost
	}
	sum.add(w, lost == nil && r.hasOutput(w))
	switch {
	case w.err != nil && ctx.Err() != nil && errors.Is(w.err, context.Cause(ctx)):
		r.console.remark("not done: %s", name) // the run's own message says why
	case w.err != nil && lost == nil:
		r.console.say("failed: %s", partition.Printable(w.err.Error()))
	case r.verbose && w.err == nil:
		r.console.remark("done: %s: %d elements", name, w.report.Elements)
	}
	return lost
}

// show writes what waited for its turn to standard output.
func (r *run) show(w *work) error {
	if w.spool == nil {
		return nil
	}
	defer w.spool.close()
	if err := w.spool.copyTo(r.shell.stdout); err != nil {
		return &outputError{"standard output", err}
	}
	return nil
}

// hasOutput tells that a document has left something: all of it, all but pages that are named, or the beginning of a stream.
func (r *run) hasOutput(w *work) bool {
	partial := (*partition.PartialError)(nil)
	return w.err == nil || errors.As(w.err, &partial) || r.output == nil && r.format.streams && w.report.Elements > 0
}

package cmd

import (
	"bufio"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
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

// all runs everything, then says and writes how it went.
func (r *run) all(ctx context.Context, summaryFile, outputDir string) error {
	start := time.Now()
	sum := &summary{Engine: r.client.engineName()}
	var workers errgroup.Group
	workers.SetLimit(r.inFlight)
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
	if summaryFile != "" {
		if err := sum.write(summaryFile); err != nil {
			lost = errors.Join(lost, err)
		}
	}
	return r.verdict(ctx, sum, lost, outputDir)
}

// one takes one document through the API and writes its output.
func (r *run) one(ctx context.Context, w *work) {
	if ctx.Err() != nil {
		w.err = context.Cause(ctx)
		return
	}
	if r.documentTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, r.documentTimeout, &timeLimit{r.documentTimeout, "--document-timeout"})
		defer cancel()
		ctx = limited
	}
	var document *partition.Document
	if w.entry.path == standardInput {
		document, w.err = readStandardInput(ctx, r.shell, r.name)
	} else {
		document, w.err = partition.Open(w.entry.path)
	}
	if w.err != nil {
		return
	}
	defer func() { _ = document.Close() }() // it was only read
	if r.output == nil {
		w.err = r.toStandardOutput(ctx, document, w)
	} else {
		w.err = r.toFile(ctx, document, w)
	}
	if unwritable := (*outputError)(nil); errors.As(w.err, &unwritable) {
		r.stop(w.err) // what comes next could not be written either
	}
}

// toFile writes the output whole or not at all.
func (r *run) toFile(ctx context.Context, d *partition.Document, w *work) error {
	file, err := r.output.create(w.entry.name + r.format.extension)
	if err != nil {
		return &outputError{w.entry.path, err}
	}
	failure := r.write(ctx, d, w, file.Writer)
	if partial := (*partition.PartialError)(nil); failure != nil && !errors.As(failure, &partial) {
		file.discard()
		return failure
	}
	if err := file.commit(); err != nil {
		return &outputError{w.entry.path, err}
	}
	return failure
}

// toStandardOutput streams a single document, but for JSON, which is shown whole or not at all; of several documents each waits
// for its turn.
func (r *run) toStandardOutput(ctx context.Context, d *partition.Document, w *work) error {
	if r.walk.single() && r.format.streams {
		out := bufio.NewWriter(r.shell.stdout)
		failure := r.write(ctx, d, w, out)
		if err := out.Flush(); err != nil && failure == nil {
			failure = &outputError{"standard output", err}
		}
		return failure
	}
	w.spool = &spool{}
	out := bufio.NewWriter(w.spool)
	failure := r.write(ctx, d, w, out)
	if err := out.Flush(); err != nil && failure == nil {
		failure = &outputError{"temporary file", err}
	}
	if partial := (*partition.PartialError)(nil); failure != nil && !errors.As(failure, &partial) && !r.format.streams {
		w.spool.close()
		w.spool = nil
	}
	return failure
}

// write sends the document and formats its elements as they come.
func (r *run) write(ctx context.Context, d *partition.Document, w *work, out *bufio.Writer) error {
	if r.params.OutputFormat == partition.OutputCSV {
		result, err := r.client.Partition(ctx, d, r.params)
		w.report = result.Report
		if err != nil {
			return err
		}
		_, err = out.Write(result.CSV)
		return err
	}
	stream := r.client.Stream(ctx, d, r.params)
	defer func() { w.report = stream.Report() }()
	formatter := r.format.new(out, r.formatOptions)
	var partial *partition.PartialError
	for e, err := range stream.All() {
		if errors.As(err, &partial) {
			break
		}
		if err != nil {
			return err
		}
		if err := formatter.element(e); err != nil {
			return &outputError{w.entry.path, err}
		}
	}
	if err := formatter.end(); err != nil {
		return &outputError{w.entry.path, err}
	}
	if partial != nil {
		return partial
	}
	return nil
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
		w.err = errors.New(plainPathError(w.entry.path, w.entry.err))
	case w.err != nil && ctx.Err() != nil && (errors.Is(w.err, context.Cause(ctx)) || w.report.Document == ""):
		sum.add(w)
		return nil // the run's own message says it
	}
	sum.add(w)
	if w.err != nil {
		r.console.say("failed: %s", partition.Printable(w.err.Error()))
	} else if r.verbose {
		r.console.remark("done: %s: %d elements", name, w.report.Elements)
	}
	if w.spool == nil {
		return nil
	}
	defer w.spool.close()
	if err := w.spool.copyTo(r.shell.stdout); err != nil {
		return &outputError{"standard output", err}
	}
	return nil
}

// An outputError is an output that could not be written.
type outputError struct {
	name string
	err  error
}

func (e *outputError) Error() string { return e.name + ": output: " + withoutPath(e.err).Error() }
func (e *outputError) Unwrap() error { return e.err }

// unreachableAfter is how long a server that was never reached is tried.
const unreachableAfter = 10 * time.Second

// A watch stops a run that is in vain: every document would be refused alike, or wait out its own retries.
type watch struct {
	url     string
	stop    context.CancelCauseFunc
	reached atomic.Bool
	since   atomic.Pointer[time.Time] // the first attempt
}

func (u *watch) observe(e partition.Event) {
	if e.Kind == partition.Refused {
		u.stop(e.Err)
		return
	}
	if e.Kind != partition.AttemptEvent || u.reached.Load() {
		return
	}
	now := time.Now()
	switch e.Attempt.Kind {
	case retry.EventAttempt:
		u.since.CompareAndSwap(nil, &now)
	case retry.EventAnswer:
		switch e.Attempt.Error {
		case retry.KindDial, retry.KindDNS, retry.KindTLS:
			if now.Sub(*u.since.Load()) >= unreachableAfter {
				u.stop(&unreachable{u.url, e.Attempt.Err})
			}
		default:
			u.reached.Store(true)
		}
	}
}

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

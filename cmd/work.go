package cmd

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"syscall"
	"time"

	"github.com/quire-dev/quire/cmd/journal"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/partition/wire"
)

// A state is what became of a document in a run.
type state string

// The states.
const (
	stateDone      state = "done"      // its output is whole
	statePartial   state = "partial"   // its output lacks pages
	stateFailed    state = "failed"    // it has no output
	stateUnchanged state = "unchanged" // an earlier run did it, and nothing has changed since
	stateSkipped   state = "skipped"   // it was left out
	stateNotDone   state = "not done"  // the run ended before it
)

// A work is one document on its way. Its fields are set before done is closed.
type work struct {
	number  int // in the walk, from 1
	entry   entry
	state   state
	report  partition.Report
	err     error
	output  bool           // it has an output, complete or not
	elapsed time.Duration  // how long it was under way
	size    int64          // of its file, in bytes
	file    *outputFile    // finished, and not yet in its place
	record  journal.Record // what will be known of it; without a name nothing is kept
	spool   *spool         // what goes to standard output
	done    chan struct{}
}

// settle decides what has become of a document.
func (w *work) settle(ctx context.Context, r *run) {
	if w.entry.err != nil {
		kind := partition.KindLocalIO
		if w.entry.asked != nil {
			kind = partition.KindBadRequest
		}
		w.err = &partition.DocumentError{Document: w.entry.path, Kind: kind, Err: rootPathError(w.entry.err)}
	}
	switch {
	case w.state != "": // settled from the journal
		w.output = w.state != stateFailed
		return
	case w.entry.skip != "":
		w.state = stateSkipped
		return
	case w.err == nil:
		w.state = stateDone
	case w.kind() == partition.KindBudget && r.list == nil:
		w.state = stateNotDone
		r.spent.CompareAndSwap(nil, &w.err)
	case ctx.Err() != nil && (errors.Is(w.err, context.Cause(ctx)) || w.kind() == partition.KindCanceled || w.kind() == partition.KindBudget):
		w.state = stateNotDone
	case isPartial(w.err):
		w.state = statePartial
	default:
		w.state = stateFailed
	}
	w.output = r.hasOutput(w)
}

// kind is the kind of a document's failure.
func (w *work) kind() partition.Kind {
	if earlier := (*earlierError)(nil); errors.As(w.err, &earlier) {
		return partition.Kind(earlier.record.Kind)
	}
	if kind := partition.KindOf(w.err); kind != "" {
		return kind
	}
	return partition.KindLocalIO
}

// message is a document's failure in one line.
func (w *work) message() string { return wire.Printable(w.err.Error()) }

// one takes one document through the API and writes its output.
func (r *run) one(ctx context.Context, w *work) {
	start := time.Now()
	defer func() { w.elapsed = time.Since(start) }()
	if ctx.Err() != nil {
		w.err = &partition.DocumentError{Document: w.entry.path, Kind: partition.KindCanceled, Err: context.Cause(ctx)}
		return
	}
	if r.documentTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, r.documentTimeout, &timeLimit{r.documentTimeout, "--document-timeout"})
		defer cancel()
		ctx = limited
	}
	var document *partition.Document
	switch {
	case w.entry.asked != nil && w.entry.asked.Name != "":
		document, w.err = partition.Open(w.entry.path, partition.WithName(w.entry.asked.Name))
	case w.entry.path == standardInput && w.entry.asked == nil:
		document, w.err = readStandardInput(ctx, r.shell, r.name)
	default:
		document, w.err = partition.Open(w.entry.path)
	}
	if w.err != nil {
		return
	}
	defer func() { _ = document.Close() }() // it was only read
	switch {
	case (r.output == nil || !r.history.knows(w)) && r.final.settles(ctx, document, w):
	case r.output == nil:
		w.err = r.toStandardOutput(ctx, document, w)
		if r.list != nil && r.hasOutput(w) || r.failed != nil && w.err != nil {
			w.record.SHA256, _ = document.SHA256(ctx) // without it, less is known of the document
		}
	case w.entry.path == standardInput:
		w.err = r.toFile(ctx, document, w, w.entry.name+r.format.Extension)
	default:
		r.history.do(ctx, document, w, func(name string) error { return r.toFile(ctx, document, w, name) })
	}
	r.stopIfUnwritable(w.err)
}

// stopIfUnwritable stops the run at an output that cannot be written, where the next one could not be either.
func (r *run) stopIfUnwritable(err error) {
	if unwritable := (*outputError)(nil); errors.As(err, &unwritable) && !unwritable.own() {
		r.stop(err)
	}
}

// toFile writes the output whole or not at all; it is put in its place later.
func (r *run) toFile(ctx context.Context, d *partition.Document, w *work, name string) error {
	file, err := r.output.create(name)
	if err != nil {
		return &outputError{w.entry.path, err}
	}
	failure := r.write(ctx, d, w, file.Writer)
	if failure != nil && !isPartial(failure) {
		file.discard()
		return failure
	}
	size, err := file.finish()
	if err != nil {
		file.discard()
		return &outputError{w.entry.path, err}
	}
	w.file, w.record.Output = file, size
	return failure
}

// toStandardOutput streams a single document, but for JSON, which is shown whole or not at all; of several documents each waits
// for its turn.
func (r *run) toStandardOutput(ctx context.Context, d *partition.Document, w *work) error {
	if r.list == nil && r.walk.single() && r.format.Streams {
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
	if failure != nil && !isPartial(failure) && !r.format.Streams {
		w.spool.close()
		w.spool = nil
	}
	return failure
}

// write sends the document and formats its elements as they come.
func (r *run) write(ctx context.Context, d *partition.Document, w *work, out *bufio.Writer) error {
	params := r.params
	if w.entry.asked != nil {
		params = w.entry.asked.params
	}
	if err := r.pages.take(ctx, r.client.Client, d, params); err != nil {
		return err
	}
	if params.OutputFormat == partition.OutputCSV {
		result, err := r.client.Partition(ctx, d, params)
		w.report = result.Report
		if err != nil {
			return err
		}
		if _, err := out.Write(result.CSV); err != nil {
			return &outputError{w.entry.path, err}
		}
		return nil
	}
	options := r.outputOptions.Options
	if r.outputOptions.sourceField {
		sum, err := d.SHA256(ctx)
		if err != nil {
			return err
		}
		options.Source = &format.Source{Path: w.entry.path, SHA256: sum}
	}
	if r.images != nil {
		options.Images = imageStore{r.images, r.outputOptions.images, w.entry.name}.store
	}
	writer, err := format.New(r.format.Name, out, options)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stream := r.client.Stream(ctx, d, params)
	defer func() {
		w.report = stream.Report()
		w.report.Warnings = append(w.report.Warnings, writer.Warnings()...)
		w.report.Elements -= writer.LeftOut() // what is written counts
	}()
	var partial *partition.PartialError
	var lost *outputError
	for e, err := range stream.All() {
		switch {
		case errors.As(err, &partial):
		case err != nil && lost == nil:
			return err
		case err == nil && lost == nil:
			if err := writer.Write(e); err != nil {
				lost = &outputError{w.entry.path, err}
				end(lost) // not a break: with a cache, answers under way are still stored
			}
		}
	}
	if lost != nil {
		return lost
	}
	if err := writer.Close(); err != nil {
		return &outputError{w.entry.path, err}
	}
	if partial != nil {
		return partial
	}
	return nil
}

// isPartial tells that a document was answered but for pages that are named. One that the run's budget ended is not done at all.
func isPartial(err error) bool {
	partial := (*partition.PartialError)(nil)
	return errors.As(err, &partial) && partition.KindOf(err) != partition.KindBudget
}

// An outputError is an output that could not be written.
type outputError struct {
	name string
	err  error
}

func (e *outputError) Error() string { return e.name + ": output: " + rootPathError(e.err).Error() }
func (e *outputError) Unwrap() error { return e.err }

// own tells that the output cannot be written because of its name, so that others can.
func (e *outputError) own() bool {
	for _, reason := range []error{
		syscall.ENAMETOOLONG, syscall.EEXIST, syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY, syscall.EINVAL, syscall.EXDEV, syscall.ELOOP,
		errFolderInPlace, errReserved,
	} {
		if errors.Is(e.err, reason) {
			return true
		}
	}
	return strings.Contains(e.err.Error(), "path escapes") // os.Root has no other name for a link out of the folder
}

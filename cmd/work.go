package cmd

import (
	"bufio"
	"context"
	"errors"
	"syscall"

	"github.com/quire-dev/quire/partition"
)

// one takes one document through the API and writes its output.
func (r *run) one(ctx context.Context, w *work) {
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
	if unwritable := (*outputError)(nil); errors.As(w.err, &unwritable) && !unwritable.own() {
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
		if _, err := out.Write(result.CSV); err != nil {
			return &outputError{w.entry.path, err}
		}
		return nil
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stream := r.client.Stream(ctx, d, r.params)
	defer func() { w.report = stream.Report() }()
	formatter := r.format.new(out, r.formatOptions)
	var partial *partition.PartialError
	var lost *outputError
	for e, err := range stream.All() {
		switch {
		case errors.As(err, &partial):
		case err != nil && lost == nil:
			return err
		case err == nil && lost == nil:
			if err := formatter.element(e); err != nil {
				lost = &outputError{w.entry.path, err}
				end(lost) // not a break: with a cache, answers under way are still stored
			}
		}
	}
	if lost != nil {
		return lost
	}
	if err := formatter.end(); err != nil {
		return &outputError{w.entry.path, err}
	}
	if partial != nil {
		return partial
	}
	return nil
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
		syscall.ENAMETOOLONG, syscall.EEXIST, syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY, syscall.EINVAL, errFolderInPlace,
	} {
		if errors.Is(e.err, reason) {
			return true
		}
	}
	return false
}

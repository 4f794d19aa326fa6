package cmd

import (
	"bufio"
	"context"
	"errors"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
)

// A sender sends one document and writes its elements.
type sender struct {
	client    *partition.Client
	params    partition.Params // of documents for which a program asks nothing else
	format    format.Format
	options   outputOptions
	images    *folder.Folder // nil where images stay where they are
	shell     *shell
	pages     pageLimit
	stdinName string // how the server sees the document on standard input; "" for a name of the kind
}

// open opens a document.
func (s *sender) open(ctx context.Context, w *work) (*partition.Document, error) {
	switch {
	case w.asked != nil && w.asked.Name != "":
		return partition.Open(w.Path, partition.WithName(w.asked.Name))
	case w.asked == nil && w.Path == walk.Stdin:
		return readStandardInput(ctx, s.shell, s.stdinName)
	default:
		return partition.Open(w.Path)
	}
}

// write sends the document and formats its elements as they come.
func (s *sender) write(ctx context.Context, d *partition.Document, w *work, out *bufio.Writer) error {
	params := s.params
	if w.asked != nil {
		params = w.asked.params
	}
	if err := s.pages.take(ctx, s.client, d, params); err != nil {
		return err
	}
	if params.OutputFormat == partition.OutputCSV {
		result, err := s.client.Partition(ctx, d, params)
		w.Report = result.Report
		if err != nil {
			return err
		}
		if _, err := out.Write(result.CSV); err != nil {
			return &folder.WriteError{Name: w.Path, Err: err}
		}
		return nil
	}
	options := s.options.Options
	if s.options.sourceField {
		sum, err := d.SHA256(ctx)
		if err != nil {
			return err
		}
		options.Source = &format.Source{Path: w.Path, SHA256: sum}
	}
	if s.images != nil {
		options.Images = imageStore{s.images, s.options.images, w.Name}.store
	}
	writer, err := format.New(s.format.Name, out, options)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stream := s.client.Stream(ctx, d, params)
	defer func() {
		w.Report = stream.Report()
		w.Report.Warnings = append(w.Report.Warnings, writer.Warnings()...)
		w.Report.Elements -= writer.LeftOut() // what is written counts
	}()
	var partial *partition.PartialError
	var lost *folder.WriteError
	for e, err := range stream.All() {
		switch {
		case errors.As(err, &partial):
		case err != nil && lost == nil:
			return err
		case err == nil && lost == nil:
			if err := writer.Write(e); err != nil {
				lost = &folder.WriteError{Name: w.Path, Err: err}
				end(lost) // not a break: with a cache, answers under way are still stored
			}
		}
	}
	if lost != nil {
		return lost
	}
	if err := writer.Close(); err != nil {
		return &folder.WriteError{Name: w.Path, Err: err}
	}
	if partial != nil {
		return partial
	}
	return nil
}

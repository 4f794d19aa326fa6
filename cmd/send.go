package cmd

import (
	"bufio"
	"context"
	"errors"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
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
	stdinName string // how the server sees the document on standard input; "" for a name of the kind
}

// open opens a document.
func (s *sender) open(ctx context.Context, w *work) (*partition.Document, error) {
	switch {
	case w.refused != nil:
		return nil, w.refused
	case w.asked != nil && w.asked.Name != "":
		return partition.Open(w.Path, partition.WithName(w.asked.Name))
	case w.asked == nil && w.Path == walk.Stdin:
		return readStandardInput(ctx, s.shell, s.stdinName)
	default:
		return partition.Open(w.Path)
	}
}

// paramsOf are the parameters that a document is sent with.
func (s *sender) paramsOf(w *work) partition.Params {
	if w.asked != nil {
		return w.asked.params
	}
	return s.params
}

// write sends the document and formats its elements as they come.
func (s *sender) write(ctx context.Context, d *partition.Document, w *work, out *bufio.Writer) error {
	params := s.paramsOf(w)
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
	var failure error
	w.Report, failure = batch.Each(ctx, s.client, d, params, func(e element.Element) error {
		if err := writer.Write(e); err != nil {
			return &folder.WriteError{Name: w.Path, Err: err}
		}
		return nil
	})
	w.Report.Warnings = append(w.Report.Warnings, writer.Warnings()...)
	w.Report.Elements -= writer.LeftOut() // what is written counts
	if partial := (*partition.PartialError)(nil); failure != nil && !errors.As(failure, &partial) {
		return failure
	}
	if err := writer.Close(); err != nil {
		return &folder.WriteError{Name: w.Path, Err: err}
	}
	return failure
}

package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
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
	outputs   string         // the folder of -o; "" without
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
		table := &lossNoting{w: out}
		stream := s.client.Stream(ctx, d, params)
		err := stream.WriteCSV(table)
		w.Report = stream.Report()
		if table.lost != nil {
			return &folder.WriteError{Name: w.Path, Err: table.lost}
		}
		return err
	}
	output := &output{sender: s, document: d, work: w, out: out}
	var failure error
	w.Report, failure = batch.Each(ctx, s.client, d, params, func(e element.Element) error { return output.write(ctx, e) })
	if output.writer != nil {
		w.Report.Warnings = append(w.Report.Warnings, output.writer.Warnings()...)
		w.Report.Elements -= output.writer.LeftOut() // what is written counts
	}
	if partial := (*partition.PartialError)(nil); failure != nil && !errors.As(failure, &partial) {
		return failure
	}
	if failure == nil {
		if err := output.judge(params.FailEmpty); err != nil {
			return err
		}
	}
	return cmp.Or(output.close(ctx), failure)
}

// A lossNoting writer keeps the error of another one.
type lossNoting struct {
	w    io.Writer
	lost error
}

// Write writes to the other one.
func (l *lossNoting) Write(p []byte) (n int, err error) {
	n, l.lost = l.w.Write(p)
	return n, l.lost
}

// An output formats the elements of a document. It begins with the first: only then is the hash of
// the content known that was sent.
type output struct {
	sender   *sender
	document *partition.Document
	work     *work
	out      *bufio.Writer
	writer   *format.Writer // nil until it is begun
}

func (o *output) begin(ctx context.Context) error {
	s, w := o.sender, o.work
	options := s.options.Options
	if s.options.sourceField {
		sum, err := o.document.SHA256(ctx)
		if err != nil {
			return err
		}
		options.Source = &format.Source{Path: w.Path, SHA256: sum}
	}
	if s.images != nil {
		store := imageStore{folder: s.images, dir: s.options.images, name: w.Name}
		if s.format.Name == "markdown" && s.outputs != "" {
			store.from = filepath.Join(s.outputs, filepath.FromSlash(path.Dir(w.Name)))
		}
		options.Images = store.store
	}
	var err error
	o.writer, err = format.New(s.format.Name, o.out, options)
	return err
}

func (o *output) write(ctx context.Context, e element.Element) error {
	if o.writer == nil {
		if err := o.begin(ctx); err != nil {
			return err
		}
	}
	if err := o.writer.Write(e); err != nil {
		return &folder.WriteError{Name: o.work.Path, Err: err}
	}
	return nil
}

// judge notes whether the options have left nothing of a document that is not empty itself. The
// error is that of an empty document, where it counts as failed.
func (o *output) judge(fails bool) error {
	report := &o.work.Report
	if report.Empty || report.Elements > 0 || o.writer == nil {
		return nil
	}
	report.Empty = true
	why := "empty: " + words.Count(o.writer.LeftOut(), "element") + " left out by type"
	if fails {
		return &partition.DocumentError{Document: o.work.Path, Kind: partition.KindEmpty, Err: errors.New(why)}
	}
	report.Warnings = append(report.Warnings, why)
	return nil
}

// close completes the output of a document all of whose elements were written, also if there are
// none.
func (o *output) close(ctx context.Context) error {
	if o.writer == nil {
		if err := o.begin(ctx); err != nil {
			return err
		}
	}
	if err := o.writer.Close(); err != nil {
		return &folder.WriteError{Name: o.work.Path, Err: err}
	}
	return nil
}

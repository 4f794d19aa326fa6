package main

import (
	"bytes"
	"cmp"
	"context"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
)

// An answer is what came back for a document.
type answer struct {
	content  []byte   // one element a line, or the server's CSV
	elements [][]byte // instead of content, where each becomes a message
	report   partition.Report
}

// collect sends a document and gathers its elements, each on one line, as the server sent them. Beside an error there is a report,
// and what was answered.
func collect(ctx context.Context, c *client, d *partition.Document, params partition.Params, apart bool) (*answer, error) {
	a := &answer{}
	if params.OutputFormat == partition.OutputCSV {
		result, err := c.Partition(ctx, d, params)
		a.content, a.report = result.CSV, result.Report
		return a, err
	}
	var err error
	a.report, err = batch.Whole(func() (partition.Report, error) { return a.gather(ctx, c, d, params, apart) })
	return a, err
}

func (a *answer) gather(ctx context.Context, c *client, d *partition.Document, params partition.Params, apart bool) (partition.Report, error) {
	a.elements = nil
	var lines bytes.Buffer
	w, err := format.New("jsonl", &lines, format.Options{})
	if err != nil {
		return partition.Report{}, err
	}
	report, err := batch.Each(ctx, c.Client, d, params, func(e element.Element) error {
		if err := w.Write(e); err != nil || !apart {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		a.elements = append(a.elements, bytes.Clone(bytes.TrimSuffix(lines.Bytes(), []byte("\n"))))
		lines.Reset()
		return nil
	})
	err = cmp.Or(err, w.Close())
	a.content = lines.Bytes()
	return report, err
}

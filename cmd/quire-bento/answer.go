package main

import (
	"bytes"
	"context"

	"github.com/quire-dev/quire/partition"
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
	stream := c.Stream(ctx, d, params)
	err := a.read(stream, apart)
	a.report = stream.Report()
	return a, err
}

// read takes the elements of a stream, with their line breaks or, apart, without.
func (a *answer) read(stream *partition.Stream, apart bool) error {
	var lines bytes.Buffer
	w, err := format.New("jsonl", &lines, format.Options{})
	if err != nil {
		return err
	}
	defer func() { a.content = lines.Bytes() }()
	for e, err := range stream.All() {
		if err == nil {
			err = w.Write(e)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			return err
		}
		if apart {
			a.elements = append(a.elements, bytes.Clone(bytes.TrimSuffix(lines.Bytes(), []byte("\n"))))
			lines.Reset()
		}
	}
	return w.Close()
}

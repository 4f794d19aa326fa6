package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/quire-dev/quire/partition"
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
	err := func() error {
		for e, err := range stream.All() {
			if err != nil {
				return err
			}
			if err := a.add(e, apart); err != nil {
				return err
			}
		}
		return nil
	}()
	a.report = stream.Report()
	return a, err
}

func (a *answer) add(e partition.Element, apart bool) error {
	element, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, element); err != nil {
		return err
	}
	if apart {
		a.elements = append(a.elements, line.Bytes())
		return nil
	}
	a.content = append(append(a.content, line.Bytes()...), '\n')
	return nil
}

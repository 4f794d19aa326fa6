package batch

import (
	"context"

	"github.com/quire-dev/quire/partition"
)

// An Item is one document of a run.
type Item struct {
	// Name is the document's name in errors, if the run ended before the document was opened.
	Name string

	// Open returns the document. The run calls it when the document's turn comes, so that only a
	// few of many files are open at once. If it fails, the document fails with its error. The run
	// closes the document. An Item without Open gets the state [Skipped], in its turn.
	Open func(context.Context) (*partition.Document, error)

	// Params are sent with the document.
	Params partition.Params

	// Tag is any value of the caller's. The outcome has it; the run ignores it.
	Tag any
}

// File returns an item for the file at path.
func File(path string, params partition.Params) Item {
	open := func(context.Context) (*partition.Document, error) { return partition.Open(path) }
	return Item{Name: path, Open: open, Params: params}
}

// Document returns an item for a document. The run closes the document.
func Document(d *partition.Document, params partition.Params) Item {
	open := func(context.Context) (*partition.Document, error) { return d, nil }
	return Item{Name: d.Name(), Open: open, Params: params}
}

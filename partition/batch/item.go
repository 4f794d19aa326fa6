package batch

import (
	"context"

	"github.com/quire-dev/quire/partition"
)

// An Item is one document that is to be partitioned.
type Item struct {
	// Name is the document's name in errors of a run that ended before the document was opened.
	Name string

	// Open returns the document. It is called when the document's turn comes, so that a run over many
	// files has few of them open; its error is the document's. The run closes what it returns. An Item
	// without Open is yielded with the state [Skipped], in its turn.
	Open func(context.Context) (*partition.Document, error)

	// Params are sent with the document.
	Params partition.Params

	// Tag comes back in the outcome. The run does not look at it.
	Tag any
}

// File returns the item of the file at path.
func File(path string, params partition.Params) Item {
	open := func(context.Context) (*partition.Document, error) { return partition.Open(path) }
	return Item{Name: path, Open: open, Params: params}
}

// Document returns the item of a document. The run closes the document.
func Document(d *partition.Document, params partition.Params) Item {
	open := func(context.Context) (*partition.Document, error) { return d, nil }
	return Item{Name: d.Name(), Open: open, Params: params}
}

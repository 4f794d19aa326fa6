package batch

import (
	"context"
	"errors"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
)

// Each sends a document and calls write with each element as it comes, in page order. It is made
// for [Options.Do].
//
// If write returns an error, Each returns it unchanged and ends the document; the answers to
// requests under way still go into the client's cache. Any other error is the document's. A
// [partition.PartialError] lists the missing pages; it comes after all answered pages were written.
func Each(
	ctx context.Context, client *partition.Client, d *partition.Document, params partition.Params,
	write func(element.Element) error,
) (partition.Report, error) {
	if ctx == nil || write == nil {
		return partition.Report{}, errors.New("batch: the context or the function write is nil")
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stream := client.Stream(ctx, d, params)
	var failure error
	for e, err := range stream.All() {
		if failure != nil {
			continue
		}
		if failure = err; err == nil {
			if failure = write(e); failure != nil {
				end(failure) // not a break: with a cache, answers under way are still stored
			}
		}
	}
	return stream.Report(), failure
}

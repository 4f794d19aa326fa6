package batch

import (
	"context"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
)

// Each sends a document and hands its elements to write as they come, in page order. It is made for
// [Options.Do].
//
// An error of write is returned as it is and ends the document; answers that are under way still
// reach the client's cache. Any other error is the document's. After everything that was answered, a
// [partition.PartialError] names the pages that are missing.
func Each(
	ctx context.Context, client *partition.Client, d *partition.Document, params partition.Params,
	write func(element.Element) error,
) (partition.Report, error) {
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

package batch

import (
	"cmp"
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

// Whole calls send, which sends a document and gathers its elements, and calls it again if the
// document changed while it was sent: a stream whose elements were taken cannot begin again by
// itself. Each call must begin its output anew. The document is begun again twice at most. The
// report has the requests of all calls.
func Whole(send func() (partition.Report, error)) (partition.Report, error) {
	report, err := send()
	for range maxRenewals {
		if partition.KindOf(err) != partition.KindChanged {
			break
		}
		before := report.Chunks
		for i := range before {
			before[i].Err = cmp.Or(before[i].Err, err)
		}
		report, err = send()
		report.Chunks = append(before, report.Chunks...)
		if err == nil {
			report.Warnings = append(report.Warnings, "changed while it was sent, and begun again")
		}
	}
	return report, err
}

// maxRenewals is how often a document that changes while it is sent is begun again.
const maxRenewals = 2

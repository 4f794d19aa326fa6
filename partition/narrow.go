package partition

import (
	"context"
	"errors"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// narrows reports whether a failed chunk is worth halving: the same request would fail the same
// way, but a smaller one is new information. One page cannot be halved.
func (j *job) narrows(c *chunk, err error) bool {
	if c.from > 0 || !j.params.Split.Narrow || !j.canHalve(c.pages) {
		return false
	}
	var api *APIError
	if !errors.As(err, &api) {
		return false
	}
	return api.Kind == KindTimeout || api.Status == http.StatusRequestEntityTooLarge || api.Status >= 500 && api.lasts()
}

// canHalve reports whether the halves of a chunk together are the same as the chunk.
func (j *job) canHalve(pages split.PageRange) bool {
	return j.pdf != nil && j.wholeBecause() == "" && j.span(pages).Len() > 1
}

// span is the pages of a chunk; the whole document is all of them.
func (j *job) span(pages split.PageRange) split.PageRange {
	if pages == (split.PageRange{}) {
		return split.PageRange{First: 1, Last: j.plan.Pages}
	}
	return pages
}

// covers is the pages that a chunk is sent for.
func (j *job) covers(c *chunk) split.PageRange {
	pages := j.span(c.pages)
	pages.First = max(pages.First, c.from)
	return pages
}

// halves cuts a range in two, the first half being the longer one.
func halves(r split.PageRange) [2]split.PageRange {
	middle := r.First + (r.Len()-1)/2
	return [2]split.PageRange{{First: r.First, Last: middle}, {First: middle + 1, Last: r.Last}}
}

// halvesPolicy is the policy for the halves of a chunk that failed so: a chunk that timed out was
// tried often enough.
func halvesPolicy(policy *retry.Policy, err error) *retry.Policy {
	if KindOf(err) != KindTimeout {
		return policy
	}
	once := *policy
	once.Budget.Attempts, once.Budget.MinRetries = 1, 0
	return &once
}

// narrow has the halves of a chunk answered, each down to single pages if need be: a page that
// always fails then costs itself and at most 2·ceil(log2 n) requests beyond the first. The error is
// what ends the document.
func (j *job) narrow(ctx context.Context, c *chunk, policy *retry.Policy) error {
	c.admitted()
	j.noteNarrowed(ctx, c.pages)
	for _, pages := range halves(j.span(c.pages)) {
		c.halves = append(c.halves, j.newChunk(pages))
	}
	var both errgroup.Group
	for _, half := range c.halves {
		both.Go(func() error {
			err := j.answer(ctx, half, policy)
			if err != nil {
				j.end(err) // the other half need not go on
			}
			return err
		})
	}
	return both.Wait()
}

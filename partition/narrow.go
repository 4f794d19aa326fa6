package partition

import (
	"context"
	"errors"
	"net/http"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// narrows tells whether a failed part is worth halving: the same request would fail the same way, but a smaller one is new
// information. One page cannot be halved.
func (f *fanout) narrows(p *part, err error) bool {
	if p.from > 0 || !f.job.params.Split.Narrow || !f.canHalve(p.pages) {
		return false
	}
	var api *APIError
	if !errors.As(err, &api) {
		return false
	}
	return api.Kind == KindTimeout || api.Status == http.StatusRequestEntityTooLarge || api.Status >= 500 && api.Final
}

// canHalve tells whether the halves of a part together are the same as the part.
func (f *fanout) canHalve(pages split.PageRange) bool {
	return f.job.pdf != nil && f.job.wholeBecause() == "" && f.span(pages).Len() > 1
}

// span is the pages of a part; the whole document is all of them.
func (f *fanout) span(pages split.PageRange) split.PageRange {
	if pages == (split.PageRange{}) {
		return split.PageRange{First: 1, Last: f.job.plan.Pages}
	}
	return pages
}

// covers is the pages that a part is asked for.
func (f *fanout) covers(p *part) split.PageRange {
	pages := f.span(p.pages)
	pages.First = max(pages.First, p.from)
	return pages
}

// halves cuts a range in two, the first half being the longer one.
func halves(r split.PageRange) [2]split.PageRange {
	middle := r.First + (r.Len()-1)/2
	return [2]split.PageRange{{First: r.First, Last: middle}, {First: middle + 1, Last: r.Last}}
}

// halvesPolicy is the policy for the halves of a part that failed so: a part that timed out was tried often enough.
func halvesPolicy(policy *retry.Policy, err error) *retry.Policy {
	if KindOf(err) != KindTimeout {
		return policy
	}
	once := *policy
	once.Budget.Attempts, once.Budget.MinRetries = 1, 0
	return &once
}

// narrow has the halves of a part answered, each down to single pages if need be: a page that can never be had then costs itself
// and at most 2·ceil(log2 n) requests beyond the first. The error is what ends the document.
func (f *fanout) narrow(ctx context.Context, p *part, policy *retry.Policy) error {
	p.report.Narrowed = true
	for _, pages := range halves(f.span(p.pages)) {
		p.halves = append(p.halves, f.newPart(pages))
	}
	var both errgroup.Group
	for _, half := range p.halves {
		both.Go(func() error {
			err := f.half(ctx, half, policy)
			if err != nil {
				f.fail(err) // the other half need not go on
			}
			return err
		})
	}
	return both.Wait()
}

func (f *fanout) half(ctx context.Context, p *part, policy *retry.Policy) error {
	if f.recall(ctx, p) {
		return nil
	}
	if f.knowsHalves(ctx, p.pages) {
		return f.narrow(ctx, p, policy)
	}
	t, err := f.admit(ctx, p)
	if err == nil {
		return f.answer(ctx, p, t, policy)
	}
	p.report.Err = f.unsent(err)
	if f.tolerates(ctx, err) {
		return nil
	}
	return p.report.Err
}

package partition

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/split"
)

// A cache with a Has method tells whether it has an entry, cheaply and without taking it as used. It may be wrong about damage.
type haver interface {
	Has(ctx context.Context, k Key) bool
}

// Plan says what [Client.Stream] would send, and sends nothing: not what the client's cache answers either. A document that would be
// refused is an error: a [DocumentError]. Where the client has a cache the document is read whole; a cache with a method
// Has(context.Context, Key) bool is asked by that, any other by Get.
func (c *Client) Plan(ctx context.Context, d *Document, p Params) (*Plan, error) {
	j, err := c.prepare(ctx, d, p)
	if err != nil {
		return nil, err
	}
	defer j.close()
	plan := j.plan
	if j.chunksAfter() {
		if err := j.firstStep(); err != nil {
			return nil, err
		}
	}
	f := newFanout(c, j)
	defer func() { _ = f.scratch.close() }() // what stays is in the system's directory for temporary files
	plan.Cached, plan.Left = f.lookUp(ctx)
	if ctx.Err() != nil {
		return nil, canceled(ctx, d.name)
	}
	return &plan, nil
}

// lookUp goes the way of dispatch without sending: what the cache answers, and what would go out.
func (f *fanout) lookUp(ctx context.Context) (cached, left []split.PageRange) {
	whole := len(f.parts) > 1 && f.job.canGoWhole() && f.has(ctx, split.PageRange{})
	for i, p := range f.parts {
		if whole && !f.has(ctx, p.pages) && (i == 0 && f.bulk(ctx) > 0 || f.uncuttable(ctx, p)) {
			return append(cached, split.PageRange{First: p.pages.First, Last: f.requested().Last}), left
		}
		found, missing := f.lookUpPart(ctx, p.pages)
		cached, left = append(cached, found...), append(left, missing...)
	}
	return cached, left
}

func (f *fanout) lookUpPart(ctx context.Context, pages split.PageRange) (cached, left []split.PageRange) {
	switch {
	case f.has(ctx, pages):
		return []split.PageRange{pages}, nil
	case !f.knowsHalves(ctx, pages):
		return nil, []split.PageRange{pages}
	}
	for _, half := range halves(f.span(pages)) {
		found, missing := f.lookUpPart(ctx, half)
		cached, left = append(cached, found...), append(left, missing...)
	}
	return cached, left
}

// pay begins a document under the client's budget: what another's refusal ends waits until this one is answered or has failed.
func (f *fanout) pay(ctx context.Context, group *errgroup.Group) error {
	switch b := f.client.spending.budget; {
	case b.Pages > 0:
		if err := f.payPages(ctx); err != nil || f.paid == nil {
			return err
		}
	case b.Requests > 0:
		f.client.spending.await()
	default:
		return nil
	}
	f.through = sync.OnceFunc(f.client.spending.gone)
	group.Go(func() error {
		defer f.through()
		for _, p := range f.parts {
			select {
			case <-p.done:
			case <-ctx.Done():
				return nil
			}
		}
		return nil
	})
	return nil
}

// payPages pays for all pages of the document that the cache does not answer, or for none.
func (f *fanout) payPages(ctx context.Context) error {
	_, left := f.lookUp(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	pages := 0
	for _, r := range left {
		pages += f.count(r)
	}
	if pages == 0 {
		return nil
	}
	if limit := f.client.spending.document(pages); limit != nil {
		return f.refused(ctx, split.PageRange{}, limit)
	}
	f.paid = left
	for _, p := range f.parts {
		p.paid = slices.Contains(left, p.pages)
	}
	return nil
}

// unpaid is how many pages of a part are still to be paid for: all of a half, and of what the cache had and has not any more.
func (f *fanout) unpaid(p *part) int {
	if p.paid {
		return 0
	}
	return f.count(p.pages)
}

// count is how many pages a range counts as.
func (f *fanout) count(pages split.PageRange) int { return max(f.span(pages).Len(), 1) }

// has tells whether a part is in the cache.
func (f *fanout) has(ctx context.Context, pages split.PageRange) bool {
	if !f.caches() || f.client.refresh {
		return false
	}
	if quick, ok := f.client.cache.(haver); ok {
		return quick.Has(ctx, f.key(pages))
	}
	stored, err := f.client.cache.Get(ctx, f.key(pages))
	if err == nil {
		_ = stored.Close() // it was only looked for
	}
	return err == nil
}

func (f *fanout) uncuttable(ctx context.Context, p *part) bool {
	content, err := f.cut(ctx, p)
	if err == nil {
		content.free()
	}
	cut := (*cutError)(nil)
	return errors.As(err, &cut)
}

package batch

import (
	"context"
	"fmt"

	"github.com/quire-dev/quire/partition"
)

// A PageLimitError says that a document was not begun because its pages would have exceeded
// [Options.MaxPages].
type PageLimitError struct{ Limit int }

func (e *PageLimitError) Error() string { return fmt.Sprintf("page limit of %d reached", e.Limit) }

// admit counts the pages of a document against the limit before it is begun. Where they do not fit
// it is an error, and nothing is counted.
func (r *run) admit(ctx context.Context, item Item, d *partition.Document) error {
	if r.MaxPages <= 0 {
		return nil
	}
	plan, err := r.client.Plan(ctx, d, item.Params)
	if err != nil {
		return err
	}
	pages := pagesLeft(plan)
	r.mu.Lock()
	defer r.mu.Unlock()
	if pages > 0 && (r.full != nil || pages > r.MaxPages-r.pages) {
		return &partition.DocumentError{Document: d.Name(), Kind: partition.KindBudget, Err: &PageLimitError{r.MaxPages}}
	}
	r.pages += pages
	return nil
}

// pagesLeft is how many pages of a plan are not in the cache: see [Options.MaxPages].
func pagesLeft(plan *partition.Plan) int {
	pages := 0
	for _, requested := range plan.Left {
		if requested.First == 0 { // the whole document
			pages += max(plan.Pages, 1)
		} else {
			pages += requested.Len()
		}
	}
	if plan.Chunking && pages > 0 {
		pages++
	}
	return pages
}

// fill keeps further documents from being begun. What is under way goes on.
func (r *run) fill(limit error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full == nil {
		r.full = limit
	}
}

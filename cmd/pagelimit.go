package cmd

import (
	"context"
	"fmt"
	"sync"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/split"
)

// A pageLimit bounds how many pages a run sends: a document whose pages do not all fit is not begun.
type pageLimit struct {
	limit int // 0 for none

	mu   sync.Mutex
	sent int
}

// take counts the pages of a document that the cache does not answer. What goes whole and is of unknown length counts as one page,
// and so does the request that chunks all elements.
func (l *pageLimit) take(ctx context.Context, client *partition.Client, d *partition.Document, p partition.Params) error {
	if l.limit == 0 {
		return nil
	}
	plan, err := client.Plan(ctx, d, p)
	if err != nil {
		return err
	}
	pages := 0
	for _, r := range plan.Left {
		switch {
		case r != split.PageRange{}:
			pages += r.Len()
		default:
			pages += max(plan.Pages, 1)
		}
	}
	if plan.Chunking {
		pages++
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if pages > l.limit-l.sent {
		return &partition.DocumentError{Document: d.Name(), Kind: partition.KindBudget, Err: fmt.Errorf("page limit of %d reached", l.limit)}
	}
	l.sent += pages
	return nil
}

package partition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A fanout sends the parts of one document and hands their answers back in page order.
//
// One goroutine looks each part up in the cache, cuts those that are not there one after the other, and waits, with the next one
// cut, until a request may go out; each request then runs in a goroutine of its own. So the first part is on the wire before the
// last one is cut, documents that share a client take turns, and a part that waits to be tried again holds up no other.
type fanout struct {
	client  *Client
	job     *job
	scratch *scratch
	parts   []*part
	stop    atomic.Pointer[error]   // the failure with which the parts to come fail too, unsent
	fail    context.CancelCauseFunc // ends the document
	sending context.Context         // of requests under way: it outlives the document's by the grace period
	warning string                  // why the rest went whole
	unkept  atomic.Bool             // an answer is not in the cache
	paid    []split.PageRange       // what was paid for with the document
	through func()                  // ends the budget's waiting for what was paid for
}

// A cutError is a part that the splitter could not write.
type cutError struct {
	pages split.PageRange
	err   error
}

func (e *cutError) Error() string {
	return fmt.Sprintf("pages %s cannot be cut: %s", e.pages, e.err)
}
func (e *cutError) Unwrap() error { return e.err }

var (
	errLoopLeft   = errors.New("the caller stopped reading")
	errNeverAsked = errors.New("not sent: the document had failed before")
)

func newFanout(c *Client, j *job) *fanout {
	f := &fanout{client: c, job: j, scratch: c.newScratch(j.params.Split.Mode), through: func() {}}
	for _, pages := range j.plan.Chunks {
		f.parts = append(f.parts, f.newPart(pages))
	}
	return f
}

// answers sends everything and yields each part in order, once it is answered or, with AllowFailed, has failed for good. It
// returns the first error that ends the document. When it returns nothing is left running and nothing is left on disk.
func (f *fanout) answers(ctx context.Context, yield func(*part) error) (err error) {
	ctx, f.fail = context.WithCancelCause(ctx)
	group, ctx := errgroup.WithContext(ctx)
	sending, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	f.sending = sending
	defer context.AfterFunc(ctx, func() { f.expire(context.Cause(ctx), kill) })()
	defer func() {
		f.fail(errLoopLeft) // also after a panic of the caller
		if failed := group.Wait(); err == nil {
			err = failed
		}
		kill(nil)
		if lost := f.scratch.close(); err == nil {
			err = lost
		}
	}()
	group.Go(func() error { return f.dispatch(ctx, group) })
	for _, p := range f.parts {
		select {
		case <-p.done:
		case <-ctx.Done():
			select {
			case <-p.done: // before: what is there is not lost
			default:
				return context.Cause(ctx)
			}
		}
		for leaf := range p.leaves() {
			if leaf.report.Err != nil && !f.job.params.Split.AllowFailed {
				if ctx.Err() != nil {
					return context.Cause(ctx) // another part's failure, of which this one's is a consequence
				}
				f.fail(leaf.report.Err) // not errLoopLeft: what is under way is worth waiting for
				return leaf.report.Err
			}
			if err := yield(leaf); err != nil {
				f.fail(errLoopLeft)
				return err
			}
			leaf.answer.store.remove()
		}
	}
	return nil
}

// expire ends the requests under way once the document has ended. Where there is a cache their answers are waited for during the
// grace period: the server works on anyway, and what it answers is stored for the next time.
func (f *fanout) expire(cause error, kill context.CancelCauseFunc) {
	if f.client.cache == nil || f.client.grace <= 0 || errors.Is(cause, errLoopLeft) {
		kill(cause)
		return
	}
	late := time.AfterFunc(f.client.grace, func() { kill(cause) })
	context.AfterFunc(f.sending, func() { late.Stop() })
}

// dispatch starts the requests in page order.
func (f *fanout) dispatch(ctx context.Context, group *errgroup.Group) error {
	if err := f.pay(ctx, group); err != nil {
		return err
	}
	for i, p := range f.parts {
		if p.spared || f.recall(ctx, p) || i == 0 && f.goWhole(ctx, p) && f.recall(ctx, p) {
			close(p.done)
			continue
		}
		if f.knowsHalves(ctx, p.pages) {
			group.Go(func() error {
				defer close(p.done)
				return f.narrow(ctx, p, f.client.policy)
			})
			continue
		}
		t, err := f.admit(ctx, p)
		if cut := (*cutError)(nil); errors.As(err, &cut) && f.job.canGoWhole() {
			f.restWhole(p, cut)
			if f.recall(ctx, p) {
				close(p.done)
				continue
			}
			t, err = f.admit(ctx, p)
		}
		if err != nil {
			p.report.Err = f.unsent(err)
			goOn := f.tolerates(ctx, err) // asked first: once the last part is done, the document may be over
			close(p.done)
			if goOn {
				continue
			}
			return p.report.Err
		}
		group.Go(func() error {
			defer close(p.done)
			return f.answer(ctx, p, t, f.client.policy)
		})
	}
	return nil
}

// restWhole sends the whole document in place of a part that cannot be cut, and of all parts behind it; of its answer their pages
// are taken.
func (f *fanout) restWhole(p *part, cut *cutError) {
	f.warning = fmt.Sprintf("%s: sent whole for the pages from %d on", text.Printable(cut.Error()), cut.pages.First)
	f.wholeFrom(p)
}

func (f *fanout) wholeFrom(p *part) {
	for _, later := range f.parts[slices.Index(f.parts, p)+1:] {
		later.spared = true // the parts before it may be read already
	}
	p.pages, p.from = split.PageRange{}, p.pages.First
	p.report.Pages = f.covers(p)
}

// goWhole replaces all parts by the document whole where that is a small part of the bytes.
func (f *fanout) goWhole(ctx context.Context, first *part) bool {
	total := f.bulk(ctx)
	if total == 0 {
		return false
	}
	f.wholeFrom(first)
	f.warning = fmt.Sprintf("its chunks would have about %d bytes in all, the document has %d: sent whole", total, f.job.size)
	return true
}

// bulk returns about how many bytes the chunks of a document would have in all, where they share so much that this is more than
// twice the document; else 0. The first and the last one tell.
func (f *fanout) bulk(ctx context.Context) int64 {
	n := int64(len(f.parts))
	if n < 3 || f.job.size < smallChunk || !f.job.canGoWhole() {
		return 0
	}
	both := int64(0)
	for _, p := range []*part{f.parts[0], f.parts[n-1]} {
		chunk, err := f.job.pdf.Chunk(ctx, p.pages)
		if err != nil || chunk.Size() < f.job.size/2 {
			return 0 // the usual case ends with the first
		}
		both += chunk.Size()
	}
	if total := both * n / 2; total > 2*f.job.size {
		return total
	}
	return 0
}

// unsent is the error of a part that could not be admitted.
func (f *fanout) unsent(err error) error {
	if cut := (*cutError)(nil); errors.As(err, &cut) {
		return &DocumentError{Document: f.job.plan.Document, Kind: KindBadDocument, Err: cut}
	}
	return err
}

// refused is the error of what the budget does not allow: a part, or the whole document.
func (f *fanout) refused(ctx context.Context, pages split.PageRange, limit error) error {
	err := &DocumentError{Document: f.job.plan.Document, Kind: KindBudget, Err: limit}
	f.tell(ctx, pages, err)
	return err
}

// tell has it told that the budget refused something. It waits for what is paid for, this document excepted, which can no longer
// be had whole.
func (f *fanout) tell(ctx context.Context, pages split.PageRange, err error) {
	f.through()
	f.client.refused(ctx, Event{Document: f.job.plan.Document, Pages: pages, Err: err})
}

// answer sends a part that was admitted and makes the best of what comes: its report has the outcome, and the error is what ends
// the document.
func (f *fanout) answer(ctx context.Context, p *part, t *ticket, policy *retry.Policy) error {
	err := f.send(ctx, p, t, policy)
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && f.narrows(p, err):
		return f.narrow(ctx, p, halvesPolicy(policy, err))
	case f.tolerates(ctx, err):
		return nil
	default:
		return err
	}
}

// tolerates tells whether the document goes on without the pages of a part that failed. Where the budget refused them it does
// until they have their turn: what is under way is paid for.
func (f *fanout) tolerates(ctx context.Context, err error) bool {
	return (f.job.params.Split.AllowFailed || KindOf(err) == KindBudget) && ctx.Err() == nil && err != nil
}

package partition

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A fanout sends the parts of one document and hands their answers back in page order.
//
// One goroutine cuts the parts one after the other and waits, with the next one cut, until a request may go out; each request
// then runs in a goroutine of its own. So the first part is on the wire before the last one is cut, documents that share a client
// take turns, and a part that waits to be tried again holds up no other.
type fanout struct {
	client  *Client
	job     *job
	scratch *scratch
	parts   []*sentPart
	stop    atomic.Pointer[error] // the failure with which the parts to come fail too, unsent
}

// A sentPart is one request's worth of the document. Its fields are set before done is closed, and only read after.
type sentPart struct {
	pages  split.PageRange // zero: the document whole
	answer answer
	report PartReport
	done   chan struct{}
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
	f := &fanout{client: c, job: j, scratch: &scratch{disk: j.params.Split.Mode == DiskCached}}
	for _, pages := range j.plan.Requests {
		f.parts = append(f.parts, &sentPart{
			pages: pages, answer: answer{store: f.scratch.newStore()}, done: make(chan struct{}),
			report: PartReport{Pages: pages, Err: errNeverAsked},
		})
	}
	return f
}

// answers sends everything and yields each part in order, once it is answered or, with AllowFailed, has failed for good. It
// returns the first error that ends the document. When it returns nothing is left running and nothing is left on disk.
func (f *fanout) answers(ctx context.Context, yield func(*sentPart) error) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	group, ctx := errgroup.WithContext(ctx)
	defer func() {
		cancel(errLoopLeft) // also after a panic of the caller
		if failed := group.Wait(); err == nil {
			err = failed
		}
		if lost := f.scratch.close(); err == nil {
			err = lost
		}
	}()
	group.Go(func() error { return f.dispatch(ctx, group) })
	for _, p := range f.parts {
		select {
		case <-p.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if p.report.Err != nil && !f.job.params.Split.AllowFailed {
			if ctx.Err() != nil {
				return context.Cause(ctx) // another part's failure, of which this one's is a consequence
			}
			return p.report.Err
		}
		if err := yield(p); err != nil {
			cancel(err)
			return err
		}
		p.answer.store.remove()
	}
	return nil
}

// dispatch starts the requests in page order.
func (f *fanout) dispatch(ctx context.Context, group *errgroup.Group) error {
	for _, p := range f.parts {
		content, err := f.cut(ctx, p)
		if err != nil {
			return err
		}
		slot, err := f.client.retry.Admit(ctx)
		switch stop := f.stop.Load(); {
		case ctx.Err() != nil:
			slot.Release()
			_ = content.Close() // as below
			return context.Cause(ctx)
		case err != nil:
			err = f.client.noAnswer(ctx, &APIError{
				Document: f.job.plan.Document, Pages: p.pages, Method: http.MethodPost, URL: f.client.endpoint.String(),
			}, err, f.client.redactor)
		case stop != nil:
			slot.Release()
			err = *stop
		}
		if err != nil {
			_ = content.Close() // as below
			p.report.Err = err
			close(p.done)
			if f.job.params.Split.AllowFailed {
				continue
			}
			return err
		}
		group.Go(func() error {
			defer close(p.done)
			defer func() { _ = content.Close() }() // a reader of memory, or of a file that is removed next
			err := f.send(ctx, p, content, slot)
			if f.job.params.Split.AllowFailed && ctx.Err() == nil {
				return nil // the report has it
			}
			return err
		})
	}
	return nil
}

// A partContent is what a part's request carries as its file.
type partContent struct {
	io.ReaderAt
	size  int64
	close func() error
}

// Close frees the content.
func (p *partContent) Close() error { return p.close() }

// cut makes the content of a part: the document itself, or a chunk in memory or in a file.
func (f *fanout) cut(ctx context.Context, p *sentPart) (*partContent, error) {
	if p.pages == (split.PageRange{}) {
		return &partContent{f.job.source, f.job.size, func() error { return nil }}, nil
	}
	chunk, err := f.job.pdf.Chunk(ctx, p.pages)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &cutError{p.pages, err}
	}
	p.report.Warnings = chunk.Warnings()
	if !f.scratch.disk {
		return &partContent{chunk, chunk.Size(), func() error { return nil }}, nil
	}
	return f.spill(chunk)
}

// spill writes a chunk to a file.
func (f *fanout) spill(chunk *split.Chunk) (*partContent, error) {
	store := f.scratch.newStore()
	w, err := store.create()
	if err != nil {
		return nil, err
	}
	_, err = chunk.WriteTo(w)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	r, err := store.open()
	if err != nil {
		return nil, err
	}
	return &partContent{r, chunk.Size(), func() error {
		err := r.Close()
		store.remove()
		return err
	}}, nil
}

// send is the seam where a part becomes an answer: one POST through the retry core.
func (f *fanout) send(ctx context.Context, p *sentPart, content *partContent, slot *retry.Slot) error {
	start := time.Now()
	document := f.job.plan.Document
	ctx = context.WithValue(ctx, partKey{}, part{document, p.pages})
	f.client.event(ctx, Event{Kind: PartStart, Document: document, Pages: p.pages})
	form := newForm(f.fields(p.pages), f.job.name, f.mediaType(p.pages), content, content.size)
	p.report.Sent = true
	p.report.Trace, p.report.Err = f.client.post(ctx, request{
		document: document, pages: p.pages, form: form, want: f.job.params.OutputFormat, slot: slot,
		secrets: f.client.redactor.with(string(f.job.params.ContextualAuth), string(f.job.params.Split.Password)),
		failed:  func(e *APIError) { f.failed(ctx, e) },
	}, &p.answer)
	p.report.Elements = p.answer.elements
	f.client.event(ctx, Event{
		Kind: PartEnd, Document: document, Pages: p.pages, Elements: p.report.Elements, Err: p.report.Err,
		Elapsed: time.Since(start),
	})
	return p.report.Err
}

// failed ends the sending where what comes next would be in vain, before it is sent.
func (f *fanout) failed(ctx context.Context, e *APIError) {
	refused := e.Kind == KindAuth || e.Kind == KindQuota
	if refused || !f.job.params.Split.AllowFailed {
		var err error = e
		f.stop.CompareAndSwap(nil, &err)
	}
	if refused {
		f.client.event(ctx, Event{Kind: Refused, Document: e.Document, Pages: e.Pages, Err: e})
	}
}

func (f *fanout) mediaType(pages split.PageRange) string {
	if pages != (split.PageRange{}) {
		return pdfType
	}
	return f.job.plan.MediaType
}

// fields are the form fields of a part: a chunk says which number its first page has.
func (f *fanout) fields(pages split.PageRange) []formField {
	if pages == (split.PageRange{}) {
		return f.job.fields
	}
	p := f.job.params
	first := 1
	if p.StartingPageNumber != nil {
		first = *p.StartingPageNumber
	}
	p.StartingPageNumber = new(first + pages.First - 1)
	fields, _ := p.wire() // the same fields had no error when the plan was made
	return fields
}

// elements yields the elements of a part.
func (p *sentPart) elements() iter.Seq2[Element, error] { return p.answer.all() }

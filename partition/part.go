package partition

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A part is one request's worth of a document, or what became of it: two halves where the whole could not be had. Its fields are
// set before done is closed, and only read after.
type part struct {
	pages  split.PageRange // zero: the document whole
	from   int             // of a whole document sent in place of what cannot be cut: the first page that is wanted of it
	spared bool            // its pages are in the answer of an earlier part
	paid   bool            // its pages were paid for with the document's
	answer answer
	report ChunkReport
	halves []*part
	done   chan struct{} // of a part of the plan
}

func (f *fanout) newPart(pages split.PageRange) *part {
	return &part{
		pages: pages, paid: slices.Contains(f.paid, pages), answer: answer{store: f.scratch.newStore()}, done: make(chan struct{}),
		report: ChunkReport{Pages: pages, Err: errNeverAsked},
	}
}

// leaves yields the part, or what it was narrowed to, in page order.
func (p *part) leaves() iter.Seq[*part] {
	return func(yield func(*part) bool) { p.eachLeaf(yield) }
}

func (p *part) eachLeaf(yield func(*part) bool) bool {
	switch {
	case p.spared:
		return true
	case p.halves == nil:
		return yield(p)
	}
	for _, half := range p.halves {
		if !half.eachLeaf(yield) {
			return false
		}
	}
	return true
}

// reports are those of the part and of what it was narrowed to.
func (p *part) reports() []ChunkReport {
	if p.spared {
		return nil
	}
	reports := []ChunkReport{p.report}
	for _, half := range p.halves {
		reports = append(reports, half.reports()...)
	}
	return reports
}

// A partContent is what a part's request carries as its file.
type partContent struct {
	io.ReaderAt
	size int64
	free func()
}

// smallChunk is the size, in bytes, up to which a chunk may be larger than its document: a file of little more than its frame.
const smallChunk = 1 << 20

// cut makes the content of a part: the document itself, or a chunk in memory or in a file.
func (f *fanout) cut(ctx context.Context, p *part) (*partContent, error) {
	if p.pages == (split.PageRange{}) {
		return &partContent{f.job.source, f.job.size, func() {}}, nil
	}
	chunk, err := f.job.pdf.Chunk(ctx, p.pages)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &cutError{p.pages, err}
	}
	if size := chunk.Size(); size > f.job.size && size > smallChunk && f.job.canGoWhole() {
		return nil, &cutError{p.pages, fmt.Errorf("the chunk would have %d bytes, the document has %d", size, f.job.size)}
	}
	p.report.Warnings = chunk.Warnings()
	if !f.scratch.disk {
		return &partContent{chunk, chunk.Size(), func() {}}, nil
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
	return &partContent{r, chunk.Size(), func() {
		_ = r.Close() // it was only read
		store.remove()
	}}, nil
}

// A ticket is a part that may be sent now.
type ticket struct {
	content *partContent
	slot    *retry.Slot
}

// admit cuts a part and waits until its request may go out.
func (f *fanout) admit(ctx context.Context, p *part) (*ticket, error) {
	t, err := f.newTicket(ctx, p)
	if limit, ok := err.(*limitError); ok { //nolint:errorlint // not what wraps one: that is the end of a run
		err = f.refused(ctx, p.pages, limit) // nothing is held by now that others need to come to their end
	}
	return t, err
}

func (f *fanout) newTicket(ctx context.Context, p *part) (*ticket, error) {
	if err := f.barred(ctx); err != nil {
		return nil, err // before it is cut in vain
	}
	content, err := f.cut(ctx, p)
	if err != nil {
		return nil, err
	}
	slot, err := f.client.retry.Admit(ctx)
	if err != nil && ctx.Err() == nil {
		err = f.client.noAnswer(ctx, &APIError{
			Document: f.job.plan.Document, Pages: p.pages, Method: http.MethodPost, URL: f.client.endpoint.String(),
		}, err, f.client.redactor)
	} else if err = f.barred(ctx); err == nil {
		err = f.client.spending.begin(f.unpaid(p))
	}
	if err == nil {
		return &ticket{content, slot}, nil
	}
	slot.Release()
	content.free()
	return nil, err
}

// barred is why nothing must be sent, nil where it may be.
func (f *fanout) barred(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if stop := f.stop.Load(); stop != nil {
		return *stop
	}
	return context.Cause(f.client.spending.spent)
}

// send is the seam where a part becomes an answer: one POST through the retry core.
func (f *fanout) send(ctx context.Context, p *part, t *ticket, policy *retry.Policy) error {
	defer t.content.free()
	start := time.Now()
	document := f.job.plan.Document
	ctx = context.WithValue(ctx, partKey{}, partID{document, p.pages})
	f.client.event(ctx, Event{Kind: ChunkStart, Document: document, Pages: p.pages})
	p.report.Sent = true
	p.report.Trace, p.report.Err = f.client.post(ctx, request{
		document: document, pages: p.pages, want: f.job.params.OutputFormat, policy: policy, slot: t.slot,
		form:    newUpload(f.fields(p.pages), f.job.name, f.mediaType(p.pages), t.content, t.content.size),
		secrets: f.client.redactor.with(string(f.job.params.ContextualAuth), string(f.job.params.Split.Password)),
		sending: context.WithValue(f.sending, partKey{}, partID{document, p.pages}),
		keep:    func() { f.remember(ctx, p) },
		failed:  func(e *APIError) { f.failed(ctx, p, e) },
	}, &p.answer)
	p.report.Elements = p.answer.elements
	f.client.event(ctx, Event{
		Kind: ChunkEnd, Document: document, Pages: p.pages, Elements: p.report.Elements, Err: p.report.Err,
		Elapsed: time.Since(start),
	})
	return p.report.Err
}

// failed ends the sending where what comes next would be in vain, before it is sent.
func (f *fanout) failed(ctx context.Context, p *part, e *APIError) {
	if e.Kind == KindBudget {
		f.tell(ctx, e.Pages, e)
		return
	}
	refused := e.Kind == KindAuth || e.Kind == KindQuota
	if refused || !f.job.params.Split.AllowFailed && !f.narrows(p, e) {
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
func (f *fanout) fields(pages split.PageRange) []form.Pair {
	if pages == (split.PageRange{}) {
		return f.job.fields
	}
	p := f.job.params
	first := 1
	if p.StartingPageNumber != nil {
		first = *p.StartingPageNumber
	}
	p.StartingPageNumber = new(first + pages.First - 1)
	fields, _ := p.fields() // the same fields had no error when the plan was made
	return fields
}

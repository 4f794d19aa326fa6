package partition

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/quire-dev/quire/partition/internal/media"
	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A chunk is a run of a document's pages that is sent as one request, or the whole document. Its
// fields are set before done is closed, and only read after.
type chunk struct {
	pages   split.PageRange // zero: the document whole
	from    int             // of a whole document sent in place of chunks: the first page that is wanted of it; else 0
	spared  bool            // its pages are in the answer of an earlier chunk
	planned bool            // it is no half of another
	answer  answer
	report  ChunkReport
	halves  []*chunk // what it was narrowed to

	first    chan struct{} // of a planned one: closed once all before it are delivered
	admitted func()        // lets the next chunk of the document begin; may be called more than once
	next     chan struct{}
	done     chan struct{}
}

var (
	errNeverAsked     = errors.New("not sent: the document had failed before")
	errGivenUp        = errors.New("no answer: the document had failed before")
	errNarrowedBefore = errors.New("halves of the chunk are in the cache")
)

func (j *job) newChunk(pages split.PageRange) *chunk {
	c := &chunk{
		pages: pages, answer: answer{store: j.scratch.NewStore(), turns: j.client.turns, repairable: j.repairsParents() && pages != (split.PageRange{})}, report: ChunkReport{Pages: pages, Err: errNeverAsked},
		next: make(chan struct{}), done: make(chan struct{}),
	}
	c.admitted = sync.OnceFunc(func() { close(c.next) })
	return c
}

// send is the life of one chunk, from the key of its answer to the slot that is free again. Until
// ctx ends it waits and repeats; an attempt that has begun goes on for the grace period. Its error
// is why there is no answer; what is done about that is up to [job.answer].
func (j *job) send(ctx context.Context, c *chunk, policy *retry.Policy) error {
	key := j.key(c.pages)
	flight, leave, err := j.join(ctx, key)
	if err != nil {
		return err
	}
	defer leave()
	if (flight.kept || j.recalls()) && j.recall(ctx, key, c) {
		return nil
	}
	if flight.failure != nil {
		return j.sharedFailure(c, flight.failure)
	}
	if c.from == 0 && j.hasHalves(ctx, c.pages) {
		return errNarrowedBefore
	}
	ready, err := j.ready(ctx, key, c, policy)
	if ready == nil {
		return err
	}
	defer ready.free()
	if err := j.reserve(ctx); err != nil {
		return err
	}
	c.admitted()
	start := time.Now()
	j.event(ctx, Event{Kind: ChunkStart, Pages: c.pages})
	call, requestID := j.call(ctx, c, policy, ready)
	call.Accept = func(r *http.Response) error { return c.answer.receive(j.paid, r, j.params.OutputFormat, j.secrets) }
	response, trace, err := j.client.retry.Do(j.paid, call) // which has judged the answer while it could still be sent again
	if response != nil {
		defer response.Body.Close() // frees the slot: what a kill can lose is never more than what may be in flight
	}
	c.report.Trace = withoutRefused(trace)
	switch failure := j.newError(c, *requestID, c.report.Trace); {
	case err != nil:
		err = j.noAnswer(ctx, failure, err)
	case response.StatusCode/100 != 2:
		j.refusal(failure, response)
		j.stopUnsent(ctx, c, failure)
		err = failure
	case !ready.content.unchanged():
		err = localError(j.plan.Document, errChanged)
	case c.answer.local != nil:
		err = &DocumentError{Document: j.plan.Document, Kind: KindLocalIO, Err: c.answer.local}
	default:
		c.report.Elements = c.answer.elements
		j.client.answered.Add(1)
		flight.kept = j.remember(ctx, key, c)
	}
	flight.end(err)
	j.event(ctx, Event{Kind: ChunkEnd, Pages: c.pages, Elements: c.report.Elements, Err: err, Elapsed: time.Since(start)})
	if err == nil {
		c.report.Err = nil
	}
	return err
}

// answer answers a chunk: as it is, or else by what stands for it. The outcome is in its
// report; the error is what ends the document.
func (j *job) answer(ctx context.Context, c *chunk, policy *retry.Policy) error {
	err := j.send(ctx, c, policy)
	switch cut := (*cutError)(nil); {
	case err == nil:
		return nil
	case errors.Is(err, errNarrowedBefore), ctx.Err() == nil && j.narrows(c, err):
		c.report.Err = err
		return j.narrow(ctx, c, halvesPolicy(policy, err))
	case errors.As(err, &cut):
		if c.planned && j.canGoWhole() {
			j.sendWhole(c, text.Printable(cut.Error()))
			return j.answer(ctx, c, policy)
		}
		err = &DocumentError{Document: j.plan.Document, Kind: KindBadDocument, Err: cut}
	}
	c.report.Err = err
	if j.tolerates(ctx, err) {
		return nil
	}
	return err
}

// call is a chunk's request, and where the id of its last attempt will be.
func (j *job) call(ctx context.Context, c *chunk, policy *retry.Policy, r *ready) (retry.Call, *string) {
	upload := newUpload(j.fieldsOf(c.pages), j.name, j.mediaType(c.pages), r.content.open, r.content.size)
	header := j.client.header.Clone()
	header.Set("Content-Type", upload.contentType())
	header.Set("Accept", "application/json")
	if j.params.OutputFormat != "" {
		header.Set("Accept", string(j.params.OutputFormat))
	}
	attrs := []slog.Attr{slog.String("document", text.Printable(j.plan.Document))}
	if c.pages != (split.PageRange{}) {
		attrs = append(attrs, slog.String("pages", c.pages.String()))
	}
	requestID := new(string)
	return retry.Call{
		Stop: ctx, Policy: policy, Slot: r.slot, Attrs: attrs, Alive: j.serverWorks,
		Request: &http.Request{
			Method: http.MethodPost, URL: j.client.endpoint.url, Header: header, GetBody: upload.open, ContentLength: upload.length(),
		},
		Observe: func(e retry.Event) { j.event(ctx, Event{Kind: AttemptEvent, Pages: c.pages, Attempt: e}) },
		NewHeader: func(int) http.Header {
			*requestID = rand.Text()
			return http.Header{requestIDHeader: {*requestID}}
		},
	}, requestID
}

// requestIDHeader carries an id that is new for every attempt, so that a server's log and ours can
// be put side by side.
const requestIDHeader = "X-Request-Id"

// barred returns why nothing may be sent, nil where it may.
func (j *job) barred(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if failure := j.failure.Load(); failure != nil {
		return *failure
	}
	return j.overLimit(j.client.requests.spent())
}

// reserve counts the chunk's first request, or returns why it may not be sent.
func (j *job) reserve(ctx context.Context) error {
	if err := j.barred(ctx); err != nil {
		return err
	}
	return j.overLimit(j.client.requests.reserve())
}

// overLimit is the error of what a spending limit keeps from being sent, nil where none does.
func (j *job) overLimit(err error) error {
	if err == nil {
		return nil
	}
	return &DocumentError{Document: j.plan.Document, Kind: KindBudget, Err: err}
}

// stopUnsent keeps what is not yet sent from being sent, where that would be for nothing.
func (j *job) stopUnsent(ctx context.Context, c *chunk, e *APIError) {
	refused := e.Kind.Scope() == ScopeAccount
	if refused || !j.params.Split.AllowFailed && !j.narrows(c, e) {
		var err error = e
		j.failure.CompareAndSwap(nil, &err)
	}
	if refused {
		j.event(ctx, Event{Kind: Refused, Pages: e.Pages, Err: e})
	}
}

// tolerates reports whether the document goes on without the pages of a chunk that failed. Where a
// spending limit keeps them from being sent it does: what is under way is paid for.
func (j *job) tolerates(ctx context.Context, err error) bool {
	return (j.params.Split.AllowFailed || KindOf(err) == KindBudget) && KindOf(err) != KindChanged && ctx.Err() == nil
}

func (j *job) mediaType(pages split.PageRange) string {
	if pages != (split.PageRange{}) {
		return media.PDF
	}
	return j.plan.MediaType
}

// leaves yields the chunk, or what it was narrowed to, in page order.
func (c *chunk) leaves() iter.Seq[*chunk] {
	return func(yield func(*chunk) bool) { c.eachLeaf(yield) }
}

func (c *chunk) eachLeaf(yield func(*chunk) bool) bool {
	switch {
	case c.spared:
		return true
	case c.halves == nil:
		return yield(c)
	}
	for _, half := range c.halves {
		if !half.eachLeaf(yield) {
			return false
		}
	}
	return true
}

// reports are those of the chunk and of what it was narrowed to.
func (c *chunk) reports() []ChunkReport {
	if c.spared {
		return nil
	}
	reports := []ChunkReport{c.report}
	for _, half := range c.halves {
		reports = append(reports, half.reports()...)
	}
	return reports
}

package partition

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/partition/internal/secret"
	"github.com/quire-dev/quire/partition/internal/spool"
	"github.com/quire-dev/quire/split"
)

// A job is one document on its way: what is planned for it, and what its chunks share while they
// are sent.
type job struct {
	client  *Client
	id      string // of the stream
	plan    Plan
	params  Params
	fields  []form.Pair
	name    string // as the server sees it
	version *version
	release func()           // the version; may be called more than once
	pdf     *split.Document  // nil where it is none, or cannot be cut
	sha256  string           // of the content, where there is a cache
	secrets *secret.Redactor // of the client and of the parameters

	scratch        *spool.Scratch
	chunks         []*chunk
	warning        string                // why the rest went whole
	failure        atomic.Pointer[error] // with which the chunks that are not yet sent fail too
	unkept         atomic.Bool           // an answer is not in the cache
	answeredBefore int64                 // [Client.answered] when the document began

	paid context.Context         // of attempts that have begun: it outlives the document's by the grace period
	end  context.CancelCauseFunc // ends the document
}

// begin makes the chunks of the plan and the lifetime of their attempts. The document ends with
// ctx, which end cancels. Call free once no chunk is under way.
func (j *job) begin(ctx context.Context, end context.CancelCauseFunc) (free func() error) {
	j.makeChunks()
	j.end = end
	j.client.documents.Add(1)
	j.answeredBefore = j.client.answered.Load()
	paid, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	j.paid = secret.WithContext(paid, j.secrets)
	expired := context.AfterFunc(ctx, func() { j.expire(context.Cause(ctx), kill) })
	return func() error {
		expired()
		kill(nil)
		j.client.documents.Add(-1)
		return j.scratch.Close()
	}
}

// makeChunks makes the chunks of the plan. Nothing of what sending them needs is set.
func (j *job) makeChunks() {
	j.scratch = j.client.newScratch(j.params.Split.Mode)
	for _, pages := range j.plan.Chunks {
		c := j.newChunk(pages)
		c.planned, c.first = true, make(chan struct{})
		j.chunks = append(j.chunks, c)
	}
}

// repairsParents reports whether elements may be given a parent that stands in an earlier chunk.
func (j *job) repairsParents() bool {
	asked := j.params.Split.RepairParents
	return j.params.OutputFormat != OutputCSV && (asked == nil || *asked)
}

// settle answers a chunk of the plan. An error ends the document.
func (j *job) settle(ctx context.Context, c *chunk) {
	if c.spared {
		return
	}
	err := cmp.Or(context.Cause(ctx), j.client.space.Wait(ctx, c.first))
	if err == nil {
		err = j.answer(ctx, c, j.client.policy)
	}
	if err != nil {
		j.end(err)
	}
}

// inOrder yields each chunk, or what it was narrowed to, in page order, once it is answered or has
// failed for good. It yields all of them, also after the document has failed or its context has
// ended: what was answered is delivered.
func (j *job) inOrder() iter.Seq[*chunk] {
	return func(yield func(*chunk) bool) {
		for _, c := range j.chunks {
			close(c.first)
			<-c.done
			for leaf := range c.leaves() {
				if !yield(leaf) {
					return
				}
			}
		}
	}
}

// expire ends the attempts under way once the document has ended. Where there is a cache their
// answers are waited for during the grace period: the server works on anyway, and what it answers
// is stored for the next time: unless the document's content is no longer that.
func (j *job) expire(cause error, kill context.CancelCauseFunc) {
	if j.client.cache == nil || j.client.grace <= 0 || errors.Is(cause, errLeft) || errors.Is(cause, errChanged) {
		kill(cause)
		return
	}
	late := time.AfterFunc(j.client.grace, func() { kill(cause) })
	context.AfterFunc(j.paid, func() { late.Stop() })
}

// close frees the document. It may be called twice.
func (j *job) close() {
	if j.pdf != nil {
		_ = j.pdf.Close() // it holds memory only
	}
	j.release()
}

// fieldsOf are the form fields of a chunk: it says which number its first page has.
func (j *job) fieldsOf(pages split.PageRange) []form.Pair {
	if pages == (split.PageRange{}) {
		return j.fields
	}
	p := j.params
	first := 1
	if p.StartingPageNumber != nil {
		first = *p.StartingPageNumber
	}
	p.StartingPageNumber = new(first + pages.First - 1)
	fields, _ := p.fields() // the same fields had no error when the plan was made
	return fields
}

// requested are the pages asked for; a document that goes whole, of however many pages, is one
// range.
func (j *job) requested() split.PageRange {
	first, last := j.chunks[0], j.chunks[len(j.chunks)-1]
	return split.PageRange{First: j.covers(first).First, Last: j.covers(last).Last}
}

// event tells the client's observer of something that happened to the document.
func (j *job) event(ctx context.Context, e Event) {
	e.ID, e.Document = j.id, j.plan.Document
	j.client.event(ctx, e)
}

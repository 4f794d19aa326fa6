package partition

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/text"
)

// A Stream sends one document and yields its elements.
type Stream struct {
	client   *Client
	ctx      context.Context
	document *Document
	params   Params
	id       string // in events
	used     atomic.Bool
	mu       sync.Mutex
	report   Report // written under mu, by the goroutine of the loop alone, which may so read it without
	repair   parentRepair
	tally    tally
	kept     bool   // every answer is in the cache
	forget   func() // what was delivered; nil where the caller has it
}

// A Result has all elements of a document.
type Result struct {
	// Elements are in page order; nil with [OutputCSV].
	Elements []element.Element
	// CSV is the answer with [OutputCSV]; else nil. It is unchanged, except that U+FFFD stands for
	// each byte that is not UTF-8.
	CSV []byte
	// Report says what happened to the document.
	Report Report
}

var (
	errStreamUsed = errors.New("the stream has been read already")
	errCSVStream  = errors.New("output_format text/csv has no elements to stream, only Partition returns it")
	errLeft       = errors.New("the caller stopped reading")
	errNoCSV      = errors.New("the parameters do not ask for output_format text/csv")
	errNoStream   = errors.New("the stream was not made by Client.Stream")
)

// Stream returns a stream of a document's elements. It sends nothing until the caller ranges over
// [Stream.All].
func (c *Client) Stream(ctx context.Context, d *Document, p Params) *Stream {
	return &Stream{client: c, ctx: ctx, id: rand.Text(), document: d, params: p}
}

// Format prints the document's name, whatever the verb: the stream's parameters may hold secrets.
func (s *Stream) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "partition.Stream(%s)", text.Printable(s.document.Name()))
}

// All yields the document's elements in page order, each as soon as all pages before it are
// answered or have failed for good. An error comes last. If only some pages are answered, their
// elements are delivered, also those behind a failed page, and the error is a [PartialError].
//
// Leaving the loop, by break, return or panic, cancels the requests in flight and frees everything.
// If instead the stream's context ends, or the document fails, and the client has a cache, the loop
// ends only when the requests in flight are answered, at the latest after the time of [WithGrace].
// What they bring is delivered.
// All can be ranged over only once.
func (s *Stream) All() iter.Seq2[element.Element, error] {
	return func(yield func(element.Element, error) bool) {
		if err := s.check(); err != nil {
			yield(element.Element{}, err)
			return
		}
		err := errStreamUsed
		switch {
		case s.params.OutputFormat == OutputCSV:
			err = &DocumentError{Document: s.document.name, Kind: KindBadRequest, Err: errCSVStream}
		case !s.used.Swap(true):
			err = s.run(func(c *chunk) error {
				return s.deliver(c, s.client.turns, func(e element.Element) bool {
					s.update(func(r *Report) { r.Elements++ })
					return yield(e, nil)
				})
			})
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(element.Element{}, err)
		}
	}
}

// check returns why the stream cannot send, nil where it can.
func (s *Stream) check() error {
	if s == nil {
		return errNoStream
	}
	return s.client.checkCall(s.ctx, s.document)
}

// Report returns what has happened to the document so far. It is complete after the loop over
// [Stream.All] has ended. Any goroutine may call it, also during the loop.
func (s *Stream) Report() Report {
	if s == nil {
		return Report{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	report := s.report
	report.Chunks = slices.Clone(s.report.Chunks)
	return report
}

// update changes the report.
func (s *Stream) update(change func(*Report)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.report)
}

// Partition returns the document's elements. If there is an error, the result still holds the
// elements of all pages that were answered; if those are not all pages, the error is a
// [PartialError]. The report is complete either way.
//
// When ctx ends, Partition cancels what it does and returns. If the client has a cache it first
// waits for the requests in flight, at most for the time of [WithGrace].
func (c *Client) Partition(ctx context.Context, d *Document, p Params) (*Result, error) {
	s := c.Stream(ctx, d, p)
	if p.OutputFormat == OutputCSV {
		return s.csv()
	}
	result := &Result{}
	s.forget = func() { result.Elements = nil }
	var failure error
	for e, err := range s.All() {
		if err != nil {
			failure = err
			break
		}
		result.Elements = append(result.Elements, e)
	}
	result.Report = s.Report()
	return result, failure
}

// WriteCSV writes the table with [OutputCSV] to w, as it came, once it is there. It takes the place of
// [Stream.All], for tables that may be too large for memory. An error of w is of the kind
// [KindLocalIO].
func (s *Stream) WriteCSV(w io.Writer) error {
	return s.table(func(table *io.SectionReader) error {
		_, err := io.Copy(w, table)
		return err
	})
}

// csv returns the table.
func (s *Stream) csv() (*Result, error) {
	result := &Result{}
	err := s.table(func(table *io.SectionReader) error {
		result.CSV = make([]byte, table.Size())
		_, err := io.ReadFull(table, result.CSV)
		return err
	})
	result.Report = s.Report()
	return result, err
}

// table sends the document and passes the table to take.
func (s *Stream) table(take func(*io.SectionReader) error) error {
	if err := s.check(); err != nil {
		return err
	}
	switch {
	case s.params.OutputFormat != OutputCSV:
		return &DocumentError{Document: s.document.name, Kind: KindBadRequest, Err: errNoCSV}
	case s.used.Swap(true):
		return errStreamUsed
	}
	return s.run(func(c *chunk) error {
		if err := take(c.answer.store.Open()); err != nil {
			return localError(s.document.name, err)
		}
		counted := s.tally.of(c, s.firstNumber())
		counted.addTable(c.answer.store.Open())
		counted.end()
		return nil
	})
}

// run sends the document and passes each answered chunk to deliver, in page order.
func (s *Stream) run(deliver func(*chunk) error) (err error) {
	start := time.Now()
	s.update(func(r *Report) { *r = Report{ID: s.id, Document: s.document.name} })
	s.client.event(s.ctx, Event{Kind: DocumentStart, ID: s.id, Document: s.document.name})
	defer func() {
		s.update(func(r *Report) { r.Elapsed = time.Since(start) })
		s.client.event(s.ctx, Event{
			Kind: DocumentEnd, ID: s.id, Document: s.document.name, Elements: s.report.Elements, Err: err, Elapsed: s.report.Elapsed,
		})
	}()
	prepare := func() (*job, error) { return s.client.prepare(s.ctx, s.document, s.params) }
	for err = s.send(prepare, deliver); s.beginsAgain(err); err = s.send(prepare, deliver) {
		defer s.warn(errChanged.Error() + ", and begun again")
	}
	if KindOf(err) != KindChanged {
		s.document.unchanged()
	}
	return err
}

// beginsAgain reports whether a document that changed while it was sent is begun again: not where
// the caller has elements of it. What the requests came to that were made for it stays in the
// report.
func (s *Stream) beginsAgain(err error) bool {
	if KindOf(err) != KindChanged || !s.canBeginAgain() {
		return false
	}
	s.update(func(r *Report) { *r = r.again(err) })
	s.client.logger.WarnContext(s.ctx, errChanged.Error()+", is begun again", "document", text.Printable(s.document.name))
	s.repair = parentRepair{}
	if s.forget != nil {
		s.forget()
	}
	return true
}

func (s *Stream) canBeginAgain() bool {
	return s.ctx.Err() == nil && s.document.renewable() && (s.report.Elements == 0 || s.forget != nil)
}

// send is the life of one document: plan, fan out, merge. Each chunk is answered in a goroutine of
// its own, by [job.answer]; the next one begins once this one may be sent, waits for another
// process, or needs no request. So
// they go out in page order, only one waits, cut, for its slot, documents that share a client take
// turns, and a chunk that waits to be sent again holds up no other. When send returns nothing is
// left running, and nothing is left on disk.
func (s *Stream) send(plan func() (*job, error), deliver func(*chunk) error) error {
	j, err := plan()
	if err != nil {
		return err
	}
	defer j.close()
	if j.chunksAfter() {
		return s.sendTwice(j, deliver)
	}
	s.announce(j)
	s.tally = tally{job: j}

	ctx, end := context.WithCancelCause(s.ctx)
	free := j.begin(ctx, end)
	var chunks sync.WaitGroup
	finish := sync.OnceValue(func() error {
		end(errLeft)
		chunks.Wait()
		return free()
	})
	defer func() { _ = finish() }() // after a panic of the caller: else it is done already
	chunks.Go(func() {
		j.sendSmaller(ctx)
		for _, c := range j.chunks {
			chunks.Go(func() {
				defer close(c.done)
				j.settle(ctx, c)
				if ctx.Err() != nil && s.ctx.Err() == nil {
					j.recallUnsent(c) // the document has failed, which is no reason to lose them
				}
			})
			select {
			case <-c.next:
			case <-c.done:
			}
		}
	})

	var m merged
	for c := range j.inOrder() {
		if err = s.merge(ctx, j, c, &m, deliver); err != nil {
			break
		}
	}
	err = cmp.Or(err, finish())
	return s.conclude(j, &m, err)
}

// announce notes what is planned, and says so.
func (s *Stream) announce(j *job) {
	j.id = s.id
	s.update(func(r *Report) { r.MediaType, r.Pages, r.Warnings = j.plan.MediaType, j.plan.Pages, j.plan.Warnings })
	j.event(s.ctx, Event{Kind: DocumentPlanned, Plan: &j.plan})
	for _, warning := range j.plan.Warnings {
		s.client.logger.WarnContext(s.ctx, warning, "document", text.Printable(j.plan.Document))
	}
}

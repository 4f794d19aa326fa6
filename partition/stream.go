package partition

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/split"
)

// A Stream is one document on its way through the API.
type Stream struct {
	client   *Client
	ctx      context.Context
	document *Document
	params   Params
	used     atomic.Bool
	report   Report
	repair   parentRepair
	kept     bool // every answer is in the cache
}

// A Result is a document's elements, all of them.
type Result struct {
	Elements []Element
	CSV      []byte // instead of elements, with output_format text/csv
	Report   Report
}

var (
	errStreamUsed = errors.New("the stream has been read already")
	errCSVStream  = errors.New("output_format text/csv has no elements to stream, only Partition returns it")
	errLeft       = errors.New("left")
)

// Stream returns the elements of a document as they come. Nothing is sent before [Stream.All] is ranged over.
func (c *Client) Stream(ctx context.Context, d *Document, p Params) *Stream {
	return &Stream{client: c, ctx: context.WithValue(ctx, streamKey{}, rand.Text()), document: d, params: p}
}

// All yields the document's elements in page order, each as soon as everything before it is there. An error is final: it is
// yielded once, last. With [Split.AllowFailed] a [PartialError] comes after everything that was answered.
//
// Leaving the loop, by break, return or panic, cancels the requests in flight and leaves nothing behind. All can be ranged over
// once.
func (s *Stream) All() iter.Seq2[Element, error] {
	return func(yield func(Element, error) bool) {
		err := errStreamUsed
		switch {
		case s.params.OutputFormat == OutputCSV:
			err = &DocumentError{Document: s.document.name, Kind: KindBadRequest, Err: errCSVStream}
		case !s.used.Swap(true):
			err = s.run(func(p *part) error { return s.deliver(p, yield) })
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(Element{}, err)
		}
	}
}

// deliver yields the elements of an answered part.
func (s *Stream) deliver(p *part, yield func(Element, error) bool) error {
	mend := false
	if s.params.Split.RepairParents {
		var err error
		if mend, err = s.repair.trust(&p.answer); err != nil {
			return localError(s.document.name, err) // it was checked when it came
		}
	}
	before := p.from > 0 // the elements are of pages that were answered before
	for e, err := range p.answer.all() {
		if err != nil {
			return localError(s.document.name, err) // as above
		}
		before = before && e.Metadata.PageNumber < s.firstNumber()+p.from-1
		if mend {
			e = s.repair.mend(e)
		}
		if before {
			continue
		}
		s.report.Elements++
		if !yield(e, nil) {
			return errLeft
		}
	}
	return nil
}

// Report says what was done. It is complete once the loop over [Stream.All] has ended.
func (s *Stream) Report() Report { return s.report }

// Partition returns the document's elements. Beside an error the result holds what there is: with [Split.AllowFailed] all that
// was answered, else what stands before the first failure; its report says what was sent either way.
func (c *Client) Partition(ctx context.Context, d *Document, p Params) (*Result, error) {
	s := c.Stream(ctx, d, p)
	if p.OutputFormat == OutputCSV {
		return s.csv()
	}
	result := &Result{}
	var failure error
	for e, err := range s.All() {
		if err != nil {
			failure = err
			break
		}
		result.Elements = append(result.Elements, e)
	}
	result.Report = s.report
	return result, failure
}

// firstNumber is the number of the document's first page.
func (s *Stream) firstNumber() int {
	if s.params.StartingPageNumber != nil {
		return *s.params.StartingPageNumber
	}
	return 1
}

// csv returns the answer as it came.
func (s *Stream) csv() (*Result, error) {
	result := &Result{}
	err := s.run(func(p *part) error {
		stored, err := p.answer.store.open()
		if err != nil {
			return localError(s.document.name, err)
		}
		defer stored.Close()
		result.CSV, err = io.ReadAll(stored)
		return err
	})
	result.Report = s.report
	return result, err
}

// run sends the document and passes on each answered part, in page order.
func (s *Stream) run(deliver func(*part) error) (err error) {
	start := time.Now()
	s.report = Report{Document: s.document.name}
	s.report.ID, _ = s.ctx.Value(streamKey{}).(string)
	s.client.event(s.ctx, Event{Kind: DocumentStart, Document: s.document.name})
	defer func() {
		s.report.Elapsed = time.Since(start)
		s.client.event(s.ctx, Event{
			Kind: DocumentEnd, Document: s.document.name, Elements: s.report.Elements, Err: err, Elapsed: s.report.Elapsed,
		})
	}()
	j, err := s.client.prepare(s.ctx, s.document, s.params)
	if err != nil {
		return err
	}
	defer j.close()
	if j.chunksAfter() {
		return s.sendTwice(j, deliver)
	}
	return s.send(j, deliver)
}

// send sends a planned document once.
func (s *Stream) send(j *job, deliver func(*part) error) error {
	plan := &j.plan
	s.report.MediaType, s.report.Pages, s.report.Warnings = plan.MediaType, plan.Pages, plan.Warnings
	s.client.event(s.ctx, Event{Kind: DocumentPlanned, Document: plan.Document, Plan: plan})
	for _, warning := range plan.Warnings {
		s.client.logger.WarnContext(s.ctx, warning, "document", text.Printable(plan.Document))
	}
	f := newFanout(s.client, j)
	var answered, missing []split.PageRange
	var failures []error
	err := f.answers(s.ctx, func(p *part) error {
		if p.report.Err != nil {
			s.repair.gap()
			missing = append(missing, f.covers(p))
			failures = append(failures, p.report.Err)
			return nil
		}
		answered = append(answered, f.covers(p))
		return deliver(p)
	})
	s.kept = f.caches() && !f.unkept.Load()
	for _, p := range f.parts {
		s.report.Chunks = append(s.report.Chunks, p.reports()...)
	}
	for _, warning := range []string{f.warning, f.scratch.warning()} {
		if warning != "" {
			s.report.Warnings = append(slices.Clone(s.report.Warnings), warning)
		}
	}
	if err == nil {
		s.report.Missing = missing
	}
	switch {
	case err != nil:
		return s.explain(err)
	case len(answered) == 0:
		return nothingAnswered(f, failures[0])
	}
	if err := checkCoverage(f.requested(), answered, missing); err != nil {
		return &DocumentError{Document: plan.Document, Kind: KindBadResponse, Err: err}
	}
	if len(missing) > 0 {
		return &PartialError{Document: plan.Document, Missing: missing, Errs: failures}
	}
	return nil
}

// nothingAnswered is the error of a document of which no part could be had: the first one's, for all pages.
func nothingAnswered(f *fanout, first error) error {
	var api *APIError
	if len(f.parts) == 1 || !errors.As(first, &api) {
		return first
	}
	all := *api
	all.Pages = f.requested()
	return &all
}

// explain makes sure that an error names the document, and that one which ended with its context says so.
func (s *Stream) explain(err error) error {
	switch {
	case errors.Is(err, errLeft):
		return err // the caller knows
	case s.ctx.Err() != nil && (KindOf(err) == "" || errors.Is(err, context.Cause(s.ctx))):
		return canceled(s.ctx, s.document.name)
	case KindOf(err) == "":
		return localError(s.document.name, err)
	default:
		return err
	}
}

// canGoWhole tells whether the whole document in one request is the same as its parts together.
func (j *job) canGoWhole() bool {
	return j.params.Split.Pages == (split.PageRange{}) && j.params.Split.Password == ""
}

// requested are the pages asked for; a document that goes whole, of however many pages, is one range.
func (f *fanout) requested() split.PageRange {
	first, last := f.parts[0], f.parts[len(f.parts)-1]
	return split.PageRange{First: f.covers(first).First, Last: f.covers(last).Last}
}

// checkCoverage makes sure that every page asked for is answered or missing, once, and no other is.
func checkCoverage(requested split.PageRange, answered, missing []split.PageRange) error {
	all := slices.Concat(answered, missing)
	slices.SortFunc(all, func(a, b split.PageRange) int { return a.First - b.First })
	next := requested.First
	for _, r := range all {
		if r.First != next {
			break
		}
		next = r.Last + 1
	}
	if next != requested.Last+1 || len(all) == 0 {
		return fmt.Errorf("pages %s were asked for, but %v were answered and %v are missing", requested, answered, missing)
	}
	return nil
}

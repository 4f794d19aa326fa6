package partition

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quire-dev/quire/split"

	"github.com/quire-dev/quire/partition/element"
)

// merged is what has become of the pages that had their turn.
type merged struct {
	answered, missing []split.PageRange
	failures          []error // of the missing pages
}

// merge delivers the answer of the chunk that has its turn, or notes its pages as missing. The
// error ends the document.
func (s *Stream) merge(ctx context.Context, j *job, c *chunk, m *merged, deliver func(*chunk) error) error {
	switch failure := c.report.Err; {
	case failure == nil:
		m.answered = append(m.answered, j.covers(c))
		err := deliver(c)
		c.answer.store.Remove()
		return err
	case j.params.Split.AllowFailed:
		s.repair.gap()
		m.missing, m.failures = append(m.missing, j.covers(c)), append(m.failures, failure)
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx) // another chunk's failure, of which this one's is a consequence
	default:
		j.end(failure) // and not errLeft: what is under way is worth waiting for
		return failure
	}
}

// conclude completes the report of a document that was sent, and returns the document's error.
func (s *Stream) conclude(j *job, m *merged, err error) error {
	s.kept = j.caches() && !j.unkept.Load()
	replaced := int64(0)
	for _, c := range j.chunks {
		s.update(func(r *Report) { r.Chunks = append(r.Chunks, c.reports()...) })
		for leaf := range c.leaves() {
			replaced += leaf.answer.replaced
		}
	}
	if replaced > 0 {
		s.warn(fmt.Sprintf("bytes of the answer that are not UTF-8, replaced by U+FFFD: %d", replaced))
	}
	if j.warning != "" {
		s.warn(j.warning)
	}
	if warning := j.scratch.Warning(); warning != "" {
		j.client.scratchOnce.Do(func() { s.warn(warning) }) // the next document would say the same
	}
	if err != nil {
		return s.explain(err)
	}
	s.update(func(r *Report) { r.Missing = m.missing })
	if len(m.answered) == 0 {
		return nothingAnswered(j, m.failures[0])
	}
	if err := checkCoverage(j.requested(), m.answered, m.missing); err != nil {
		return &DocumentError{Document: j.plan.Document, Kind: KindBadResponse, Err: err}
	}
	if len(m.missing) > 0 {
		return &PartialError{Document: j.plan.Document, Missing: m.missing, Errs: m.failures}
	}
	return nil
}

func (s *Stream) warn(warning string) {
	s.update(func(r *Report) { r.Warnings = append(slices.Clone(r.Warnings), warning) })
}

// nothingAnswered is the error of a document of which no chunk was answered: the first one's, for
// all pages.
func nothingAnswered(j *job, first error) error {
	var api *APIError
	if len(j.chunks) == 1 || !errors.As(first, &api) {
		return first
	}
	document := *api
	document.Pages = j.requested()
	return &document
}

// explain makes sure that an error names the document, and that one which ended with its context
// says so.
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
		return fmt.Errorf("pages %s were requested, but pages %v were answered and pages %v are missing", requested, answered, missing)
	}
	return nil
}

// deliver yields the elements of an answered chunk.
func (s *Stream) deliver(c *chunk, turns elementTurns, yield func(element.Element, error) bool) error {
	mend := false
	if s.params.Split.RepairParents {
		var err error
		if mend, err = s.repair.trust(s.ctx, &c.answer, turns); err != nil {
			return localError(s.document.name, err) // it was checked when it came
		}
	}
	before := c.from > 0 // the elements are of pages that were answered before
	for e, err := range c.answer.all(s.ctx, turns) {
		if err != nil {
			return localError(s.document.name, err) // as above
		}
		before = before && e.Metadata.PageNumber < s.firstNumber()+c.from-1
		if mend {
			e = s.repair.mend(e)
		}
		if before {
			continue
		}
		s.update(func(r *Report) { r.Elements++ })
		if !yield(e, nil) {
			return errLeft
		}
	}
	return nil
}

// firstNumber is the number of the document's first page.
func (s *Stream) firstNumber() int {
	if s.params.StartingPageNumber != nil {
		return *s.params.StartingPageNumber
	}
	return 1
}

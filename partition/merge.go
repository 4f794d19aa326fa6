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

// merge delivers the answer of the chunk that has its turn, or notes its pages as missing. An error
// ends the document: the caller has left, or the document is to be begun again.
func (s *Stream) merge(ctx context.Context, j *job, c *chunk, m *merged, deliver func(*chunk) error) error {
	if c.report.Err == nil {
		err := deliver(c)
		c.answer.store.Remove()
		if err == nil {
			m.answered = append(m.answered, j.covers(c))
		}
		return err
	}
	failure := c.report.Err
	switch {
	case s.cutOff(ctx, j, c) && s.endedBy(ctx):
		failure = canceled(s.ctx, s.document.name)
	case s.cutOff(ctx, j, c):
		failure = errGivenUp
	case KindOf(failure) == "":
		failure = localError(s.document.name, failure)
	case KindOf(failure) == KindChanged && s.canBeginAgain():
		return failure
	}
	s.repair.gap()
	m.missing, m.failures = append(m.missing, j.covers(c)), append(m.failures, failure)
	return nil
}

// cutOff reports whether a chunk has no answer because the document had ended: by the caller's
// context, or because another chunk had failed.
func (s *Stream) cutOff(ctx context.Context, j *job, c *chunk) bool {
	failure := c.report.Err
	if api := (*APIError)(nil); errors.As(failure, &api) && api.Pages != c.pages {
		return !j.params.Split.AllowFailed
	}
	return KindOf(failure) == KindCanceled || errors.Is(failure, errNeverAsked) ||
		s.endedBy(ctx) && errors.Is(failure, context.Cause(s.ctx))
}

// endedBy reports whether it was the caller's context that ended the context of a document.
func (s *Stream) endedBy(ctx context.Context) bool {
	return s.ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Cause(s.ctx))
}

// conclude completes the report of a document that was sent, and returns the document's error.
func (s *Stream) conclude(j *job, m *merged, err error) error {
	s.kept = j.caches() && !j.unkept.Load()
	replaced, halves := int64(0), int64(0)
	for _, c := range j.chunks {
		s.update(func(r *Report) { r.Chunks = append(r.Chunks, c.reports()...) })
		for leaf := range c.leaves() {
			replaced, halves = replaced+leaf.answer.replaced, halves+leaf.answer.halves
		}
	}
	if replaced > 0 {
		s.warn(fmt.Sprintf("bytes of the answer that are not UTF-8, replaced by U+FFFD: %d", replaced))
	}
	if halves > 0 {
		s.warn(fmt.Sprintf("escapes in the answer that are half of a surrogate pair, replaced by U+FFFD: %d", halves))
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
	if len(m.answered) == 0 {
		return nothingAnswered(j, m.failures)
	}
	if err := checkCoverage(j.requested(), m.answered, m.missing); err != nil {
		return &DocumentError{Document: j.plan.Document, Kind: KindBadResponse, Err: err}
	}
	if err := s.judge(j, len(m.missing) == 0); err != nil {
		return err
	}
	if len(m.missing) == 0 {
		return nil
	}
	s.update(func(r *Report) { r.Missing = m.missing })
	return &PartialError{Document: j.plan.Document, Missing: m.missing, Errs: m.failures}
}

func (s *Stream) warn(warning string) {
	s.update(func(r *Report) { r.Warnings = append(slices.Clone(r.Warnings), warning) })
}

// nothingAnswered is the error of a document of which no chunk was answered: the first failure, for
// all pages unless the others were given up because of it.
func nothingAnswered(j *job, failures []error) error {
	first := cause(failures)
	var api *APIError
	if len(j.chunks) == 1 || slices.Contains(failures, errGivenUp) || !errors.As(first, &api) {
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
func (s *Stream) deliver(c *chunk, turns elementTurns, yield func(element.Element) bool) error {
	counted := s.tally.of(c, s.firstNumber())
	before := c.from > 0                    // the elements are of pages that were answered before
	apart := c.answer.repairable && !before // the server did not see what stands above
	given := apart && s.repair.enter(&c.answer.parents, s.params.Split.RepairParents != nil)
	for e, err := range c.answer.all(s.ctx, turns) {
		if err != nil {
			return localError(s.document.name, err) // it was checked when it came
		}
		before = before && e.Metadata.PageNumber < s.firstNumber()+c.from-1
		if apart {
			if parent := s.repair.parent(e); given && e.Metadata.ParentID == "" {
				e.Metadata.ParentID = parent
			}
		}
		if before {
			continue
		}
		counted.add(e)
		if !yield(e) {
			return errLeft
		}
	}
	counted.end()
	return nil
}

// firstNumber is the number of the document's first page.
func (s *Stream) firstNumber() int {
	if s.params.StartingPageNumber != nil {
		return *s.params.StartingPageNumber
	}
	return 1
}

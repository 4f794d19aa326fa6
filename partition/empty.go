package partition

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/split"
)

// judge notes whether a document is empty, which takes that all of its pages were answered. It also
// says which pages were answered with nothing although something is on them. The error is that of an
// empty document, where it counts as failed.
func (s *Stream) judge(j *job, complete bool) error {
	t, said := &s.tally, s.report.Empty
	empty := complete && t.content == 0
	s.update(func(r *Report) { r.Empty = empty })
	switch {
	case !empty:
		if warning := t.unread(s.ctx); warning != "" {
			s.warn(warning)
		}
	case said: // of the elements that were to be chunked
	case j.params.FailEmpty:
		return &DocumentError{Document: j.plan.Document, Kind: KindEmpty, Err: errors.New(t.emptiness(s.ctx))}
	default:
		s.warn(t.emptiness(s.ctx))
	}
	return nil
}

// emptiness says that a document is empty, and the likely cause.
func (t *tally) emptiness(ctx context.Context) string {
	what := "no elements"
	switch table := t.job.params.OutputFormat == OutputCSV; {
	case table && t.elements > 0:
		what = "no text in " + text.Count(t.elements, "row")
	case table:
		what = "a table without rows"
	case t.elements > 0:
		what = "no text in " + text.Count(t.elements, "element")
	}
	return "empty: " + what + "; " + t.cause(ctx)
}

// cause is why a document is likely to be empty.
func (t *tally) cause(ctx context.Context) string {
	seen := t.look(ctx)
	var causes []string
	if seen.scans != nil {
		causes = append(causes, fmt.Sprintf("%s %s: %s", seen.scans, seen.scans.number("is a scan", "are scans"), t.scanAdvice()))
	}
	if seen.blanks != nil {
		causes = append(causes, fmt.Sprintf("%s %s blank", seen.blanks, seen.blanks.number("is", "are")))
	}
	if strings.HasPrefix(t.job.plan.MediaType, "image/") && !t.readsScans() {
		causes = append(causes, "it is an image: "+t.scanAdvice())
	}
	if seen.texts != nil {
		causes = append(causes, fmt.Sprintf("%s found nothing on %s, which %s text", t.engine(), seen.texts, seen.texts.number("shows", "show")))
	}
	switch {
	case causes == nil:
		causes = append(causes, t.engine()+" found nothing")
	case seen.others != nil:
		causes = append(causes, fmt.Sprintf("%s found nothing on %s", t.engine(), seen.others))
	}
	return strings.Join(causes, "; ") + seen.limit()
}

// unread says which pages of a document have something on them, but nothing in the answer; "" where
// there are none. Where the strategy reads scans it says nothing of them: the backs of sheets are
// scans as well.
func (t *tally) unread(ctx context.Context) string {
	seen := t.look(ctx)
	var parts []string
	if seen.texts != nil {
		parts = append(parts, fmt.Sprintf("no elements of %s, which %s text", seen.texts, seen.texts.number("shows", "show")))
	}
	if seen.scans != nil && !t.readsScans() {
		parts = append(parts, fmt.Sprintf("no elements of %s, which %s: %s", seen.scans, seen.scans.number("is a scan", "are scans"), t.scanAdvice()))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, "; ") + seen.limit()
}

// engine is what answered.
func (t *tally) engine() string {
	if t.job.client.engine != "" {
		return "the embedded engine"
	}
	return "the server"
}

// readsScans reports whether the strategy always reads what is a picture.
func (t *tally) readsScans() bool {
	return slices.Contains([]string{"hi_res", "ocr_only", "vlm"}, t.job.params.Strategy)
}

// scanAdvice says what reads a scan.
func (t *tally) scanAdvice() string {
	switch {
	case t.job.client.engine != "":
		return "the embedded engine does not read scans, a server does with strategy hi_res or ocr_only"
	case t.readsScans():
		return "strategy " + t.job.params.Strategy + " found nothing there"
	default:
		return "strategy hi_res or ocr_only reads scans"
	}
}

// mostSeen is how many pages without content are looked at. That takes milliseconds a page; a hostile one takes a fifth of a second.
const mostSeen = 200

// A sight is what pages without content show, as far as they were looked at.
type sight struct {
	scans, blanks, texts, others pageList
	pages                        int  // looked at
	more                         bool // there are
}

// limit says what was not looked at.
func (s *sight) limit() string {
	if !s.more {
		return ""
	}
	return fmt.Sprintf(" (only %d pages without elements were looked at)", s.pages)
}

// look looks at the pages without content. What cannot be read shows nothing that is known.
func (t *tally) look(ctx context.Context) *sight {
	seen := &sight{}
	for _, pages := range t.silent {
		if t.job.pdf == nil || seen.more {
			break
		}
		if left := mostSeen - seen.pages; pages.Len() > left {
			pages.Last, seen.more = pages.First+left-1, true
		}
		kinds, _ := t.job.pdf.PageKinds(ctx, pages)
		for i, kind := range kinds {
			seen.add(pages.First+i, kind)
		}
		seen.pages += pages.Len()
	}
	return seen
}

func (s *sight) add(page int, kind split.PageKind) {
	switch kind {
	case split.PageScan:
		s.scans.add(page)
	case split.PageBlank:
		s.blanks.add(page)
	case split.PageText, split.PageTable, split.PageMixed:
		s.texts.add(page)
	default:
		s.others.add(page)
	}
}

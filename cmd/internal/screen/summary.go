package screen

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/walk"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/partition"
)

// A Summary adds up the figures of a run, as --summary writes them.
type Summary struct {
	Engine           string                 `json:"engine"`    // what produced the elements: a URL, or the embedded engine
	Documents        int                    `json:"documents"` // taken up, failed and unchanged ones included
	Partial          int                    `json:"partial"`   // of them, those whose output lacks pages
	Failed           int                    `json:"failed"`    // of them, those without an output
	Unchanged        int                    `json:"unchanged"` // of them, those that an earlier run had done
	Empty            int                    `json:"empty"`     // of them, those in whose answer there is nothing; with --fail-empty they are failed as well
	Skipped          int                    `json:"skipped"`   // files left out
	NotDone          int                    `json:"not_done"`  // documents that the run ended before
	MissingSources   int                    `json:"gone"`      // documents of earlier runs that are no longer there; their outputs stay
	Pages            int                    `json:"pages"`     // answered, of documents that have pages
	MissingPages     int                    `json:"missing_pages"`
	Elements         int                    `json:"elements"`
	Chunks           int                    `json:"chunks"` // that were sent or answered by the cache; a whole document counts as one
	Requests         int                    `json:"requests"`
	Retries          int                    `json:"retries"`
	MaybeBilledTwice int                    `json:"maybe_billed_twice"`
	MaybeBilled      int                    `json:"maybe_billed"` // chunks without an answer that the server may have billed, as those that the end of the run cut off
	CacheHits        int                    `json:"cache_hits"`
	BytesSent        int64                  `json:"bytes_sent"`
	ElapsedMS        int64                  `json:"elapsed_ms"`
	Missing          []missing              `json:"missing,omitempty"`
	FailedByKind     map[partition.Kind]int `json:"failed_by_kind,omitempty"`
	PartialByKind    map[partition.Kind]int `json:"partial_by_kind,omitempty"`
	SkippedBy        map[string]int         `json:"skipped_by,omitempty"` // reason

	Written     int                        `json:"-"` // documents with an output, complete or not
	Unavailable int                        `json:"-"` // documents that failed because of the server
	unwritten   int                        // failed documents some of whose pages were answered
	maybeBilled []string                   // the first of the chunks that are counted so
	first       map[cause]*outcome.Outcome // in the order of the walk
}

// A cause is why documents are failed, or partial.
type cause struct {
	state outcome.State
	kind  partition.Kind
}

// missing are the pages of one document that have no answer.
type missing struct {
	Document string   `json:"document"`
	Pages    []string `json:"pages"`

	number int // of the document in the walk
}

// Add counts a document.
func (s *Summary) Add(o *outcome.Outcome) {
	switch o.State {
	case outcome.Skipped:
		s.Skipped++
		countOne(&s.SkippedBy, o.Skip)
		return
	case outcome.NotDone: // counted at the end, with those that the run did not come to
	default:
		s.Documents++
	}
	s.Requests += o.Report.Requests()
	s.Retries += o.Report.Retries()
	s.MaybeBilledTwice += o.Report.MaybeBilledTwice()
	maybe := o.MaybeBilled()
	s.MaybeBilled += len(maybe)
	s.maybeBilled = append(s.maybeBilled, maybe[:min(len(maybe), maxNamed-len(s.maybeBilled))]...)
	for _, p := range o.Report.Chunks {
		for _, attempt := range p.Trace.Attempts {
			s.BytesSent += attempt.BytesSent
		}
		if len(p.Trace.Attempts) > 0 || p.Cached {
			s.Chunks++
		}
	}
	s.CacheHits += o.Report.CacheHits()
	if o.Report.Empty {
		s.Empty++
	}
	if o.Written {
		s.Written++
		s.Elements += o.Report.Elements
		s.Pages += o.Report.AnsweredPages()
	}
	switch o.State {
	case outcome.Unchanged:
		s.Unchanged++
	case outcome.Failed:
		s.Failed++
		countOne(&s.FailedByKind, o.Kind())
		if outcome.Unavailable(o.Err) {
			s.Unavailable++
		}
		if unwritten := (*outcome.UnwrittenError)(nil); errors.As(o.Err, &unwritten) {
			s.unwritten++
		}
		s.addFailure(o)
	case outcome.Partial:
		s.Partial++
		countOne(&s.PartialByKind, o.Kind())
		s.addFailure(o)
	}
}

func (s *Summary) addFailure(o *outcome.Outcome) {
	if s.first == nil {
		s.first = map[cause]*outcome.Outcome{}
	}
	of := cause{o.State, o.Kind()}
	if first := s.first[of]; first == nil || o.Number < first.Number {
		s.first[of] = o
	}
	for _, missing := range o.Report.Missing {
		s.MissingPages += missing.Len()
	}
	if pages := o.MissingPages(); len(pages) > 0 {
		s.Missing = append(s.Missing, missing{Document: o.Path, Pages: pages, number: o.Number})
	}
}

// countOne adds one to what is counted under a key.
func countOne[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}

// Write writes the figures as --summary has them.
func (s *Summary) Write(w io.Writer) error {
	slices.SortFunc(s.Missing, func(a, b missing) int { return a.number - b.number })
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// Lines returns the summary for people.
func (s *Summary) Lines() []string {
	var counts []string
	for _, count := range []struct {
		n      int
		what   string
		always bool
	}{
		{s.Documents - s.Partial - s.Failed - s.Unchanged, "done", true},
		{s.Partial, "partial", false},
		{s.Failed, "failed", true},
		{s.Unchanged, "unchanged", false},
		{s.Skipped, "skipped", true},
		{s.NotDone, "not done", false},
	} {
		if count.n > 0 || count.always {
			counts = append(counts, fmt.Sprintf("%d %s", count.n, count.what))
		}
	}
	requests := words.Count(s.Requests, "request")
	if s.Retries > 0 {
		requests += fmt.Sprintf(", %d of them retries", s.Retries)
	}
	if s.CacheHits > 0 {
		requests += fmt.Sprintf(", %d answered by the cache", s.CacheHits)
	}
	if s.MaybeBilledTwice > 0 {
		requests += fmt.Sprintf(", %d maybe billed twice", s.MaybeBilledTwice)
	}
	elapsed := time.Duration(s.ElapsedMS) * time.Millisecond
	if elapsed > time.Second {
		elapsed = elapsed.Round(100 * time.Millisecond)
	}
	lines := []string{
		strings.Join(counts, ", ") + "; " + s.amount(),
		fmt.Sprintf("%s; %s, by %s", requests, elapsed, s.Engine),
	}
	if links := s.links(); links != "" {
		lines = append(lines, links)
	}
	if s.unwritten > 0 {
		lines = append(lines, fmt.Sprintf("failed, but answered in part: %d; --allow-failed writes their answered pages", s.unwritten))
	}
	if s.MaybeBilled > 0 {
		lines = append(lines, s.MaybeBilledLine())
	}
	lines = append(lines, s.causes(outcome.Failed, s.FailedByKind)...)
	return append(lines, s.causes(outcome.Partial, s.PartialByKind)...)
}

// causes says why documents are failed, or partial, the most frequent kind first. Of a single one it
// was said a line above.
func (s *Summary) causes(state outcome.State, byKind map[partition.Kind]int) []string {
	if len(byKind) == 1 && slices.Contains(slices.Collect(maps.Values(byKind)), 1) {
		return nil
	}
	kinds := slices.SortedFunc(maps.Keys(byKind), func(a, b partition.Kind) int {
		return cmp.Or(byKind[b]-byKind[a], cmp.Compare(a, b))
	})
	var lines []string
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("%s (%s): %d, the first: %s", state, kind, byKind[kind], s.first[cause{state, kind}].Message()))
	}
	return lines
}

// maxNamed is how many chunks are named that may have been billed.
const maxNamed = 10

// MaybeBilledLine names the chunks without an answer that the server may have billed.
func (s *Summary) MaybeBilledLine() string {
	line := words.Count(s.MaybeBilled, "request") + " maybe billed without an answer: " + strings.Join(s.maybeBilled, ", ")
	if more := s.MaybeBilled - len(s.maybeBilled); more > 0 {
		line += fmt.Sprintf(", and %d more", more)
	}
	return line
}

// links counts the links that were not followed, by reason; "" without any.
func (s *Summary) links() string {
	total := 0
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(s.SkippedBy)) {
		if walk.IsLink(reason) {
			total += s.SkippedBy[reason]
			parts = append(parts, fmt.Sprintf("%d: %s", s.SkippedBy[reason], reason))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%s skipped (%s); -v names each, and what they lead to can be given as a path", words.Count(total, "link"), strings.Join(parts, ", "))
}

// amount is what was answered. Documents other than PDFs have no pages to count.
func (s *Summary) amount() string {
	elements := words.Count(s.Elements, "element")
	if s.Empty > 0 {
		elements += ", " + words.Count(s.Empty, "empty document")
	}
	if s.Pages == 0 && s.MissingPages == 0 {
		return elements
	}
	return words.Count(s.Pages, "page") + ", " + elements
}

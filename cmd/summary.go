package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quire-dev/quire/partition"
)

// A summary is the figures of a run, as --summary writes them.
type summary struct {
	Engine           string                 `json:"engine"`    // what produced the elements: a URL, or the embedded engine
	Documents        int                    `json:"documents"` // taken up, failed and unchanged ones included
	Failed           int                    `json:"failed"`    // of them, those without an output, or with an incomplete one
	Unchanged        int                    `json:"unchanged"` // of them, those that an earlier run had done
	Skipped          int                    `json:"skipped"`   // files left out
	NotDone          int                    `json:"not_done"`  // documents that the run ended before
	Gone             int                    `json:"gone"`      // documents of earlier runs that are no longer there; their outputs stay
	Pages            int                    `json:"pages"`     // answered, of documents that have pages
	MissingPages     int                    `json:"missing_pages"`
	Elements         int                    `json:"elements"`
	Chunks           int                    `json:"chunks"` // parts that documents were sent in, a whole document counts as one
	Requests         int                    `json:"requests"`
	Retries          int                    `json:"retries"`
	MaybeBilledTwice int                    `json:"maybe_billed_twice"`
	CacheHits        int                    `json:"cache_hits"`
	BytesSent        int64                  `json:"bytes_sent"`
	ElapsedMS        int64                  `json:"elapsed_ms"`
	Missing          []missing              `json:"missing,omitempty"`
	FailedByKind     map[partition.Kind]int `json:"failed_by_kind,omitempty"`
	SkippedBy        map[string]int         `json:"skipped_by,omitempty"` // reason

	written     int                      // documents with an output, complete or not
	unavailable int                      // documents that failed because of the server
	first       map[partition.Kind]*work // the first failure of each kind, in the order of the walk
}

// missing are the pages of one document that have no answer.
type missing struct {
	Document string   `json:"document"`
	Pages    []string `json:"pages"`

	number int // of the document in the walk
}

// add counts a document.
func (s *summary) add(w *work) {
	switch w.state {
	case stateSkipped:
		s.Skipped++
		countOne(&s.SkippedBy, w.entry.skip)
		return
	case stateNotDone: // counted at the end, with those that the run did not come to
	default:
		s.Documents++
	}
	s.Requests += w.report.Requests()
	s.Retries += w.report.Retries()
	s.MaybeBilledTwice += w.report.MaybeBilledTwice()
	for _, p := range w.report.Chunks {
		for _, attempt := range p.Trace.Attempts {
			s.BytesSent += attempt.BytesSent
		}
		if len(p.Trace.Attempts) > 0 || p.Cached {
			s.Chunks++
		}
	}
	s.CacheHits += w.report.CacheHits()
	if w.output {
		s.written++
		s.Elements += w.report.Elements
		s.Pages += w.report.AnsweredPages()
	}
	switch w.state {
	case stateUnchanged:
		s.Unchanged++
	case stateFailed, statePartial:
		s.addFailure(w)
	}
}

func (s *summary) addFailure(w *work) {
	s.Failed++
	if unavailable(w.err) {
		s.unavailable++
	}
	kind := w.kind()
	countOne(&s.FailedByKind, kind)
	if s.first == nil {
		s.first = map[partition.Kind]*work{}
	}
	if first := s.first[kind]; first == nil || w.number < first.number {
		s.first[kind] = w
	}
	for _, missing := range w.report.Missing {
		s.MissingPages += missing.Len()
	}
	if pages := missingPages(w.report); len(pages) > 0 {
		s.Missing = append(s.Missing, missing{Document: w.entry.path, Pages: pages, number: w.number})
	}
}

// countOne adds one to what is counted under a key.
func countOne[K comparable](counts *map[K]int, key K) {
	if *counts == nil {
		*counts = map[K]int{}
	}
	(*counts)[key]++
}

// write writes the figures as --summary has them.
func (s *summary) write(w io.Writer) error {
	slices.SortFunc(s.Missing, func(a, b missing) int { return a.number - b.number })
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// lines are the run for people.
func (s *summary) lines() []string {
	counts := []string{fmt.Sprintf("%d done", s.Documents-s.Failed-s.Unchanged), fmt.Sprintf("%d failed", s.Failed)}
	for _, more := range []struct {
		n    int
		what string
	}{{s.Unchanged, "unchanged"}, {s.Skipped, "skipped"}, {s.NotDone, "not done"}} {
		if more.n > 0 || more.what == "skipped" {
			counts = append(counts, fmt.Sprintf("%d %s", more.n, more.what))
		}
	}
	requests := plural(s.Requests, "request")
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
		strings.Join(counts, ", ") + fmt.Sprintf("; %s, %s", plural(s.Pages, "page"), plural(s.Elements, "element")),
		fmt.Sprintf("%s; %s, by %s", requests, elapsed, s.Engine),
	}
	for _, kind := range s.kinds() {
		if s.Failed == 1 {
			break // it was said a line above
		}
		lines = append(lines, fmt.Sprintf("failed by %s: %d, the first: %s", kind, s.FailedByKind[kind], s.first[kind].message()))
	}
	return lines
}

// kinds are the kinds of failures, the most frequent first.
func (s *summary) kinds() []partition.Kind {
	return slices.SortedFunc(maps.Keys(s.FailedByKind), func(a, b partition.Kind) int {
		return cmp.Or(s.FailedByKind[b]-s.FailedByKind[a], cmp.Compare(a, b))
	})
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

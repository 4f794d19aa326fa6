package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/quire-dev/quire/partition"
)

// A summary is the figures of a run, as --summary writes them.
type summary struct {
	Engine           string                 `json:"engine"`    // what produced the elements: a URL, or the embedded engine
	Documents        int                    `json:"documents"` // taken up, failed ones included
	Failed           int                    `json:"failed"`    // of them, those without an output, or with an incomplete one
	Skipped          int                    `json:"skipped"`   // files left out
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

	written     int   // documents with an output, complete or not
	unavailable int   // documents that failed because of the server
	first       error // the first failure
}

// missing are the pages of one document that have no answer.
type missing struct {
	Document string   `json:"document"`
	Pages    []string `json:"pages"`
}

// add counts a document.
func (s *summary) add(w *work) {
	s.Documents++
	s.Requests += w.report.Requests()
	s.Retries += w.report.Retries()
	s.MaybeBilledTwice += w.report.MaybeBilledTwice()
	s.BytesSent += w.report.BytesSent()
	s.Chunks += len(w.report.Parts)
	s.CacheHits += w.report.CacheHits()
	partial := (*partition.PartialError)(nil)
	if w.err == nil || errors.As(w.err, &partial) {
		s.written++
		s.Elements += w.report.Elements
		s.Pages += w.report.AnsweredPages()
	}
	if w.err == nil {
		return
	}
	s.Failed++
	if s.first == nil {
		s.first = w.err
	}
	if unavailable(w.err) {
		s.unavailable++
	}
	kind := partition.KindOf(w.err)
	if kind == "" {
		kind = partition.KindLocalIO
	}
	if s.FailedByKind == nil {
		s.FailedByKind = map[partition.Kind]int{}
	}
	s.FailedByKind[kind]++
	if partial != nil {
		m := missing{Document: w.entry.path}
		for _, pages := range partial.Missing {
			s.MissingPages += pages.Len()
			m.Pages = append(m.Pages, pages.String())
		}
		s.Missing = append(s.Missing, m)
	}
}

// write puts the figures in a file.
func (s *summary) write(path string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".quire-*")
	if err != nil {
		return fmt.Errorf("summary %s: %w", path, withoutPath(err))
	}
	_, err = temporary.Write(append(data, '\n'))
	if err = errors.Join(err, temporary.Chmod(0o644), temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // the first error says it all
		return fmt.Errorf("summary %s: %w", path, withoutPath(err))
	}
	return nil
}

// line is the run in one line for people.
func (s *summary) line() string {
	done := s.Documents - s.Failed
	line := fmt.Sprintf("%d done, %d failed, %d skipped; %d pages, %d elements; %d requests",
		done, s.Failed, s.Skipped, s.Pages, s.Elements, s.Requests)
	if s.Retries > 0 {
		line += fmt.Sprintf(", %d of them retries", s.Retries)
	}
	if s.CacheHits > 0 {
		line += fmt.Sprintf(", %d answered by the cache", s.CacheHits)
	}
	if s.MaybeBilledTwice > 0 {
		line += fmt.Sprintf(", %d maybe billed twice", s.MaybeBilledTwice)
	}
	elapsed := time.Duration(s.ElapsedMS) * time.Millisecond
	return line + fmt.Sprintf("; %s, by %s", elapsed.Round(100*time.Millisecond), s.Engine)
}

// verdict says how the run went, and turns it into the command's error.
func (r *run) verdict(ctx context.Context, s *summary, lost error, outputDir string) error {
	if !r.walk.single() || r.output != nil {
		r.console.remark("%s", s.line())
		if r.output != nil && s.written > 0 {
			r.console.remark("outputs are in %s", partition.Printable(outputDir))
		}
	}
	cause := context.Cause(ctx)
	switch {
	case lost != nil:
		code := exitFailed
		if s.written > 0 {
			code = exitPartial
		}
		return &exitError{code, lost}
	case cause != nil && interruption(ctx) != nil:
		return interruption(ctx)
	case cause != nil:
		return r.stopped(cause, s)
	case s.Documents == 0:
		return &exitError{exitFailed, errors.New("no documents found")}
	case s.Failed == 0:
		return nil
	case s.written > 0:
		return &exitError{exitPartial, nil}
	case s.unavailable == s.Failed:
		return &exitError{exitUnavailable, nil}
	default:
		return &exitError{exitFailed, nil}
	}
}

// stopped is the error of a run that ended before its time.
func (r *run) stopped(cause error, s *summary) error {
	var nobody *unreachable
	code := exitCode(cause) // a refused key or quota
	limit, unwritable := (*timeLimit)(nil), (*outputError)(nil)
	switch {
	case errors.As(cause, &nobody):
		code = exitUnavailable
	case errors.As(cause, &limit), errors.As(cause, &unwritable):
		if code = exitFailed; s.written > 0 {
			code = exitPartial
		}
	}
	return &exitError{code, cause}
}

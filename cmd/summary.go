package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
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

// add counts a document; output says that it has one, complete or not.
func (s *summary) add(w *work, output bool) {
	s.Documents++
	s.Requests += w.report.Requests()
	s.Retries += w.report.Retries()
	s.MaybeBilledTwice += w.report.MaybeBilledTwice()
	s.BytesSent += w.report.BytesSent()
	for _, p := range w.report.Parts {
		if p.Sent || p.Cached {
			s.Chunks++
		}
	}
	s.CacheHits += w.report.CacheHits()
	if output {
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
	if len(w.report.Missing) > 0 {
		m := missing{Document: w.entry.path}
		for _, pages := range w.report.Missing {
			s.MissingPages += pages.Len()
			m.Pages = append(m.Pages, pages.String())
		}
		s.Missing = append(s.Missing, m)
	}
}

// openSummary makes sure, before anything is paid for, that the figures can be written to path.
func openSummary(path string) (*outputFile, func(), error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, nil, fmt.Errorf("summary %s: %w", path, rootPathError(err))
	}
	file, err := (&outputFolder{root}).create(filepath.Base(path))
	if err != nil {
		_ = root.Close() // nothing was written
		return nil, nil, fmt.Errorf("summary %s: %w", path, rootPathError(err))
	}
	return file, func() { _ = root.Close() }, nil
}

// write puts the figures in a file.
func (s *summary) write(file *outputFile) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if _, err = file.Write(append(data, '\n')); err == nil {
		err = file.commit()
	}
	if err != nil {
		return fmt.Errorf("summary %s: %w", file.name, rootPathError(err))
	}
	return nil
}

// line is the run in one line for people.
func (s *summary) line() string {
	done := s.Documents - s.Failed
	line := fmt.Sprintf("%d done, %d failed, %d skipped; %s, %s; %s",
		done, s.Failed, s.Skipped, plural(s.Pages, "page"), plural(s.Elements, "element"), plural(s.Requests, "request"))
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
	if elapsed > time.Second {
		elapsed = elapsed.Round(100 * time.Millisecond)
	}
	return line + fmt.Sprintf("; %s, by %s", elapsed, s.Engine)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
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
	case errors.Is(lost, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
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
	if errors.Is(cause, syscall.EPIPE) {
		return &exitError{exitBrokenPipe, nil}
	}
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

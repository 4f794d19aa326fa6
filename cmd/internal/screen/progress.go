package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// A progress is how far a run has come.
type progress struct {
	total, documents int   // to do, and concluded; without skipped ones
	bytes, bytesDone int64 // of the documents' files
	unchanged        int
	partial, failed  int
	empty            int // of all of them
	pages, retries   int
	inFlight         int
	started          time.Time // the first request
	closed           time.Time // since when the client's gate is closed; zero where it is open
	closedFor        string    // why
	wholePages       map[string]int
	unchangedBytes   int64
}

func newProgress() progress { return progress{wholePages: map[string]int{}} }

// observe counts what happens to requests.
func (p *progress) observe(e partition.Event, now time.Time) {
	switch e.Kind {
	case partition.DocumentPlanned:
		if e.Plan.Chunks[0].Len() == 0 { // the whole document
			p.wholePages[e.ID] = e.Plan.Pages
		}
	case partition.DocumentEnd:
		delete(p.wholePages, e.ID)
	case partition.ChunkEnd:
		if e.Err == nil {
			p.pages += e.Pages.Len() + p.wholePages[e.ID]
		}
	case partition.AttemptEvent:
		p.attempt(e.Attempt, now)
	}
}

func (p *progress) attempt(e retry.Event, now time.Time) {
	switch e.Kind {
	case retry.EventAttempt:
		p.inFlight++
		if p.started.IsZero() {
			p.started = now
		}
	case retry.EventAnswer:
		p.inFlight--
	case retry.EventSleep:
		p.retries++
	case retry.EventClosed:
		if p.closed.IsZero() {
			p.closed = now
		}
		p.closedFor = string(e.Error)
		if e.Status != 0 {
			p.closedFor = fmt.Sprint(e.Status)
		}
	case retry.EventOpened:
		p.closed = time.Time{}
	}
}

// concluded counts a document.
func (p *progress) concluded(o *outcome.Outcome) {
	switch o.State {
	case outcome.Skipped, outcome.NotDone:
		return
	case outcome.Unchanged:
		p.unchanged++
		p.unchangedBytes += o.Size
	case outcome.Partial:
		p.partial++
	case outcome.Failed:
		p.failed++
	}
	if o.Report.Empty {
		p.empty++
	}
	p.documents++
	p.bytesDone += o.Size
}

// pagesPerSecond is the mean since the first request.
func (p *progress) pagesPerSecond(now time.Time) float64 {
	elapsed := now.Sub(p.started).Seconds()
	if p.started.IsZero() || elapsed <= 0 {
		return 0
	}
	return float64(p.pages) / elapsed
}

// rate is pages per second, or documents per second if they have no pages.
func (p *progress) rate(now time.Time) string {
	if p.pages > 0 {
		return fmt.Sprintf("%.1f pages/s", p.pagesPerSecond(now))
	}
	if elapsed := now.Sub(p.started).Seconds(); !p.started.IsZero() && elapsed > 0 && p.documents > p.unchanged {
		return fmt.Sprintf("%.1f documents/s", float64(p.documents-p.unchanged)/elapsed)
	}
	return ""
}

// etaAfter is how long a run must have taken before the remaining time is estimated.
const etaAfter = 5 * time.Second

// eta estimates the remaining time by the bytes of the documents; 0 if it cannot be estimated yet.
func (p *progress) eta(now time.Time) time.Duration {
	elapsed := now.Sub(p.started)
	sent := p.bytesDone - p.unchangedBytes
	if p.started.IsZero() || elapsed < etaAfter || sent <= 0 || p.bytes <= p.bytesDone {
		return 0
	}
	return time.Duration(float64(elapsed) * float64(p.bytes-p.bytesDone) / float64(sent)).Round(time.Second)
}

// line is the progress for people. What does not fit into the columns is left out, the least
// important first; 0 is no limit.
func (p *progress) line(now time.Time, columns int) string {
	documents := fmt.Sprintf("%d documents", p.documents)
	if p.total > 0 {
		documents = fmt.Sprintf("%d/%d documents", p.documents, p.total)
	}
	items := []struct {
		text string
		rank int // the highest goes first
	}{
		{documents, 0},
		{p.gate(now), 1},
		{some(p.partial, "partial"), 3},
		{some(p.failed, "failed"), 2},
		{some(p.empty, "empty"), 5},
		{some(p.pages, "pages"), 6},
		{p.rate(now), 8},
		{fmt.Sprintf("%d in flight", p.inFlight), 7},
		{some(p.retries, "retried"), 9},
		{left(p.eta(now)), 4},
	}
	for limit := len(items) - 1; ; limit-- {
		var shown []string
		for _, item := range items {
			if item.text != "" && item.rank <= limit {
				shown = append(shown, item.text)
			}
		}
		line := strings.Join(shown, ", ")
		if columns <= 0 || len(line) <= columns {
			return line
		}
		if limit == 0 {
			return line[:columns]
		}
	}
}

func some(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, what)
}

func left(eta time.Duration) string {
	if eta == 0 {
		return ""
	}
	return fmt.Sprintf("%s left", eta)
}

func (p *progress) gate(now time.Time) string {
	if p.closed.IsZero() {
		return ""
	}
	return fmt.Sprintf("waiting for the server for %s (%s)", now.Sub(p.closed).Round(time.Second), p.closedFor)
}

// progressEvent is the progress for programs.
type progressEvent struct {
	Event          string  `json:"event"`
	Documents      int     `json:"documents"`
	Total          int     `json:"total"`
	Unchanged      int     `json:"unchanged"`
	Partial        int     `json:"partial"`
	Failed         int     `json:"failed"`
	Empty          int     `json:"empty"`
	Pages          int     `json:"pages"`
	PagesPerSecond float64 `json:"pages_per_second"`
	InFlight       int     `json:"in_flight"`
	Retries        int     `json:"retries"`
	GateClosedMS   int64   `json:"gate_closed_ms"` // since when no request goes out but probes; 0 while they do
	ETAMS          int64   `json:"eta_ms"`         // 0 while that cannot be told
}

func (p *progress) event(now time.Time) progressEvent {
	e := progressEvent{
		Event: "progress", Documents: p.documents, Total: p.total, Unchanged: p.unchanged, Partial: p.partial, Failed: p.failed, Empty: p.empty,
		Pages:          p.pages,
		PagesPerSecond: p.pagesPerSecond(now), InFlight: p.inFlight, Retries: p.retries, ETAMS: p.eta(now).Milliseconds(),
	}
	if !p.closed.IsZero() {
		e.GateClosedMS = now.Sub(p.closed).Milliseconds()
	}
	return e
}

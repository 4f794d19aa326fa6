package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A standing is where a run stands.
type standing struct {
	total, documents  int   // to do, and concluded; without skipped ones
	bytes, bytesDone  int64 // of the documents' files
	unchanged, failed int
	pages, retries    int
	inFlight          int
	started           time.Time // the first request
	closed            time.Time // since when the client's gate is closed; zero where it is open
	closedFor         string    // why
	wholePages        map[string]int
	unchangedBytes    int64
}

func newStanding() standing { return standing{wholePages: map[string]int{}} }

// observe counts what happens to requests.
func (t *standing) observe(e partition.Event, now time.Time) {
	switch e.Kind {
	case partition.DocumentPlanned:
		if e.Plan.Chunks[0] == (split.PageRange{}) {
			t.wholePages[e.ID] = e.Plan.Pages
		}
	case partition.DocumentEnd:
		delete(t.wholePages, e.ID)
	case partition.ChunkEnd:
		if e.Err == nil {
			t.pages += e.Pages.Len() + t.wholePages[e.ID]
		}
	case partition.AttemptEvent:
		t.attempt(e.Attempt, now)
	}
}

func (t *standing) attempt(e retry.Event, now time.Time) {
	switch e.Kind {
	case retry.EventAttempt:
		t.inFlight++
		if t.started.IsZero() {
			t.started = now
		}
	case retry.EventAnswer:
		t.inFlight--
	case retry.EventSleep:
		t.retries++
	case retry.EventClosed:
		if t.closed.IsZero() {
			t.closed = now
		}
		t.closedFor = string(e.Error)
		if e.Status != 0 {
			t.closedFor = fmt.Sprint(e.Status)
		}
	case retry.EventOpened:
		t.closed = time.Time{}
	}
}

// concluded counts a document.
func (t *standing) concluded(w *work) {
	switch w.state {
	case stateSkipped, stateNotDone:
		return
	case stateUnchanged:
		t.unchanged++
		t.unchangedBytes += w.size
	case stateFailed, statePartial:
		t.failed++
	}
	t.documents++
	t.bytesDone += w.size
}

// pagesPerSecond is the mean since the first request.
func (t *standing) pagesPerSecond(now time.Time) float64 {
	elapsed := now.Sub(t.started).Seconds()
	if t.started.IsZero() || elapsed <= 0 {
		return 0
	}
	return float64(t.pages) / elapsed
}

// rate is pages per second, or documents where these have none.
func (t *standing) rate(now time.Time) string {
	if t.pages > 0 {
		return fmt.Sprintf("%.1f pages/s", t.pagesPerSecond(now))
	}
	if elapsed := now.Sub(t.started).Seconds(); !t.started.IsZero() && elapsed > 0 && t.documents > t.unchanged {
		return fmt.Sprintf("%.1f documents/s", float64(t.documents-t.unchanged)/elapsed)
	}
	return ""
}

// etaAfter is how long a run is watched before it is foretold how long it will take.
const etaAfter = 5 * time.Second

// eta is how long the rest will take, judged by the bytes of the documents; 0 where nobody can tell yet.
func (t *standing) eta(now time.Time) time.Duration {
	elapsed := now.Sub(t.started)
	sent := t.bytesDone - t.unchangedBytes
	if t.started.IsZero() || elapsed < etaAfter || sent <= 0 || t.bytes <= t.bytesDone {
		return 0
	}
	return time.Duration(float64(elapsed) * float64(t.bytes-t.bytesDone) / float64(sent)).Round(time.Second)
}

// line is the standing for people. What does not fit into the columns is left out, the least important first; 0 is no limit.
func (t *standing) line(now time.Time, columns int) string {
	documents := fmt.Sprintf("%d documents", t.documents)
	if t.total > 0 {
		documents = fmt.Sprintf("%d/%d documents", t.documents, t.total)
	}
	parts := []struct {
		text string
		rank int // the highest goes first
	}{
		{documents, 0},
		{t.gate(now), 1},
		{some(t.failed, "failed"), 2},
		{some(t.pages, "pages"), 4},
		{t.rate(now), 6},
		{fmt.Sprintf("%d in flight", t.inFlight), 5},
		{some(t.retries, "retried"), 7},
		{left(t.eta(now)), 3},
	}
	for limit := len(parts) - 1; ; limit-- {
		var shown []string
		for _, part := range parts {
			if part.text != "" && part.rank <= limit {
				shown = append(shown, part.text)
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

func (t *standing) gate(now time.Time) string {
	if t.closed.IsZero() {
		return ""
	}
	return fmt.Sprintf("waiting for the server for %s (%s)", now.Sub(t.closed).Round(time.Second), t.closedFor)
}

// progressEvent is the standing for programs.
type progressEvent struct {
	Event          string  `json:"event"`
	Documents      int     `json:"documents"`
	Total          int     `json:"total"`
	Unchanged      int     `json:"unchanged"`
	Failed         int     `json:"failed"`
	Pages          int     `json:"pages"`
	PagesPerSecond float64 `json:"pages_per_second"`
	InFlight       int     `json:"in_flight"`
	Retries        int     `json:"retries"`
	GateClosedMS   int64   `json:"gate_closed_ms"` // since when no request goes out but probes; 0 while they do
	ETAMS          int64   `json:"eta_ms"`         // 0 while that cannot be told
}

func (t *standing) progress(now time.Time) progressEvent {
	e := progressEvent{
		Event: "progress", Documents: t.documents, Total: t.total, Unchanged: t.unchanged, Failed: t.failed, Pages: t.pages,
		PagesPerSecond: t.pagesPerSecond(now), InFlight: t.inFlight, Retries: t.retries, ETAMS: t.eta(now).Milliseconds(),
	}
	if !t.closed.IsZero() {
		e.GateClosedMS = now.Sub(t.closed).Milliseconds()
	}
	return e
}

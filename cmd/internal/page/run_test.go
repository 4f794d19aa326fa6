package page_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a page with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	checkPage(t, got)
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// A script is a document's events, told one after the other.
type script struct {
	run      *page.Run
	document string
	pages    split.PageRange
}

func (s script) part(first, last int) script {
	s.pages = split.PageRange{First: first, Last: last}
	return s
}

func (s script) event(kind partition.EventKind, err error) {
	s.run.Observe(partition.Event{Kind: kind, Document: s.document, Pages: s.pages, Err: err})
}

func (s script) attempt(e retry.Event) {
	s.run.Observe(partition.Event{Kind: partition.AttemptEvent, Document: s.document, Pages: s.pages, Attempt: e})
}

func (s script) end(elapsed time.Duration, err error) {
	s.run.Observe(partition.Event{Kind: partition.DocumentEnd, Document: s.document, Elapsed: elapsed, Err: err})
}

// answer is an attempt that took so long.
func (s script) answer(took time.Duration, e retry.Event) {
	s.attempt(retry.Event{Kind: retry.EventAttempt})
	time.Sleep(took)
	e.Kind = retry.EventAnswer
	s.attempt(e)
}

// page is what a run looks like in the end.
func reportOf(t *testing.T, r *page.Run, more ...page.Total) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, r.Write(&out, more))
	return out.Bytes()
}

// inBubble runs a test at midnight of 2000-01-01.
func inBubble(t *testing.T, test func(t *testing.T, r *page.Run)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, page.NewRun("quire partition docs", "http://localhost:8000", time.Now().UTC()))
	})
}

func TestRunGolden(t *testing.T) {
	busy := retry.Event{Status: 503, Rule: "server-error"}
	var got []byte
	inBubble(t, func(t *testing.T, r *page.Run) {
		a := script{run: r, document: "docs/a.pdf"}
		a.event(partition.DocumentStart, nil)
		a.run.Observe(partition.Event{Kind: partition.ChunkStart, Document: a.document, Pages: split.PageRange{First: 3, Last: 4}, Cached: true})
		first := a.part(1, 2)
		first.event(partition.ChunkStart, nil)
		first.answer(time.Second, busy)
		first.attempt(retry.Event{Kind: retry.EventClosed, Rule: "server-error"})
		first.attempt(retry.Event{Kind: retry.EventSleep, Rule: "server-error", Wait: 2 * time.Second})
		time.Sleep(2 * time.Second)
		first.attempt(retry.Event{Kind: retry.EventOpened})
		first.answer(time.Second, retry.Event{Status: 200, Rule: "success"})
		first.event(partition.ChunkEnd, nil)
		a.end(4*time.Second, nil)

		b := script{run: r, document: "docs/<b>.pdf"}
		b.event(partition.DocumentStart, nil)
		failure := errors.New("OCR timed out")
		part := b.part(5, 5)
		part.answer(3*time.Second, retry.Event{Error: retry.KindLost, Rule: "transport"})
		part.attempt(retry.Event{Kind: retry.EventSleep, Rule: "transport", Wait: time.Second})
		time.Sleep(time.Second)
		part.answer(2*time.Second, busy)
		part.attempt(retry.Event{Kind: retry.EventStop, Rule: "server-error", Stop: "attempts"})
		part.event(partition.ChunkEnd, failure)
		b.end(6*time.Second, failure)

		c := script{run: r, document: "docs/c.txt"}
		c.event(partition.DocumentStart, nil)
		c.answer(100*time.Millisecond, retry.Event{Status: 200})
		c.event(partition.ChunkEnd, nil)
		c.end(100*time.Millisecond, nil)

		r.Document(page.Outcome{
			Name: "docs/<b>.pdf", State: outcome.Partial, Pages: 4, Missing: 1, MissingPages: []string{"5"}, Elements: 9,
			Requests: 2, Retries: 1, MaybeBilledTwice: 1, Kind: partition.KindServer, Err: "docs/<b>.pdf page 5: 503: OCR timed out", Elapsed: 6 * time.Second,
		})
		r.Document(page.Outcome{Name: "docs/a.pdf", State: outcome.Done, Pages: 4, Elements: 8, Requests: 2, Retries: 1, CacheHits: 1, Elapsed: 4 * time.Second})
		r.Document(page.Outcome{Name: "docs/c.txt", State: outcome.Done, Elements: 1, Requests: 1})
		r.Document(page.Outcome{Name: "docs/gone.pdf", State: outcome.Failed, Kind: partition.KindLocalIO, Err: "docs/gone.pdf: permission denied"})
		r.Document(page.Outcome{Name: "docs/old.pdf", State: outcome.Unchanged})
		got = reportOf(t, r, page.Total{Name: "skipped", Value: "2"})
	})
	golden(t, "run.html", got)
}

func TestEmptyRun(t *testing.T) {
	inBubble(t, func(t *testing.T, r *page.Run) {
		got := reportOf(t, r)
		checkPage(t, got)
		require.Contains(t, string(got), "<div><dt>documents</dt><dd><bdi>0</bdi></dd></div>")
		for _, heading := range []string{"Failures", "Slowest", "Timelines", "Answers over time", "Retries"} {
			require.NotContains(t, string(got), "<h2>"+heading)
		}
	})
}

// A run of 100,000 documents of which every other one fails stays small, and its page says what is
// left out.
func TestRunIsBounded(t *testing.T) {
	const documents = 100_000
	inBubble(t, func(t *testing.T, r *page.Run) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		failure := errors.New(strings.Repeat("why ", 5000))
		for i := range documents {
			s := script{run: r, document: fmt.Sprintf("docs/%06d%s.pdf", i, strings.Repeat("x", 2000))}
			s.event(partition.DocumentStart, nil)
			for part := range 4 {
				p := s.part(part+1, part+1)
				p.answer(time.Millisecond, retry.Event{Status: 503, Rule: "server-error"})
				p.attempt(retry.Event{Kind: retry.EventSleep, Rule: "server-error"})
				p.answer(0, retry.Event{Status: 200})
			}
			var err error
			o := page.Outcome{Name: s.document, State: outcome.Done, Elements: 4, Pages: 4}
			if i%2 == 0 {
				err, o.State, o.Err = failure, outcome.Failed, failure.Error()
			}
			s.end(time.Duration(i)*time.Millisecond, err)
			r.Document(o)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(2<<20))
		got := string(reportOf(t, r))
		require.Less(t, len(got), 2<<20)
		for _, said := range []string{
			"<dt>documents</dt><dd><bdi>100000</bdi>", "<dt>failed</dt><dd><bdi>50000</bdi>", "<dt>elements</dt><dd><bdi>400000</bdi>",
			"49800 more failed and are not listed.", "99950 more were faster and are not listed.", "49950 more failed documents have none.",
			`<bdi>server-error</bdi></td><td class="number">400000</td>`,
		} {
			require.Contains(t, got, said)
		}
		require.Equal(t, 100, strings.Count(got, "<details"))
		require.Less(t, strings.Index(got, "docs/099999x"), strings.Index(got, "docs/099998x"), "the slowest first")
	})
}

// A document with more attempts than are drawn says so, and its figures are still whole.
func TestTimelineIsBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, r *page.Run) {
		s := script{run: r, document: "a.pdf"}
		s.event(partition.DocumentStart, nil)
		for i := range 500 {
			s.part(i+1, i+1).answer(time.Second, retry.Event{Status: 200})
		}
		s.end(500*time.Second, nil)
		got := string(reportOf(t, r))
		require.Contains(t, got, "200 more attempts and waits are not drawn.")
		require.Contains(t, got, `200 OK</bdi></td><td class="number">500</td>`)
		require.Equal(t, 300, strings.Count(got, `<svg class="bar"`))
	})
}

// Events of a document that is not followed, and those that end nothing, do no harm.
func TestEventsOutOfPlace(t *testing.T) {
	inBubble(t, func(t *testing.T, r *page.Run) {
		s := script{run: r, document: "a.pdf"}
		for _, kind := range []retry.EventKind{
			retry.EventOpened, retry.EventStop, retry.EventSleep, retry.EventAnswer, retry.EventAttempt, retry.EventSilence, "new",
		} {
			s.attempt(retry.Event{Kind: kind, Rule: "x"})
		}
		for _, kind := range []partition.EventKind{
			partition.ChunkEnd, partition.ChunkStart, partition.DocumentPlanned, partition.DocumentEnd, partition.Refused, partition.CacheFailed, "new",
		} {
			s.event(kind, nil)
		}
		r.Document(page.Outcome{Name: "a.pdf", State: outcome.NotDone})
		s.event(partition.DocumentStart, nil)
		r.Document(page.Outcome{Name: "a.pdf", State: outcome.Done})
		checkPage(t, reportOf(t, r))
	})
}

// The gate's closings are bounded, one that has not ended reaches to the end, and closing twice is
// closing once.
func TestClosings(t *testing.T) {
	inBubble(t, func(t *testing.T, r *page.Run) {
		s := script{run: r, document: "a.pdf"}
		for range 150 {
			s.attempt(retry.Event{Kind: retry.EventClosed, Rule: "outage"})
			s.attempt(retry.Event{Kind: retry.EventClosed, Rule: "outage"})
			time.Sleep(time.Minute)
			s.attempt(retry.Event{Kind: retry.EventOpened})
		}
		got := string(reportOf(t, r))
		require.Equal(t, 100, strings.Count(got, "<td><bdi>outage</bdi></td>"))
		require.Contains(t, got, `<td class="number">1 h 39 min</td><td class="number">1 min 0 s</td>`)
		require.Contains(t, got, "50 more are not listed.")
	})
	inBubble(t, func(t *testing.T, r *page.Run) {
		s := script{run: r, document: "a.pdf"}
		s.attempt(retry.Event{Kind: retry.EventClosed, Rule: "outage"})
		time.Sleep(time.Second)
		s.event(partition.CacheFailed, nil)
		require.Contains(t, string(reportOf(t, r)), `<td class="number">0 ms</td><td class="number">1.0 s</td>`)
	})
}

// TestA7EmptyDocuments holds that the page counts all empty documents, and names 200 of them with the likely cause.
func TestA7EmptyDocuments(t *testing.T) {
	run := page.NewRun("docs", "http://x", time.Now())
	document := func(name string, state outcome.State, err error) {
		report := partition.Report{Empty: true, Warnings: []string{"another", "empty: <no> elements"}}
		run.Document(page.OutcomeOf(&outcome.Outcome{Path: name, State: state, Report: report, Err: err}))
	}
	document("failed.pdf", outcome.Failed, &partition.DocumentError{Document: "failed.pdf", Kind: partition.KindEmpty, Err: errors.New("it is empty")})
	for i := range 200 {
		document(fmt.Sprintf("%d.pdf", i), outcome.Done, nil)
	}
	run.Document(page.OutcomeOf(&outcome.Outcome{Path: "full.pdf", State: outcome.Done, Report: partition.Report{Elements: 1}}))
	var out bytes.Buffer
	require.NoError(t, run.Write(&out, nil))
	checkPage(t, out.Bytes())
	require.Contains(t, out.String(), "<dt>empty</dt><dd><bdi>201</bdi></dd>")
	require.Equal(t, 199, strings.Count(out.String(), "another; empty: &lt;no&gt; elements"))
	require.Equal(t, 2, strings.Count(out.String(), "failed.pdf: it is empty"), "among the failures as well")
	require.Contains(t, out.String(), "1 more are empty and are not listed.")
	require.NotContains(t, out.String(), "full.pdf")
}

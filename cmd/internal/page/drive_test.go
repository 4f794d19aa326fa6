package page_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// faults are a server's bad day: slow answers, lost ones, an outage, and a page that it never
// reads.
func faults() []partitiontest.Fault {
	return []partitiontest.Fault{
		{File: "report.pdf", Pages: split.PageRange{First: 7, Last: 7}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)},
		{File: "4.pdf", Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Detail(503, "heavy load")},
		{File: "5.pdf", Attempt: 1, Do: partitiontest.Chain(partitiontest.Header("Retry-After", "7"), partitiontest.Detail(429, "slow down"))},
		{File: "6.pdf", Attempt: 1, Do: partitiontest.Chain(partitiontest.Delay(5*time.Second), partitiontest.Reset())},
		{File: "7.pdf", Do: partitiontest.Delay(20 * time.Second)},
		{File: "8.pdf", Attempt: 1, Do: partitiontest.InvalidJSON()},
		{File: "9.pdf", Times: 12, Do: partitiontest.HTMLPage(502)},
		{Do: partitiontest.Delay(1500 * time.Millisecond)},
	}
}

// driven is the report of a run against a server with faults, and the sums of the client's own
// reports.
func driven(t *testing.T) (data []byte, requests, retries, failed int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := partitiontest.NewServer(partitiontest.Options{Listener: partitiontest.NewPipeListener("")})
		defer s.Close()
		s.Script(faults()...)
		r := page.NewRun("quire partition docs", "http://localhost:8000", time.Now().UTC())
		c, err := partition.New(partition.WithBaseURL(s.URL), partition.WithHTTPClient(s.Client()), partition.WithAPIKey(""),
			partition.WithMaxInFlight(8), partition.WithObserver(func(_ context.Context, e partition.Event) { r.Observe(e) }))
		require.NoError(t, err)
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 10 {
			name := fmt.Sprintf("%d.pdf", i)
			if i == 0 {
				name = "report.pdf"
			}
			all.Go(func() {
				pdf := partitiontest.NewPDF(40 - 3*i)
				d := partition.FromReaderAt(name, bytes.NewReader(pdf), int64(len(pdf)))
				result, err := c.Partition(t.Context(), d, partition.Params{Split: partition.Split{AllowFailed: true, Narrow: true}})
				o := page.Outcome{
					Name: name, State: outcome.Done, Pages: result.Report.AnsweredPages(), Elements: len(result.Elements),
					Requests: result.Report.Requests(), Retries: result.Report.Retries(), MaybeBilledTwice: result.Report.MaybeBilledTwice(),
				}
				if err != nil {
					o.State, o.Kind, o.Err = outcome.Failed, partition.KindOf(err), err.Error()
					if partial := (*partition.PartialError)(nil); errors.As(err, &partial) {
						o.State = outcome.Partial
					}
					for _, pages := range result.Report.Missing {
						o.Missing += pages.Len()
						o.MissingPages = append(o.MissingPages, pages.String())
					}
				}
				mu.Lock()
				defer mu.Unlock()
				requests, retries = requests+o.Requests, retries+o.Retries
				if err != nil {
					failed++
				}
				r.Document(o)
			})
		}
		all.Wait()
		data = reportOf(t, r)
	})
	return data, requests, retries, failed
}

// What the page says of a real run is what the client reports.
func TestRunFromAClient(t *testing.T) {
	data, requests, retries, failed := driven(t)
	checkPage(t, data)
	got := string(data)
	require.Equal(t, 2, failed)
	require.Greater(t, retries, 20)
	require.Contains(t, got, fmt.Sprintf("<dt>requests</dt><dd><bdi>%d</bdi>", requests))
	require.Contains(t, got, fmt.Sprintf("<dt>retries</dt><dd><bdi>%d</bdi>", retries))
	require.Contains(t, got, "<dt>missing pages</dt>")
	require.Equal(t, 10+1, strings.Count(got, "<details"), "a timeline of each, and the times in which all waited")
	counted := 0
	for _, row := range regexp.MustCompile(`<td class="number">(\d+)</td><td class="number">[\d.]+ (?:ms|s|min \d+ s|h \d+ min)</td><td class="number">\d+</td></tr>`).
		FindAllStringSubmatch(got, -1) {
		n, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		counted += n
	}
	require.Equal(t, retries, counted, "by rule")
	require.NotContains(t, got, "not answered</span>", "every attempt was answered")
}

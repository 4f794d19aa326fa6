package screen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

func TestTheLiveLine(t *testing.T) {
	start := time.Unix(1000, 0)
	s := newProgress()
	require.Equal(t, "0 documents, 0 in flight", s.line(start, 80))
	s.total, s.bytes = 200, 2000
	attempt := func(kind retry.EventKind, status int) {
		s.observe(partition.Event{Kind: partition.AttemptEvent, Attempt: retry.Event{Kind: kind, Status: status}}, start)
	}
	for range 3 {
		attempt(retry.EventAttempt, 0)
	}
	attempt(retry.EventAnswer, 200)
	attempt(retry.EventAnswer, 503)
	attempt(retry.EventSleep, 503)
	attempt(retry.EventClosed, 503)
	s.observe(partition.Event{Kind: partition.ChunkEnd, Document: "a", Pages: split.PageRange{First: 1, Last: 25}}, start)
	s.observe(partition.Event{Kind: partition.DocumentPlanned, Document: "b", Plan: &partition.Plan{Pages: 5, Chunks: []split.PageRange{{}}}}, start)
	s.observe(partition.Event{Kind: partition.ChunkEnd, Document: "b"}, start)
	for _, w := range []*outcome.Outcome{
		{State: outcome.Done, Size: 300}, {State: outcome.Failed, Size: 100}, {State: outcome.Unchanged, Size: 600}, {State: outcome.Skipped, Size: 9}, {State: outcome.NotDone, Size: 9},
	} {
		s.concluded(w)
	}
	// 400 bytes were sent in 10 s, 1000 are left: 25 s.
	now := start.Add(10 * time.Second)
	require.Equal(t, "3/200 documents, waiting for the server for 10s (503), 1 failed, 30 pages, 3.0 pages/s, 1 in flight, 1 retried, 25s left", s.line(now, 0))
	for columns, want := range map[int]string{
		120: "3/200 documents, waiting for the server for 10s (503), 1 failed, 30 pages, 3.0 pages/s, 1 in flight, 1 retried, 25s left",
		119: "3/200 documents, waiting for the server for 10s (503), 1 failed, 30 pages, 3.0 pages/s, 1 in flight, 25s left",
		80:  "3/200 documents, waiting for the server for 10s (503), 1 failed, 25s left",
		20:  "3/200 documents",
		9:   "3/200 doc",
	} {
		require.Equal(t, want, s.line(now, columns))
	}
	attempt(retry.EventOpened, 0)
	require.Equal(t, "3/200 documents, 1 failed, 30 pages, 3.0 pages/s, 1 in flight, 25s left", s.line(now, 79))
	require.Equal(t, progressEvent{
		Event: "progress", Documents: 3, Total: 200, Unchanged: 1, Failed: 1, Pages: 30, PagesPerSecond: 3, InFlight: 1, Retries: 1, ETAMS: 25000,
	}, s.event(now))
}

func TestNothingIsForetoldTooEarly(t *testing.T) {
	start := time.Unix(1000, 0)
	s := newProgress()
	s.total, s.bytes = 2, 100
	require.Zero(t, s.eta(start))
	s.started = start
	require.Zero(t, s.eta(start.Add(time.Hour)), "nothing is done yet")
	s.concluded(&outcome.Outcome{State: outcome.Done, Size: 50})
	require.Zero(t, s.eta(start.Add(time.Second)))
	require.Equal(t, time.Minute, s.eta(start.Add(time.Minute)))
	s.concluded(&outcome.Outcome{State: outcome.Done, Size: 50})
	require.Zero(t, s.eta(start.Add(time.Minute)))
}

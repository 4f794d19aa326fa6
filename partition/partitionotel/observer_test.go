package partitionotel_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitionotel"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

func pageRange(first, last int) split.PageRange { return split.PageRange{First: first, Last: last} }

// TestSpansAndMetrics sends two parts, one after the other: the first fails at 1 s, the second takes its place until 2 s, and the
// first is sent again at 5 s.
func TestSpansAndMetrics(t *testing.T) {
	one := []partition.Option{partition.WithMaxInFlight(1)}
	record(t, partitionotel.Options{DocumentNames: true}, one, func(t *testing.T, r *recorder) {
		r.server.Script(
			partitiontest.Fault{
				Attempt: 1, Pages: pageRange(1, 1),
				Do: partitiontest.Chain(partitiontest.Delay(time.Second), partitiontest.Detail(500, "x")),
			},
			partitiontest.Fault{Do: partitiontest.Delay(time.Second)},
		)
		require.NoError(t, r.partition(t.Context(), pdf("a.pdf", 4), partition.Params{}))
		require.Equal(t, []string{strings.TrimPrefix(`
caller
  quire.document quire.document.name=a.pdf quire.pages=4 quire.requests=2 quire.elements=4 quire.outcome=ok
    quire.part quire.pages.first=1 quire.pages.last=2 quire.elements=2
      * quire.sleep quire.rule=server error quire.wait=4
      quire.attempt quire.attempt=1 http.response.status_code=500 quire.rule=server error error.type=500
        ! 500 Internal Server Error
      quire.attempt quire.attempt=2 http.response.status_code=200 quire.rule=success
    quire.part quire.pages.first=3 quire.pages.last=4 quire.elements=2
      quire.attempt quire.attempt=1 http.response.status_code=200 quire.rule=success
`, "\n")}, r.trees(
			"quire.document.name", "quire.pages", "quire.requests", "quire.pages.first", "quire.pages.last", "quire.elements",
			"quire.outcome", "quire.attempt", "http.response.status_code", "quire.rule", "quire.wait", "error.type",
		))
		var sent int64
		for _, request := range r.server.Requests() {
			sent += request.ContentLength
		}
		require.Equal(t, []string{
			"quire.active_attempts 0",
			"quire.active_documents 0",
			"quire.attempt.duration quire.status_class=2xx 2 in 2s",
			"quire.attempt.duration quire.status_class=5xx 1 in 1s",
			"quire.attempts error.type=500 quire.status_class=5xx 1",
			"quire.attempts quire.status_class=2xx 2",
			"quire.document.duration quire.outcome=ok 1 in 6s",
			"quire.documents quire.outcome=ok 1",
			"quire.elements 4",
			"quire.pages quire.cached=false 4",
			"quire.retries quire.rule=server error 1",
			fmt.Sprint("quire.sent ", sent),
		}, r.numbers())
	})
}

func TestTextChunkingAfterwardsAddsNoPages(t *testing.T) {
	record(t, partitionotel.Options{}, nil, func(t *testing.T, r *recorder) {
		require.NoError(t, r.partition(t.Context(), pdf("a.pdf", 4), partition.Params{
			ChunkingStrategy: "by_title", Split: partition.Split{Scope: partition.ChunkingAfter},
		}))
		require.Equal(t, []string{"quire.attempts quire.status_class=2xx 3", "quire.pages quire.cached=false 4"},
			r.only("quire.attempts", "quire.pages"))
	})
}

// TestGate has two calls fail twice each: at 0 s, and at 4 s, when the gate closes. At 12 s, when they are due again, it opens.
func TestGate(t *testing.T) {
	record(t, partitionotel.Options{}, nil, func(t *testing.T, r *recorder) {
		r.server.Script(partitiontest.Fault{Times: 4, Do: partitiontest.Detail(503, "x")})
		var closed []string
		r.seen = func(e partition.Event) {
			if e.Attempt.Kind == retry.EventClosed {
				closed = append(closed, r.only("quire.closed_gates")...)
			}
		}
		require.NoError(t, r.partition(t.Context(), pdf("a.pdf", 4), partition.Params{}))
		require.Equal(t, []string{"quire.closed_gates 1"}, closed)
		require.Equal(t, []string{
			"quire.closed_gates 0", "quire.gate.closed_time 8", "quire.retries quire.rule=gateway 4",
		}, r.only("quire.closed_gates", "quire.gate.closed_time", "quire.retries"))
		tree := r.trees()[0]
		require.Equal(t, 1, strings.Count(tree, "* quire.gate.closed"))
		require.Equal(t, 1, strings.Count(tree, "* quire.gate.opened"))
	})
}

// TestDocumentsOfOneNameDoNotMix sends many at once. Each is a trace of its own with as many parts as its pages need.
func TestDocumentsOfOneNameDoNotMix(t *testing.T) {
	record(t, partitionotel.Options{}, []partition.Option{partition.WithMaxInFlight(16)}, func(t *testing.T, r *recorder) {
		r.server.Script(
			partitiontest.Fault{Attempt: 2, Do: partitiontest.Detail(500, "x")},
			partitiontest.Fault{Attempt: 3, Do: partitiontest.Reset()},
			partitiontest.Fault{Do: partitiontest.Delay(time.Second)},
		)
		var want []string
		var all sync.WaitGroup
		for i := range 60 {
			parts := i%10 + 1
			want = append(want, fmt.Sprint(1, " document, ", parts, " parts"))
			all.Go(func() {
				if err := r.partition(t.Context(), pdf("same.pdf", 2*parts), partition.Params{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var got []string
		attempts := 0
		for _, tree := range r.trees() {
			documents, parts := strings.Count(tree, "\n  quire.document\n"), strings.Count(tree, "\n    quire.part\n")
			got = append(got, fmt.Sprint(documents, " document, ", parts, " parts"))
			attempts += strings.Count(tree, "\n      quire.attempt\n")
		}
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got)
		require.Len(t, r.server.Requests(), attempts)
	})
}

package batch_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
)

// mixed yields 100 good documents and 30 bad ones, the bad ones from the position first, step apart.
func mixed(first, step int) iter.Seq[batch.Item] {
	return func(yield func(batch.Item) bool) {
		good, bad := 0, 0
		for i := range 130 {
			var name string
			if bad < 30 && i >= first && (i-first)%step == 0 {
				bad++
				name = fmt.Sprintf("bad%03d.txt", bad)
			} else {
				good++
				name = fmt.Sprintf("good%03d.txt", good)
			}
			if !yield(text(name)) {
				return
			}
		}
	}
}

// 100 good documents and 30 that always give the same 500: the bad ones are done with after three
// requests, in about the time of the spread, wherever they stand.
func TestD1SameAnswerAmongGoodDocuments(t *testing.T) {
	for name, order := range map[string]struct{ first, step int }{"first": {0, 1}, "mixed": {0, 4}, "last": {100, 1}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(
					partitiontest.Fault{File: "bad*", Do: partitiontest.Chain(partitiontest.Delay(100*time.Millisecond), partitiontest.Detail(500, "'utf-8' codec can't decode byte 0xff"))},
					partitiontest.Fault{Do: partitiontest.Delay(time.Second)},
				)
				start := time.Now()
				got := map[batch.State]int{}
				resends := 0
				for o := range batch.Run(t.Context(), newClient(t, s), mixed(order.first, order.step), batch.Options{}) {
					got[o.State]++
					resends += o.Report.MaybeBilledTwice()
					if o.State != batch.Failed {
						continue
					}
					require.Equal(t, partition.KindServer, o.Kind())
					require.LessOrEqual(t, o.Report.Requests(), 3)
					var api *partition.APIError
					require.ErrorAs(t, o.Err, &api)
					require.False(t, api.Transient())
					require.False(t, api.Final, "the server said nothing of the kind")
					require.ErrorContains(t, o.Err, ", the same answer each time)")
				}
				require.Equal(t, map[batch.State]int{batch.Done: 100, batch.Failed: 30}, got)
				require.Zero(t, resends)
				require.Less(t, time.Since(start), 20*time.Second, "10 s of work, and the spread")
			})
		})
	}
}

// While nothing else is answered the same 500 is waited out: the server may be failing everything.
func TestD1ServerThatFailsEverything(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		start := time.Now()
		s.Script(partitiontest.Fault{
			Match: func(partitiontest.Request) bool { return time.Since(start) < 2*time.Minute },
			Do:    partitiontest.Detail(500, "no space left on device"),
		})
		got, ended := states(t, newClient(t, s), numbered(60), batch.Options{})
		require.NoError(t, ended)
		require.Equal(t, map[string]int{"done": 60}, count(got))
	})
}

// A server that answers half of all requests with the same 503 for two minutes loses no document.
func TestD1Same503LosesNothing(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		start := time.Now()
		n := 0
		s.Script(
			partitiontest.Fault{
				Match: func(partitiontest.Request) bool { n++; return n%2 == 0 && time.Since(start) < 2*time.Minute },
				Do:    partitiontest.Detail(503, "busy"),
			},
			partitiontest.Fault{Do: partitiontest.Delay(time.Second)},
		)
		got, ended := states(t, newClient(t, s), numbered(200), batch.Options{})
		require.NoError(t, ended)
		require.Equal(t, map[string]int{"done": 200}, count(got))
	})
}

// Documents that the server fails to the end, while it answers others, are those documents' failures
// although they end last and in a row.
func TestD3FailuresThatEndLast(t *testing.T) {
	for name, fault := range map[string]partitiontest.Action{
		"gateway":         partitiontest.HTMLPage(504),
		"connection lost": partitiontest.Chain(partitiontest.Delay(time.Second), partitiontest.Reset()),
		"too slow":        partitiontest.Delay(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{File: "bad*", Do: fault}, partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
				preset, _ := retry.Preset("unstructured")
				policy := *preset
				policy.Rules = slices.Clone(policy.Rules)
				for i := range policy.Rules {
					policy.Rules[i].Outage = false // or the others wait for them
				}
				policy.Budget.ToHeaders = 5 * time.Second
				got, ended := states(t, newClient(t, s, partition.WithRetryPolicy(&policy), partition.WithMaxInFlight(40)), mixed(0, 4), batch.Options{Concurrency: 130})
				require.NoError(t, ended)
				require.Equal(t, map[string]int{"done": 100, "failed": 30}, count(got))
			})
		})
	}
}

// The pages of a long document show that the server works, although it has not ended.
func TestD3ALongDocumentUnderWay(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(
			partitiontest.Fault{File: "*.txt", Do: partitiontest.Detail(404, "no such strategy")},
			partitiontest.Fault{File: "long.pdf", Attempt: 1, Do: partitiontest.Delay(time.Second)},
		)
		var watch batch.Watch
		documents := func(yield func(batch.Item) bool) {
			if !yield(pdf("long.pdf", 80)) {
				return
			}
			time.Sleep(3 * time.Second)
			for item := range numbered(40) {
				if !yield(item) {
					return
				}
			}
		}
		client := newClient(t, s, partition.WithObserver(watch.Observe), partition.WithMaxInFlight(2))
		got, ended := states(t, client, documents, batch.Options{Watch: &watch, Unordered: true})
		require.NoError(t, ended)
		require.Equal(t, map[string]int{"done": 1, "failed": 40}, count(got))
		require.True(t, strings.HasPrefix(got[len(got)-1], "long.pdf"))
	})
}

package partition_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// TestPythonParity sends whole documents and chunks, buffered and through files, with the Python
// client's policy: six attempts over about 320 seconds, one where the server declares the error
// final.
func TestPythonParity(t *testing.T) {
	policy, ok := retry.Preset("unstructured-python")
	require.True(t, ok)
	for _, document := range []struct {
		name  string
		pages int
	}{{"whole", 1}, {"chunk", 3}} {
		for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
			for name, test := range map[string]struct {
				do       partitiontest.Action
				attempts int
				min, max time.Duration
			}{
				"503":                     {partitiontest.Detail(503, "busy"), 6, 320 * time.Second, 325 * time.Second},
				"500":                     {partitiontest.Detail(500, ""), 6, 320 * time.Second, 325 * time.Second},
				"504 HTML":                {partitiontest.HTMLPage(504), 6, 320 * time.Second, 325 * time.Second},
				"true widens nothing":     {partitiontest.Reply(400, `{"detail":"x","retryable":true}`), 1, 0, 0},
				"429 is not in the range": {partitiontest.Detail(429, "slow down"), 1, 0, 0},
				"verdict":                 {partitiontest.Reply(503, `{"detail":"x","retryable":false}`), 1, 0, 0},
				"Retry-After is not honoured": {
					partitiontest.Chain(partitiontest.Header("Retry-After", "1"), partitiontest.Detail(503, "busy")), 6, 320 * time.Second, 325 * time.Second,
				},
			} {
				t.Run(document.name+"/"+string(mode)+"/"+name, func(t *testing.T) {
					bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
						s.Script(partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 1}, Do: test.do})
						start := time.Now()
						_, err := newClient(t, s, partition.WithRetryPolicy(policy)).Partition(
							t.Context(), pdf("a.pdf", document.pages), partition.Params{Split: partition.Split{Mode: mode}})
						var api *partition.APIError
						require.ErrorAs(t, err, &api)
						require.Equal(t, test.attempts, api.Attempts)
						require.GreaterOrEqual(t, time.Since(start), test.min)
						require.LessOrEqual(t, time.Since(start), test.max)
					})
				})
			}
		}
	}
}

// TestOutageIsWaitedOutTogether restarts the server in the middle of 40 documents of 10 chunks. No
// document is lost, and hardly a request is wasted.
func TestOutageIsWaitedOutTogether(t *testing.T) {
	for _, length := range []time.Duration{30 * time.Second, 2 * time.Minute, 4 * time.Minute} {
		for name, do := range map[string]partitiontest.Action{
			"disconnects": partitiontest.Disconnect(), "502": partitiontest.HTMLPage(502),
		} {
			t.Run(fmt.Sprint(length, " ", name), func(t *testing.T) {
				bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
					start := time.Now()
					dead := func() bool {
						since := time.Since(start)
						return since > 17*time.Second && since < 17*time.Second+length
					}
					s.Script(
						partitiontest.Fault{Match: func(partitiontest.Request) bool { return dead() }, Do: do},
						partitiontest.Fault{Do: partitiontest.Delay(time.Second)},
					)
					c := newClient(t, s)
					var group errgroup.Group
					for i := range 40 {
						group.Go(func() error {
							result, err := c.Partition(t.Context(), pdf(fmt.Sprintf("%d.pdf", i), 20), partition.Params{})
							if err == nil && len(result.Elements) != 20 {
								err = fmt.Errorf("%d elements", len(result.Elements))
							}
							return err
						})
					}
					require.NoError(t, group.Wait())
					require.LessOrEqual(t, len(s.Requests()), 440)
				})
			})
		}
	}
}

// TestSilenceAndLimits tells whose limit ended an attempt, and warns before.
func TestSilenceAndLimits(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Hang()})
		var mu sync.Mutex // silence is told by a timer's goroutine
		var silent []time.Duration
		observe := partition.WithObserver(func(_ context.Context, e partition.Event) {
			if e.Kind == partition.AttemptEvent && e.Attempt.Kind == retry.EventSilence {
				mu.Lock()
				defer mu.Unlock()
				silent = append(silent, e.Attempt.Wait)
			}
		})
		_, err := newClient(t, s, observe).Partition(t.Context(), text("x"), partition.Params{})
		require.ErrorContains(t, err, "no answer within the attempt's limit of 1h")
		require.Equal(t, partition.KindTimeout, partition.KindOf(err))
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, 2*time.Minute, silent[0])
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Stall(10)})
		_, err := newClient(t, s).Partition(t.Context(), text("x"), partition.Params{})
		require.ErrorContains(t, err, "less than 1 KiB of the answer's body within the idle limit of 5m")
		require.Equal(t, partition.KindTimeout, partition.KindOf(err))
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Chain(partitiontest.Header("Retry-After", "3600"), partitiontest.Detail(http.StatusTooManyRequests, "slow down"))})
		start := time.Now()
		_, err := newClient(t, s).Partition(t.Context(), text("x"), partition.Params{})
		require.ErrorContains(t, err, "429 Too Many Requests: slow down")
		require.Equal(t, partition.KindThrottled, partition.KindOf(err))
		require.Zero(t, time.Since(start), "a wait above the ceiling ends the call")
	})
}

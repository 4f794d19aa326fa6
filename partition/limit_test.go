package partition_test

import (
	"errors"
	"fmt"
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

// A request limit lets out so many requests of a document in ten chunks, and what they are answered
// is delivered.
func TestRequestLimitIsNeverPassed(t *testing.T) {
	for _, width := range []int{1, 10} {
		t.Run(fmt.Sprintf("%d in flight", width), func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
				c := newClient(t, s, partition.WithMaxInFlight(width), partition.WithMaxRequests(3))
				result, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
				require.EqualError(t, err, "a.pdf: missing pages 7-20: request limit of 3 reached")
				require.Equal(t, partition.KindBudget, partition.KindOf(err))
				require.Equal(t, []string{"1-2", "3-4", "5-6"}, pages(s))
				require.Equal(t, upTo(1, 6), numbers(result.Elements), "what is under way is waited for")
				require.Equal(t, 3, result.Report.Requests())

				_, err = c.Partition(t.Context(), text("more"), partition.Params{})
				require.EqualError(t, err, "note.txt: request limit of 3 reached")
				require.Len(t, s.Requests(), 3)
			})
		})
	}
}

func TestRequestLimitCountsRepetitions(t *testing.T) {
	for name, test := range map[string]struct {
		do     partitiontest.Action
		status int
		want   string
	}{
		"status":     {partitiontest.Detail(503, "heavy load"), 503, "503 Service Unavailable (3 attempts in "},
		"no answer":  {partitiontest.Disconnect(), 0, "EOF (3 attempts in "},
		"bad answer": {partitiontest.Truncate(20), 200, "breaks off: unexpected EOF (3 attempts in "},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: test.do})
				c := newClient(t, s, partition.WithMaxRequests(3))
				result, err := c.Partition(t.Context(), text("hello"), partition.Params{})
				var api *partition.APIError
				require.ErrorAs(t, err, &api)
				require.Equal(t, partition.KindBudget, api.Kind)
				require.Equal(t, test.status, api.Status)
				require.False(t, api.Final)
				require.ErrorContains(t, err, test.want)
				require.ErrorContains(t, err, ", request limit of 3 reached)")
				require.Len(t, s.Requests(), 3)
				require.Equal(t, 3, result.Report.Requests(), "the refused one is no request")
				require.Equal(t, 3, api.Attempts)
			})
		})
	}
}

// TestRequestLimitIsExactInAStorm has calls wait for their repetition at the same instant while
// only some of them may go out.
func TestRequestLimitIsExactInAStorm(t *testing.T) {
	policy, found := retry.Preset("unstructured")
	require.True(t, found)
	together := *policy
	together.Backoff = retry.Backoff{Initial: time.Second, Max: time.Second, Factor: 1, Jitter: "none"}
	for i, limit := range []int{1, 7, 12, 23, 40, 45} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Do: partitiontest.Detail(500, "something")})
			c := newClient(t, s, partition.WithMaxInFlight(1+i%2*9), partition.WithRetryPolicy(&together), partition.WithMaxRequests(limit))
			var group errgroup.Group
			var mu sync.Mutex
			attempts := 0
			for i := range 12 {
				group.Go(func() error {
					result, err := c.Partition(t.Context(), pdf(fmt.Sprintf("%d.pdf", i), 3), partition.Params{Split: partition.Split{AllowFailed: true}})
					mu.Lock()
					defer mu.Unlock()
					attempts += result.Report.Requests()
					if partition.KindOf(err) != partition.KindBudget {
						return fmt.Errorf("%d: %w", i, err)
					}
					var api *partition.APIError
					if errors.As(err, &api) && api.Status != 500 {
						return fmt.Errorf("%d: not what the last attempt came to: %w", i, err)
					}
					return nil
				})
			}
			require.NoError(t, group.Wait())
			require.Equal(t, limit, attempts)
			require.Len(t, s.Requests(), limit)
		})
	}
}

func TestRequestLimitWithNarrowing(t *testing.T) {
	params := partition.Params{Split: partition.Split{Concurrency: 2, Narrow: true, AllowFailed: true}}
	for name, test := range map[string]struct {
		limit   int
		pages   []string
		missing []split.PageRange
	}{
		// 1-4 and 5-8 are sent and 1-4 fails for good, so are 1-2, then 1 and 2; page 2 is the bad one.
		"enough":  {6, []string{"1-4", "1-2", "1", "2", "3-4", "5-8"}, []split.PageRange{{First: 2, Last: 2}}},
		"too few": {4, []string{"1-4", "1-2", "3-4", "5-8"}, []split.PageRange{{First: 1, Last: 1}, {First: 2, Last: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(
					partitiontest.Fault{Pages: split.PageRange{First: 2, Last: 2}, Do: partitiontest.Chain(
						partitiontest.Delay(time.Second), partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
					)},
					partitiontest.Fault{Pages: split.PageRange{First: 5, Last: 8}, Do: partitiontest.Delay(time.Minute)},
				)
				result, err := newClient(t, s, partition.WithMaxRequests(test.limit)).Partition(t.Context(), pdf("a.pdf", 8), params)
				var partial *partition.PartialError
				require.ErrorAs(t, err, &partial)
				require.ElementsMatch(t, test.pages, pages(s))
				require.Equal(t, test.missing, result.Report.Missing)
			})
		})
	}
}

// What was sent is kept, and free the next time, also for a client that may send nothing more.
func TestRequestLimitAndCache(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		cache := &memoryCache{}
		for _, after := range []int{16, 12, 8, 4, 0} {
			c := newClient(t, s, partition.WithCache(cache), partition.WithMaxRequests(2))
			result, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
			if after > 0 {
				require.Equal(t, partition.KindBudget, partition.KindOf(err))
			} else {
				require.NoError(t, err)
			}
			require.Len(t, result.Elements, 20-after)
			require.Len(t, cache.entries, (20-after)/2)
		}
		require.Len(t, s.Requests(), 10)
		c := newClient(t, s, partition.WithCache(cache), partition.WithMaxRequests(1))
		_, err := c.Partition(t.Context(), text("a"), partition.Params{})
		require.NoError(t, err)
		_, err = c.Partition(t.Context(), text("b"), partition.Params{})
		require.Equal(t, partition.KindBudget, partition.KindOf(err))
		_, err = c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
		require.NoError(t, err, "also after a refusal")
	})
}

func TestRequestLimitThatIsNone(t *testing.T) {
	_, err := partition.New(partition.WithAPIKey("x"), partition.WithMaxRequests(-1))
	require.ErrorContains(t, err, "negative")
}

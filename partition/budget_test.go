package partition_test

import (
	"context"
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

// A refusals observer keeps the Refused events of a client.
type refusals struct {
	mu     sync.Mutex
	events []partition.Event
}

func (r *refusals) option() partition.Option {
	return partition.WithObserver(func(_ context.Context, e partition.Event) {
		if e.Kind == partition.Refused {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.events = append(r.events, e)
		}
	})
}

func (r *refusals) requireOne(t *testing.T, text string) {
	t.Helper()
	require.Len(t, r.events, 1)
	require.ErrorContains(t, r.events[0].Err, text)
	require.Equal(t, partition.KindBudget, partition.KindOf(r.events[0].Err))
}

// budgets are limits, and what of a 20-page document in ten chunks they let out.
var budgets = map[string]struct {
	budget  partition.Budget
	pages   []string
	message string
}{
	"requests":           {partition.Budget{Requests: 3}, []string{"1-2", "3-4", "5-6"}, "a.pdf: request limit of 3 reached"},
	"pages, even":        {partition.Budget{Pages: 6}, []string{"1-2", "3-4", "5-6"}, "a.pdf: page limit of 6 reached"},
	"pages, odd":         {partition.Budget{Pages: 7}, []string{"1-2", "3-4", "5-6"}, "a.pdf: page limit of 7 reached"},
	"pages before":       {partition.Budget{Pages: 4, Requests: 3}, []string{"1-2", "3-4"}, "a.pdf: page limit of 4 reached"},
	"requests before":    {partition.Budget{Pages: 8, Requests: 3}, []string{"1-2", "3-4", "5-6"}, "a.pdf: request limit of 3 reached"},
	"not a single chunk": {partition.Budget{Pages: 1}, nil, "a.pdf: page limit of 1 reached"},
}

func TestBudgetIsNeverPassed(t *testing.T) {
	for name, test := range budgets {
		for _, width := range []int{1, 10} {
			t.Run(fmt.Sprintf("%s, %d in flight", name, width), func(t *testing.T) {
				bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
					s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
					var told refusals
					c := newClient(t, s, partition.WithMaxInFlight(width), partition.WithBudget(test.budget), told.option())
					result, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
					require.EqualError(t, err, test.message)
					require.Equal(t, partition.KindBudget, partition.KindOf(err))
					require.Equal(t, test.pages, pages(s))
					require.Len(t, result.Elements, 2*len(test.pages), "what is under way is waited for")
					told.requireOne(t, test.message)

					_, err = c.Partition(t.Context(), text("a part that would fit"), partition.Params{})
					require.Equal(t, partition.KindBudget, partition.KindOf(err), "a refusal is final")
					require.Len(t, s.Requests(), len(test.pages))
					require.Len(t, told.events, 1)
				})
			})
		}
	}
}

func TestBudgetThatSuffices(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		var told refusals
		c := newClient(t, s, partition.WithBudget(partition.Budget{Requests: 11, Pages: 21}), told.option())
		_, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
		require.NoError(t, err)
		_, err = c.Partition(t.Context(), text("one more"), partition.Params{})
		require.NoError(t, err)
		require.Empty(t, told.events, "a budget that is used up has refused nothing")
		_, err = c.Partition(t.Context(), text("and one"), partition.Params{})
		require.EqualError(t, err, "note.txt: request limit of 11 reached")
	})
}

func TestBudgetCountsRepetitions(t *testing.T) {
	for name, test := range map[string]struct {
		do     partitiontest.Action
		status int
		want   string
	}{
		"status":     {partitiontest.Detail(503, "heavy load"), 503, "503 Service Unavailable: heavy load (3 attempts in "},
		"no answer":  {partitiontest.Disconnect(), 0, "EOF (3 attempts in "},
		"bad answer": {partitiontest.Empty(), 200, "the body is empty, not a list of elements (3 attempts in "},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: test.do})
				var told refusals
				c := newClient(t, s, partition.WithBudget(partition.Budget{Requests: 3}), told.option())
				start := time.Now()
				result, err := c.Partition(t.Context(), text("hello"), partition.Params{})
				var api *partition.APIError
				require.ErrorAs(t, err, &api)
				require.Equal(t, partition.KindBudget, api.Kind)
				require.Equal(t, test.status, api.Status)
				require.Equal(t, retry.Stop("request limit of 3 reached"), api.Stop)
				require.False(t, api.Final)
				require.ErrorContains(t, err, test.want)
				require.ErrorContains(t, err, ", request limit of 3 reached)")
				require.Len(t, s.Requests(), 3)
				require.Equal(t, 3, result.Report.Requests())
				require.Less(t, time.Since(start), 5*time.Second, "a wait for what will not come is left out")
				told.requireOne(t, "request limit of 3 reached")
			})
		})
	}
}

// TestBudgetIsExactInAStorm has calls wait for their repetition at the same instant while only some of them can be paid for.
func TestBudgetIsExactInAStorm(t *testing.T) {
	policy, found := retry.Preset("unstructured")
	require.True(t, found)
	together := *policy
	together.Backoff = retry.Backoff{Initial: time.Second, Max: time.Second, Factor: 1, Jitter: retry.JitterNone}
	for _, strict := range []bool{false, true} {
		for i, limit := range []int{1, 7, 12, 23, 40, 45} {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Detail(500, "something")})
				var told refusals
				c := newClient(t, s, partition.WithMaxInFlight(1+i%2*9), partition.WithRetryPolicy(&together), told.option(),
					partition.WithBudget(partition.Budget{Requests: limit}))
				var group errgroup.Group
				var mu sync.Mutex
				attempts := 0
				for i := range 12 {
					group.Go(func() error {
						result, err := c.Partition(t.Context(), pdf(fmt.Sprintf("%d.pdf", i), 3), partition.Params{Split: partition.Split{AllowFailed: !strict}})
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
				require.LessOrEqual(t, attempts, limit)
				require.LessOrEqual(t, len(s.Requests()), attempts)
				if !strict { // else a document's failure ends its other request, perhaps before that has arrived
					require.Len(t, s.Requests(), limit)
				}
				told.requireOne(t, fmt.Sprintf("request limit of %d reached", limit))
			})
		}
	}
}

func TestBudgetOfPagesCountsAPartOnce(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Attempt: 1, Do: partitiontest.HTMLPage(502)})
		result, err := newClient(t, s, partition.WithBudget(partition.Budget{Pages: 6})).Partition(t.Context(), pdf("a.pdf", 6), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, 3, result.Report.Retries())
	})
}

func TestBudgetWithNarrowing(t *testing.T) {
	params := partition.Params{Split: partition.Split{Concurrency: 2, Narrow: true, AllowFailed: true}}
	for name, test := range map[string]struct {
		budget  partition.Budget
		pages   []string
		missing []split.PageRange
	}{
		// 1-4 and 5-8 are sent and 1-4 fails for good, so are 1-2, then 1 and 2; page 2 is the bad one.
		"enough":   {partition.Budget{Pages: 14, Requests: 6}, []string{"1-4", "1-2", "1", "2", "3-4", "5-8"}, []split.PageRange{{First: 2, Last: 2}}},
		"pages":    {partition.Budget{Pages: 9}, []string{"1-4", "5-8"}, []split.PageRange{{First: 1, Last: 2}, {First: 3, Last: 4}}},
		"requests": {partition.Budget{Requests: 4}, []string{"1-4", "1-2", "3-4", "5-8"}, []split.PageRange{{First: 1, Last: 1}, {First: 2, Last: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(
					partitiontest.Fault{Pages: split.PageRange{First: 2, Last: 2}, Do: partitiontest.Chain(
						partitiontest.Delay(time.Second), partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
					)},
					partitiontest.Fault{Pages: split.PageRange{First: 5, Last: 8}, Do: partitiontest.Delay(time.Minute)},
				)
				result, err := newClient(t, s, partition.WithBudget(test.budget)).Partition(t.Context(), pdf("a.pdf", 8), params)
				var partial *partition.PartialError
				require.ErrorAs(t, err, &partial)
				require.ElementsMatch(t, test.pages, pages(s))
				require.Equal(t, test.missing, result.Report.Missing)
			})
		})
	}
}

func TestBudgetAndCache(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		cache := &memoryCache{}
		left := []int{16, 12, 8, 4, 0}
		for _, after := range left {
			c := newClient(t, s, partition.WithCache(cache), partition.WithBudget(partition.Budget{Requests: 2, Pages: 4}))
			result, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
			if after > 0 {
				require.Equal(t, partition.KindBudget, partition.KindOf(err))
			} else {
				require.NoError(t, err)
			}
			require.Len(t, result.Elements, 20-after)
			require.Len(t, cache.entries, (20-after)/2, "what was sent is kept, and free the next time")
		}
		require.Len(t, s.Requests(), 10)
		c := newClient(t, s, partition.WithCache(cache), partition.WithBudget(partition.Budget{Requests: 1}))
		_, err := c.Partition(t.Context(), text("a"), partition.Params{})
		require.NoError(t, err)
		_, err = c.Partition(t.Context(), text("b"), partition.Params{})
		require.Equal(t, partition.KindBudget, partition.KindOf(err))
		_, err = c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
		require.NoError(t, err, "also after a refusal")
	})
}

// TestBudgetStopsTheRun does what a command does: the first refusal ends the context of everything.
func TestBudgetStopsTheRun(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
		ctx, stop := context.WithCancelCause(t.Context())
		cache := &memoryCache{}
		c := newClient(t, s, partition.WithCache(cache), partition.WithBudget(partition.Budget{Requests: 5}),
			partition.WithObserver(func(_ context.Context, e partition.Event) {
				if e.Kind == partition.Refused {
					stop(e.Err)
				}
			}))
		var group errgroup.Group
		for i := range 3 {
			group.Go(func() error {
				_, err := c.Partition(ctx, pdf(fmt.Sprintf("%d.pdf", i), 20), partition.Params{})
				return err
			})
		}
		require.Error(t, group.Wait())
		require.ErrorContains(t, context.Cause(ctx), "request limit of 5 reached")
		require.Len(t, s.Requests(), 5)
		require.Len(t, cache.entries, 5, "requests under way are answered and kept")
	})
}

func TestBudgetOfUnknownPages(t *testing.T) {
	for name, test := range map[string]struct {
		open   func() *partition.Document
		params partition.Params
		counts int
	}{
		"text":               {func() *partition.Document { return text("x") }, partition.Params{}, 1},
		"PDF that is whole":  {func() *partition.Document { return pdf("a.pdf", 9) }, partition.Params{Split: partition.Split{Off: true}}, 9},
		"too large to parse": {func() *partition.Document { return pdf("a.pdf", 9) }, partition.Params{Split: partition.Split{ParseLimit: 100}}, 1},
		"range": {
			func() *partition.Document { return pdf("a.pdf", 9) },
			partition.Params{Split: partition.Split{Off: true, Pages: split.PageRange{First: 2, Last: 4}}},
			3,
		},
		"two steps": {
			func() *partition.Document { return pdf("a.pdf", 9) },
			partition.Params{ChunkingStrategy: "basic", Split: partition.Split{Scope: partition.ScopeAfter}},
			10,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, short := range []int{0, 1} {
				bubble(t, partitiontest.Options{Lenient: true}, func(t *testing.T, s *partitiontest.Server) {
					c := newClient(t, s, partition.WithBudget(partition.Budget{Pages: test.counts + 1 - short}))
					_, err := c.Partition(t.Context(), test.open(), test.params)
					require.NoError(t, err)
					_, err = c.Partition(t.Context(), text("one more"), partition.Params{})
					require.Equal(t, short == 1, partition.KindOf(err) == partition.KindBudget, "%v", err)
				})
			}
		})
	}
}

func TestBudgetThatIsNone(t *testing.T) {
	for _, budget := range []partition.Budget{{Requests: -1}, {Pages: -1}} {
		_, err := partition.New(partition.WithAPIKey("x"), partition.WithBudget(budget))
		require.ErrorContains(t, err, "negative")
	}
}

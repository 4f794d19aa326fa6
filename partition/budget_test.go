package partition_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
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
	"one page short":     {partition.Budget{Pages: 19}, nil, "a.pdf: page limit of 19 reached"},
	"pages before":       {partition.Budget{Pages: 6, Requests: 3}, nil, "a.pdf: page limit of 6 reached"},
	"requests before":    {partition.Budget{Pages: 20, Requests: 3}, []string{"1-2", "3-4", "5-6"}, "a.pdf: request limit of 3 reached"},
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
			c := newClient(t, s, partition.WithCache(cache), partition.WithBudget(partition.Budget{Requests: 2}))
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
		for _, budget := range []partition.Budget{{Requests: 1}, {Pages: 1}} {
			c := newClient(t, s, partition.WithCache(cache), partition.WithBudget(budget))
			_, err := c.Partition(t.Context(), text(fmt.Sprint("a", budget)), partition.Params{})
			require.NoError(t, err)
			_, err = c.Partition(t.Context(), text("b"), partition.Params{})
			require.Equal(t, partition.KindBudget, partition.KindOf(err))
			_, err = c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
			require.NoError(t, err, "also after a refusal")
		}
	})
}

// TestBudgetOfPagesCountsWhatTheCacheDoesNotAnswer has a part of a document in the cache, and for the rest just enough or too little.
func TestBudgetOfPagesCountsWhatTheCacheDoesNotAnswer(t *testing.T) {
	narrow := partition.Params{Split: partition.Split{Concurrency: 2, Narrow: true, AllowFailed: true}}
	for name, test := range map[string]struct {
		params partition.Params
		left   split.PageRange // after page 3 could not be had
	}{
		"parts":  {partition.Params{Split: partition.Split{Concurrency: 4, AllowFailed: true}}, split.PageRange{First: 3, Last: 4}},
		"halves": {narrow, split.PageRange{First: 3, Last: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{
					File: "a.pdf", Pages: split.PageRange{First: 3, Last: 3}, Attempt: 1,
					Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
				})
				cache := &askedCache{}
				_, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 8), test.params)
				var partial *partition.PartialError
				require.ErrorAs(t, err, &partial)
				sent, others := len(s.Requests()), 5
				short := newClient(t, s, partition.WithCache(cache), partition.WithBudget(partition.Budget{Pages: others + test.left.Len() - 1}))
				_, err = short.Partition(t.Context(), pdf("b.pdf", others), partition.Params{Split: partition.Split{Off: true}})
				require.NoError(t, err)
				result, err := short.Partition(t.Context(), pdf("a.pdf", 8), test.params)
				require.EqualError(t, err, fmt.Sprintf("a.pdf: page limit of %d reached", others+test.left.Len()-1))
				require.Empty(t, result.Elements)
				require.Len(t, s.Requests(), sent+1)

				enough := newClient(t, s, partition.WithCache(cache), partition.WithBudget(partition.Budget{Pages: test.left.Len()}))
				_, err = enough.Partition(t.Context(), pdf("a.pdf", 8), test.params)
				require.NoError(t, err)
				require.Len(t, s.Requests(), sent+2)
				require.Equal(t, test.left, s.Requests()[sent+1].Pages)
			})
		})
	}
}

// A forgetfulCache has entries that are gone when they are wanted.
type forgetfulCache struct{ memoryCache }

func (*forgetfulCache) Has(context.Context, partition.Key) bool { return true }

func TestBudgetOfPagesPaysForWhatTheCacheHasLost(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s, partition.WithCache(&forgetfulCache{}), partition.WithBudget(partition.Budget{Pages: 5}))
		_, err := c.Partition(t.Context(), pdf("a.pdf", 8), partition.Params{})
		require.EqualError(t, err, "a.pdf: page limit of 5 reached")
		require.Len(t, s.Requests(), 5, "single pages: it looks as if everything had been narrowed before")
	})
}

// TestBudgetOfPagesBuysWholeDocuments has documents under way together, of which not all can be paid for.
func TestBudgetOfPagesBuysWholeDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		documents, limit, done int
		fault                  partitiontest.Fault
	}{
		"one of two":        {2, 5, 1, partitiontest.Fault{Do: partitiontest.Delay(time.Minute)}},
		"two of six":        {6, 11, 2, partitiontest.Fault{Do: partitiontest.Delay(time.Minute)}},
		"all":               {3, 12, 3, partitiontest.Fault{Do: partitiontest.Delay(time.Minute)}},
		"none":              {2, 3, 0, partitiontest.Fault{}},
		"with repetitions":  {6, 11, 2, partitiontest.Fault{Attempt: 1, Do: partitiontest.HTMLPage(502)}},
		"after a long wait": {2, 4, 1, partitiontest.Fault{Attempt: 1, Do: partitiontest.Chain(partitiontest.Header("Retry-After", "60"), partitiontest.Detail(429, "slow down"))}},
	} {
		for _, width := range []int{1, 10} {
			for _, stops := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %d in flight, stops %t", name, width, stops), func(t *testing.T) {
					bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
						s.Script(test.fault)
						var told refusals
						ctx, stop := context.WithCancelCause(t.Context())
						defer stop(nil)
						c := newClient(t, s, partition.WithMaxInFlight(width), partition.WithBudget(partition.Budget{Pages: test.limit}),
							partition.WithObserver(func(_ context.Context, e partition.Event) {
								if e.Kind == partition.Refused {
									told.events = append(told.events, e)
									if stops {
										stop(e.Err)
									}
								}
							}))
						errs := make([]error, test.documents)
						var group sync.WaitGroup
						for i := range errs {
							group.Go(func() {
								var result *partition.Result
								result, errs[i] = c.Partition(ctx, pdf(fmt.Sprintf("%d.pdf", i), 4), partition.Params{})
								if errs[i] != nil && result.Report.Requests() > 0 {
									errs[i] = errors.Join(errs[i], errors.New("sent by half"))
								}
							})
						}
						group.Wait()
						done := 0
						for _, err := range errs {
							if err == nil {
								done++
								continue
							}
							require.ErrorContains(t, err, fmt.Sprintf("page limit of %d reached", test.limit))
							require.NotContains(t, err.Error(), "sent by half")
						}
						require.Equal(t, test.done, done)
						if done < test.documents {
							told.requireOne(t, "page limit")
						}
					})
				})
			}
		}
	}
}

// TestBudgetOfPagesWaitsForNoReader has the reader of a document that is paid for ask for another one before it reads on.
func TestBudgetOfPagesWaitsForNoReader(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		c := newClient(t, s, partition.WithMaxInFlight(1), partition.WithBudget(partition.Budget{Pages: 8}))
		elements := 0
		for _, err := range c.Stream(t.Context(), pdf("a.pdf", 8), partition.Params{}).All() {
			require.NoError(t, err)
			if elements++; elements == 1 {
				_, err = c.Partition(t.Context(), text("b"), partition.Params{})
				require.EqualError(t, err, "note.txt: page limit of 8 reached")
			}
		}
		require.Equal(t, 8, elements)
	})
}

// TestBudgetRefusalEndsWithItsContext has a document that was refused wait for one that is paid for, and not longer than it may.
func TestBudgetRefusalEndsWithItsContext(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		var told refusals
		c := newClient(t, s, partition.WithBudget(partition.Budget{Pages: 4}), told.option())
		var group errgroup.Group
		group.Go(func() error {
			_, err := c.Partition(t.Context(), pdf("a.pdf", 4), partition.Params{})
			return err
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := c.Partition(ctx, pdf("b.pdf", 4), partition.Params{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(start))
		require.Empty(t, told.events)
		_, err = c.Partition(t.Context(), text("c"), partition.Params{})
		require.EqualError(t, err, "note.txt: page limit of 4 reached")
		require.Equal(t, time.Minute, time.Since(start))
		require.NoError(t, group.Wait())
		told.requireOne(t, "page limit of 4 reached")
	})
}

// TestBudgetOfPagesOfWhatGoesWhole has documents that are sent whole after all, in place of chunks that were paid for.
func TestBudgetOfPagesOfWhatGoesWhole(t *testing.T) {
	for name, test := range map[string]struct {
		data     []byte
		pages    int
		requests int
	}{
		"for its size":  {partitiontest.NewPDF(30, partitiontest.WithSharedResource(1<<20)), 30, 1},
		"cannot be cut": {uncuttable(), 8, 3},
	} {
		t.Run(name, func(t *testing.T) {
			for short := range 2 {
				bubble(t, partitiontest.Options{Lenient: true}, func(t *testing.T, s *partitiontest.Server) {
					c := newClient(t, s, partition.WithBudget(partition.Budget{Pages: test.pages - short}))
					_, err := c.Partition(t.Context(), bytesPDF(test.data), partition.Params{})
					if short == 1 {
						require.Equal(t, partition.KindBudget, partition.KindOf(err))
						require.Empty(t, s.Requests())
						return
					}
					require.NoError(t, err)
					require.Len(t, s.Requests(), test.requests)
				})
			}
		})
	}
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
		"text":              {func() *partition.Document { return text("x") }, partition.Params{}, 1},
		"PDF that is whole": {func() *partition.Document { return pdf("a.pdf", 9) }, partition.Params{Split: partition.Split{Off: true}}, 9},
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

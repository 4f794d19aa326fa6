package partition_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// memoryCache is a cache that can be made to fail.
type memoryCache struct {
	mu      sync.Mutex
	entries map[partition.Key][]byte
	broken  error
	puts    int
}

func (m *memoryCache) Get(_ context.Context, k partition.Key) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return nil, m.broken
	}
	data, ok := m.entries[k]
	if !ok {
		return nil, fmt.Errorf("entry: %w", fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (m *memoryCache) Put(_ context.Context, k partition.Key, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return m.broken
	}
	if m.entries == nil {
		m.entries = map[partition.Key][]byte{}
	}
	m.entries[k] = b.Bytes()
	m.puts++
	return nil
}

func TestWhatWasAnsweredIsNotSentAgain(t *testing.T) {
	for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Pages: split.PageRange{First: 9, Last: 10}, Times: 1, Do: partitiontest.Reply(500, `{"detail":"x","retryable":false}`)})
			cache := &memoryCache{}
			params := partition.Params{Split: partition.Split{Mode: mode}}
			_, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 20), params)
			require.Error(t, err)
			sent := len(s.Requests())
			require.Len(t, cache.entries, sent-1, "every answer that came is stored, the error is not")

			result, err := newClient(t, s, partition.WithCache(cache), partition.WithMaxInFlight(3)).Partition(t.Context(), pdf("a.pdf", 20), params)
			require.NoError(t, err)
			require.Equal(t, upTo(1, 20), numbers(result.Elements))
			require.Equal(t, 10-(sent-1), result.Report.Requests())
			require.Equal(t, sent-1, result.Report.CacheHits())

			again, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 20), params)
			require.NoError(t, err)
			require.Zero(t, again.Report.Requests())
			require.Equal(t, result.Elements, again.Elements)
		})
	}
}

func TestWhatMakesAnotherEntry(t *testing.T) {
	bubble(t, partitiontest.Options{Lenient: true}, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{}
		send := func(name string, pages int, p partition.Params, options ...partition.Option) int {
			before := len(s.Requests())
			_, err := newClient(t, s, append(options, partition.WithCache(cache))...).Partition(t.Context(), pdf(name, pages), p)
			require.NoError(t, err)
			return len(s.Requests()) - before
		}
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{}))
		require.Equal(t, 0, send("a.pdf", 3, partition.Params{}))
		require.Equal(t, 0, send("dir/a.pdf", 3, partition.Params{}), "a path is not part of the key")
		require.Equal(t, 0, send("a.pdf", 3, partition.Params{Split: partition.Split{Mode: partition.DiskCached, AllowFailed: true, Narrow: true, RepairParents: new(true)}}))
		require.Equal(t, 0, send("a.pdf", 3, partition.Params{}, partition.WithMaxInFlight(1)))
		require.Equal(t, 2, send("b.pdf", 3, partition.Params{}))
		require.Equal(t, 2, send("a.pdf", 4, partition.Params{}), "other content")
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{Strategy: "fast"}))
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{StartingPageNumber: new(7)}))
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{Extra: map[string][]string{"new": {"x"}}}))
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{}, partition.WithAPIKey("another-account")))
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{}, partition.WithHeader("X-Tenant", "7")))
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{}, wire.WithEngine("engine 2")))
		require.Equal(t, 1, send("a.pdf", 3, partition.Params{Split: partition.Split{Off: true}}), "another page range")
		require.Equal(t, 2, send("a.pdf", 3, partition.Params{}, partition.WithRefresh()))
	})
}

// TestEveryParamIsInTheKey sets one field after the other: each makes an entry of its own.
func TestEveryParamIsInTheKey(t *testing.T) {
	values := map[wire.FieldKind]string{
		wire.KindString: "x", wire.KindSecret: "x", wire.KindBool: "true", wire.KindInt: "7", wire.KindFloat: "0.5",
		wire.KindList: "x",
	}
	bubble(t, partitiontest.Options{Lenient: true, Engine: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") })}, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{}
		c := newClient(t, s, partition.WithCache(cache))
		for i, field := range wire.Fields() {
			var p partition.Params
			value := values[field.Kind]
			if field.Name == "output_format" {
				value = "application/json" // the server checks it
			}
			require.NoError(t, p.Set(field.Name, value))
			_, err := c.Partition(t.Context(), text("x"), p)
			require.NoError(t, err)
			require.Len(t, cache.entries, i+1, field.Name)
		}
	})
}

// A watchedCache looks at something before it stores.
type watchedCache struct {
	memoryCache
	before func()
}

func (w *watchedCache) Put(ctx context.Context, k partition.Key, write func(io.Writer) error) error {
	w.before()
	return w.memoryCache.Put(ctx, k, write)
}

// An answer is stored before its slot is free: what a kill can lose is never more than what may be
// in flight.
func TestAnswersAreStoredBeforeTheNextRequest(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		var sent []int
		cache := &watchedCache{before: func() {
			time.Sleep(time.Second) // of the bubble's clock: the next request would be there by now
			sent = append(sent, len(s.Requests()))
		}}
		_, err := newClient(t, s, partition.WithCache(cache), partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 6), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, []int{1, 2, 3}, sent)
	})
}

func TestOnlyWholeAnswersAreStored(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{}
		for _, do := range []partitiontest.Action{
			partitiontest.Detail(400, "x"), partitiontest.Reply(200, `{}`), partitiontest.Empty(), partitiontest.InvalidJSON(), partitiontest.Truncate(20),
		} {
			s.Script(partitiontest.Fault{Do: do, Times: 10})
			_, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), text("x"), partition.Params{})
			require.Error(t, err)
			require.Empty(t, cache.entries)
		}
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 4}, Times: 1, Do: partitiontest.Detail(400, "x")})
		cache := &memoryCache{}
		params := partition.Params{Split: partition.Split{AllowFailed: true}}
		_, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 6), params)
		require.Error(t, err)
		result, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 6), params)
		require.NoError(t, err, "a partial result is not taken for a complete one")
		require.Equal(t, upTo(1, 6), numbers(result.Elements))
		require.Equal(t, 1, result.Report.Requests())
	})
}

func TestACacheThatFailsIsSaidOnce(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{broken: errors.New("read-only file system")}
		said := 0
		c := newClient(t, s, partition.WithCache(cache), partition.WithObserver(func(_ context.Context, e partition.Event) {
			if e.Kind == partition.CacheFailed {
				said++
			}
		}))
		for range 3 {
			result, err := c.Partition(t.Context(), pdf("a.pdf", 6), partition.Params{})
			require.NoError(t, err)
			require.Len(t, result.Elements, 6)
		}
		require.Equal(t, 1, said)
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{}
		c := newClient(t, s, partition.WithCache(cache))
		_, err := c.Partition(t.Context(), text("x"), partition.Params{})
		require.NoError(t, err)
		for k := range cache.entries {
			cache.entries[k] = []byte(`[{"type":"Ti`) // damaged, and the cache has not noticed
		}
		result, err := c.Partition(t.Context(), text("x"), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, 1, result.Report.Requests())
	})
}

// TestStoppingKeepsWhatIsPaidFor ends a document in the middle: what was sent is waited for and
// stored, nothing more is sent.
func TestStoppingKeepsWhatIsPaidFor(t *testing.T) {
	for name, test := range map[string]struct {
		cache  bool
		grace  time.Duration
		ended  time.Duration
		stored int
	}{
		"with a cache":             {true, 30 * time.Second, 20 * time.Second, 4},
		"grace is over before":     {true, 5 * time.Second, 15 * time.Second, 0},
		"without grace":            {true, 0, 10 * time.Second, 0},
		"without a cache, at once": {false, 30 * time.Second, 10 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Delay(20 * time.Second)})
				cache := &memoryCache{}
				options := []partition.Option{partition.WithMaxInFlight(4), partition.WithGrace(test.grace)}
				if test.cache {
					options = append(options, partition.WithCache(cache))
				}
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(10*time.Second, cancel)
				start := time.Now()
				_, err := newClient(t, s, options...).Partition(ctx, pdf("a.pdf", 40), partition.Params{})
				require.Equal(t, partition.KindCanceled, partition.KindOf(err))
				require.Equal(t, test.ended, time.Since(start))
				require.Len(t, s.Requests(), 4)
				require.Len(t, cache.entries, test.stored)
			})
		})
	}
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(
			partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Reply(500, `{"detail":"x","retryable":false}`)},
			partitiontest.Fault{Do: partitiontest.Delay(15 * time.Second)},
		)
		cache := &memoryCache{}
		_, err := newClient(t, s, partition.WithMaxInFlight(4), partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 40), partition.Params{})
		require.ErrorContains(t, err, " pages 1-4")
		require.Equal(t, len(s.Requests())-1, len(cache.entries), "a strict failure keeps the answers under way")
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 40}, Do: partitiontest.Delay(20 * time.Second)})
		start := time.Now()
		for range newClient(t, s, partition.WithCache(&memoryCache{})).Stream(t.Context(), pdf("a.pdf", 20), partition.Params{}).All() {
			break
		}
		require.Zero(t, time.Since(start), "who leaves the loop does not want to wait")
	})
}

// narrowed is how many requests it takes to ask for pages of which one is bad: the larger half
// comes first.
func narrowed(first, last, bad int) int {
	if bad < first || bad > last || first == last {
		return 1
	}
	middle := (first + last) / 2
	return 1 + narrowed(first, middle, bad) + narrowed(middle+1, last, bad)
}

// TestNarrowing counts: of n pages sent in one chunk exactly the bad one is lost, for 2·ceil(log2
// n) more requests.
func TestNarrowing(t *testing.T) {
	for n := 2; n <= 20; n++ {
		for bad := 1; bad <= n; bad++ {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				poison := split.PageRange{First: bad, Last: bad}
				s.Script(partitiontest.Fault{Pages: poison, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)})
				cache := &memoryCache{}
				params := partition.Params{Split: partition.Split{Narrow: true, AllowFailed: true, Concurrency: 1}}
				result, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", n), params)
				var partial *partition.PartialError
				require.ErrorAs(t, err, &partial)
				require.Equal(t, []split.PageRange{poison}, partial.Missing)
				require.Equal(t, append(upTo(1, bad-1), upTo(bad+1, n)...), numbers(result.Elements))
				require.Len(t, s.Requests(), narrowed(1, n, bad))
				require.LessOrEqual(t, len(s.Requests()), 1+2*bits.Len(uint(n-1)))
				plan, err := newClient(t, s).Plan(t.Context(), pdf("a.pdf", n), params)
				require.NoError(t, err)
				require.Equal(t, 2*bits.Len(uint(n-1)), plan.Narrowing)
				require.Equal(t, n-1, result.Report.AnsweredPages())

				// A rerun asks for the bad page alone.
				before := len(s.Requests())
				_, err = newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", n), params)
				require.ErrorAs(t, err, &partial)
				require.Len(t, s.Requests(), before+1)
				require.Equal(t, poison, s.Requests()[before].Pages)

				// So does one without narrowing.
				params.Split.Narrow = false
				_, err = newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", n), params)
				require.ErrorAs(t, err, &partial)
				require.Len(t, s.Requests(), before+2)
				params.Split.Narrow = true

				// Strict, the document fails with that page.
				params.Split.AllowFailed = false
				_, err = newClient(t, s).Partition(t.Context(), pdf("a.pdf", n), params)
				var failed *partition.APIError
				require.ErrorAs(t, err, &failed)
				require.ErrorContains(t, failed, fmt.Sprintf("a.pdf page %d: POST ", bad))
			})
		}
	}
}

func TestNarrowingRescuesWhatIsTooSlowOrTooLarge(t *testing.T) {
	for name, do := range map[string]partitiontest.Action{
		"408": partitiontest.Detail(408, "too slow"), "413": partitiontest.HTMLPage(413), "504": partitiontest.HTMLPage(504), "silence": partitiontest.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Match: func(r partitiontest.Request) bool { return r.Pages.Len() > 4 }, Do: do})
				result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 16), partition.Params{Split: partition.Split{Narrow: true, Concurrency: 1}})
				require.NoError(t, err)
				require.Equal(t, upTo(1, 16), numbers(result.Elements))
				attempts := map[int]int{}
				for _, r := range s.Requests() {
					attempts[r.Pages.Len()]++
				}
				require.Equal(t, 2, attempts[8], "the halves of a time-out are tried once each")
				require.Equal(t, 4, attempts[4])
			})
		})
	}
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Detail(400, "wrong")})
		_, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 16), partition.Params{Split: partition.Split{Narrow: true, Concurrency: 1}})
		require.Error(t, err)
		require.Len(t, s.Requests(), 1, "a wrong request is wrong in halves too")
	})
}

func TestChunkingAfter(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		cache := &memoryCache{}
		params := partition.Params{
			Strategy: "fast", ChunkingStrategy: "by_title", MaxCharacters: new(100),
			Split: partition.Split{Scope: partition.ChunkingAfter},
		}
		result, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 6), params)
		require.NoError(t, err)
		require.Len(t, result.Elements, 1)
		require.Equal(t, 1, result.Report.Elements)
		require.Equal(t, 6, result.Report.AnsweredPages())
		require.Empty(t, s.Violations())
		requests := s.Requests()
		require.Len(t, requests, 4)
		for _, r := range requests[:3] {
			require.Equal(t, "fast", r.Fields.Get("strategy"))
			require.Empty(t, r.Fields.Get("chunking_strategy"))
		}
		last := requests[3]
		require.Equal(t, "a.pdf", last.File)
		require.Equal(t, "application/json", last.MediaType)
		require.Equal(t, map[string][]string{"chunking_strategy": {"by_title"}, "max_characters": {"100"}}, map[string][]string(last.Fields))

		s.Script(partitiontest.Fault{Match: func(r partitiontest.Request) bool { return r.MediaType == "application/json" }, Do: partitiontest.Detail(422, "no")})
		params.MaxCharacters = new(200)
		_, err = newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 6), params)
		require.ErrorContains(t, err, "422 Unprocessable Entity: no; the partitioned elements are kept in the cache")
		require.Len(t, s.Requests(), 5)
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		params := partition.Params{ChunkingStrategy: "by_title", Split: partition.Split{Scope: partition.ChunkingAfter}}
		_, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 2), params)
		require.NoError(t, err)
		require.Len(t, s.Requests(), 1, "a document that goes whole is chunked in the same request")
	})
}

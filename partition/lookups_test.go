package partition_test

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// A farCache has only Get and Put, and takes its time.
type farCache struct {
	memory memoryCache
	takes  time.Duration
	gets   atomic.Int64
}

func (f *farCache) Get(ctx context.Context, k partition.Key) (io.ReadCloser, error) {
	f.gets.Add(1)
	time.Sleep(f.takes)
	return f.memory.Get(ctx, k)
}

func (f *farCache) Put(ctx context.Context, k partition.Key, write func(io.Writer) error) error {
	return f.memory.Put(ctx, k, write)
}

// A chunk costs a cache that has only Get and Put two look-ups, however many pages it has.
func TestB4LookUps(t *testing.T) {
	for name, narrow := range map[string]bool{"as usual": false, "narrow": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				far := &farCache{takes: 20 * time.Millisecond}
				c := newClient(t, s, partition.WithCache(far), partition.WithMaxInFlight(50))
				params := partition.Params{Split: partition.Split{Narrow: narrow}}
				start := time.Now()
				plan, err := c.Plan(t.Context(), pdf("a.pdf", 1000), params)
				require.NoError(t, err)
				chunks := int64(len(plan.Chunks))
				require.Greater(t, chunks, int64(40))
				require.LessOrEqual(t, far.gets.Swap(0), 2*chunks+1)
				_, err = c.Partition(t.Context(), pdf("a.pdf", 1000), params)
				require.NoError(t, err)
				require.LessOrEqual(t, far.gets.Swap(0), 2*chunks+1)
				require.Less(t, time.Since(start), 6*time.Second)
				_, err = c.Partition(t.Context(), pdf("a.pdf", 1000), params)
				require.NoError(t, err)
				require.LessOrEqual(t, far.gets.Load(), chunks+1)
			})
		})
	}
}

// Halves that were paid are found again, however deep they are.
func TestB4HalvesAreFound(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		for _, page := range []int{2, 9} {
			s.Script(partitiontest.Fault{Pages: split.PageRange{First: page, Last: page}, Do: partitiontest.Reply(500, `{"detail":"no","retryable":false}`)})
		}
		far := &farCache{}
		params := partition.Params{Split: partition.Split{Narrow: true, AllowFailed: true, Concurrency: 1}}
		_, err := newClient(t, s, partition.WithCache(far)).Partition(t.Context(), pdf("a.pdf", 10), params)
		require.ErrorContains(t, err, "page")
		before := len(s.Requests())
		_, err = newClient(t, s, partition.WithCache(far)).Partition(t.Context(), pdf("a.pdf", 10), params)
		require.Error(t, err)
		for _, r := range s.Requests()[before:] {
			require.Equal(t, 1, r.Pages.Len(), r.Pages)
		}
		require.Len(t, s.Requests()[before:], 2)
	})
}

// Whenever a run is killed while it narrows, all that was stored is found: each answer before the
// kill, by a plan that narrows and by one that does not.
func TestB4HalvesAreFoundAfterAKill(t *testing.T) {
	for kept := range 14 {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			for _, page := range []int{2, 9} {
				s.Script(partitiontest.Fault{Pages: split.PageRange{First: page, Last: page}, Do: partitiontest.Reply(500, `{"detail":"no","retryable":false}`)})
			}
			killed := &killedCache{kept: int64(kept)}
			params := partition.Params{Split: partition.Split{Narrow: true, AllowFailed: true, Concurrency: 1}}
			_, err := newClient(t, s, partition.WithCache(killed)).Partition(t.Context(), pdf("a.pdf", 10), params)
			require.Error(t, err)
			answers := 0
			for _, entry := range killed.entries {
				if strings.HasPrefix(string(entry), "[") {
					answers++
				}
			}
			require.LessOrEqual(t, kept-answers, 8, "the others are notes")
			for _, narrow := range []bool{true, false} {
				params.Split.Narrow = narrow
				plan, err := newClient(t, s, partition.WithCache(&killed.memoryCache)).Plan(t.Context(), pdf("a.pdf", 10), params)
				require.NoError(t, err)
				require.Len(t, plan.Cached, answers, "after %d entries, narrow %t", kept, narrow)
			}
		})
	}
}

// A killedCache stores nothing after so many entries.
type killedCache struct {
	memoryCache
	kept, stored int64
}

func (k *killedCache) Put(ctx context.Context, key partition.Key, write func(io.Writer) error) error {
	if atomic.AddInt64(&k.stored, 1) > k.kept {
		return nil
	}
	return k.memoryCache.Put(ctx, key, write)
}

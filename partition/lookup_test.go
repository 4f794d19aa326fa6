package partition_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// The cache on disk has all that a cache may have.
var (
	_ partition.HasCache     = (*cache.Dir)(nil)
	_ partition.ScratchCache = (*cache.Dir)(nil)
)

// An askedCache is a memoryCache that can be asked for an entry without reading it.
type askedCache struct {
	memoryCache
	gets int
}

func (a *askedCache) Get(ctx context.Context, k partition.Key) (io.ReadCloser, error) {
	a.mu.Lock()
	a.gets++
	a.mu.Unlock()
	return a.memoryCache.Get(ctx, k)
}

func (a *askedCache) Has(_ context.Context, k partition.Key) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.entries[k] != nil
}

func bytesPDF(data []byte) *partition.Document {
	return partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data)))
}

// TestPlanSaysWhatTheNextRunSends looks after a first run with faults, and compares with what the
// next one sends.
func TestPlanSaysWhatTheNextRunSends(t *testing.T) {
	at := func(ranges ...split.PageRange) []split.PageRange { return ranges }
	bad := func(first, last int) partitiontest.Fault {
		return partitiontest.Fault{Pages: split.PageRange{First: first, Last: last}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)}
	}
	small := partitiontest.NewPDF(8)
	shared := partitiontest.NewPDF(30, partitiontest.WithSharedResource(1<<20))
	for name, test := range map[string]struct {
		data   []byte
		params partition.Params
		fault  partitiontest.Fault
		cached []split.PageRange
		left   []split.PageRange
	}{
		"a chunk failed": {
			data: small, params: partition.Params{Split: partition.Split{AllowFailed: true}}, fault: bad(3, 3),
			cached: at(split.PageRange{First: 1, Last: 2}, split.PageRange{First: 5, Last: 6}, split.PageRange{First: 7, Last: 8}),
			left:   at(split.PageRange{First: 3, Last: 4}),
		},
		"narrowed": {
			data: small, params: partition.Params{Split: partition.Split{AllowFailed: true, Narrow: true, Concurrency: 1}}, fault: bad(3, 3),
			cached: at(split.PageRange{First: 1, Last: 2}, split.PageRange{First: 4, Last: 4}, split.PageRange{First: 5, Last: 8}),
			left:   at(split.PageRange{First: 3, Last: 3}),
		},
		"whole":       {data: small, params: partition.Params{Split: partition.Split{Off: true}}, cached: at(split.PageRange{})},
		"never asked": {data: small, params: partition.Params{Split: partition.Split{Off: true}}, fault: bad(1, 8), left: at(split.PageRange{})},
		"whole for its size": {
			data: shared, cached: at(split.PageRange{First: 1, Last: 30}),
		},
		"cannot be cut": {
			data:   uncuttable(),
			cached: at(split.PageRange{First: 1, Last: 2}, split.PageRange{First: 3, Last: 4}, split.PageRange{First: 5, Last: 8}),
		},
		"no document": {data: []byte("a text"), cached: at(split.PageRange{})},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{Lenient: true}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(test.fault)
				cache := &askedCache{}
				c := newClient(t, s, partition.WithCache(cache))
				before, err := c.Plan(t.Context(), bytesPDF(test.data), test.params)
				require.NoError(t, err)
				require.Empty(t, before.Cached)
				require.Equal(t, before.Chunks, before.Left)
				byGet := newClient(t, s, partition.WithCache(&cache.memoryCache)) // which stores all that one that can be asked needs, and more
				_, _ = byGet.Partition(t.Context(), bytesPDF(test.data), test.params)
				sent, gets := len(s.Requests()), cache.gets

				for range 2 {
					plan, err := c.Plan(t.Context(), bytesPDF(test.data), test.params)
					require.NoError(t, err)
					require.Equal(t, test.cached, plan.Cached)
					require.Equal(t, test.left, plan.Left)
				}
				require.Len(t, s.Requests(), sent)
				require.Equal(t, gets, cache.gets, "nothing is read")
				slow, err := byGet.Plan(t.Context(), bytesPDF(test.data), test.params)
				require.NoError(t, err)
				require.Equal(t, test.cached, slow.Cached, "by Get")
				fresh, err := newClient(t, s, partition.WithCache(cache), partition.WithRefresh()).Plan(t.Context(), bytesPDF(test.data), test.params)
				require.NoError(t, err)
				require.Equal(t, fresh.Chunks, fresh.Left)
				none, err := newClient(t, s).Plan(t.Context(), bytesPDF(test.data), test.params)
				require.NoError(t, err)
				require.Equal(t, none.Chunks, none.Left)

				_, _ = c.Partition(t.Context(), bytesPDF(test.data), test.params)
				require.Len(t, s.Requests(), sent+len(test.left))
			})
		})
	}
}

func TestPlanOfTwoSteps(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s, partition.WithCache(&askedCache{}))
		_, err := c.Partition(t.Context(), pdf("a.pdf", 4), partition.Params{})
		require.NoError(t, err)
		plan, err := c.Plan(t.Context(), pdf("a.pdf", 4), partition.Params{
			ChunkingStrategy: "basic", MaxCharacters: new(500), Split: partition.Split{Scope: partition.ChunkingAfter},
		})
		require.NoError(t, err)
		require.True(t, plan.Chunking)
		require.Equal(t, plan.Chunks, plan.Cached)
		require.Empty(t, plan.Left)
		for _, strategy := range []string{"", "basic"} { // one request either way
			plan, err = c.Plan(t.Context(), pdf("a.pdf", 2), partition.Params{
				ChunkingStrategy: strategy, Split: partition.Split{Scope: partition.ChunkingAfter},
			})
			require.NoError(t, err)
			require.False(t, plan.Chunking)
		}
	})
}

package partitionotel_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitionotel"
	"github.com/quire-dev/quire/partition/partitiontest"
)

func TestCacheHits(t *testing.T) {
	record(t, partitionotel.Options{}, []partition.Option{partition.WithCache(&memoryCache{})}, func(t *testing.T, r *recorder) {
		for range 2 {
			require.NoError(t, r.partition(t.Context(), pdf("a.pdf", 4), partition.Params{}))
		}
		require.Equal(t, []string{
			"quire.cache.hits 2", "quire.elements 8", "quire.pages quire.cached=false 4", "quire.pages quire.cached=true 4",
		}, r.only("quire.cache.hits", "quire.elements", "quire.pages"))
		again := "caller\n  quire.document\n    quire.part quire.cached=true\n    quire.part quire.cached=true\n"
		require.Equal(t, again, r.trees("quire.cached")[1])
	})
}

// TestSilenceAndBrokenCache has a cache that knows nothing and takes nothing, and an attempt that is silent for longer than the 2
// minutes of the policy.
func TestSilenceAndBrokenCache(t *testing.T) {
	record(t, partitionotel.Options{}, []partition.Option{partition.WithCache(brokenCache{})}, func(t *testing.T, r *recorder) {
		r.server.Script(partitiontest.Fault{Do: partitiontest.Delay(3 * time.Minute)})
		require.NoError(t, r.partition(t.Context(), pdf("a.pdf", 1), partition.Params{}))
		require.Equal(t, []string{strings.TrimPrefix(`
caller
  quire.document
    * quire.cache_failed
    quire.part
      quire.attempt
        * quire.silence quire.wait=120
`, "\n")}, r.trees("quire.wait"))
	})
}

// memoryCache is a cache that forgets nothing.
type memoryCache struct{ answers sync.Map }

func (m *memoryCache) Get(_ context.Context, k partition.Key) (io.ReadCloser, error) {
	answer, ok := m.answers.Load(k)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(answer.([]byte))), nil
}

func (m *memoryCache) Put(_ context.Context, k partition.Key, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	m.answers.Store(k, b.Bytes())
	return nil
}

type brokenCache struct{}

func (brokenCache) Get(context.Context, partition.Key) (io.ReadCloser, error) {
	return nil, fs.ErrNotExist
}

func (brokenCache) Put(context.Context, partition.Key, func(io.Writer) error) error {
	return fs.ErrPermission
}

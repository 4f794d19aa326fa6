package partition_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// The same document three times at once is one bill, and the others say that theirs was cached.
func TestE7TheSameDocumentAtOnceIsPaidOnce(t *testing.T) {
	for name, options := range map[string][]partition.Option{"as usual": nil, "refresh": {partition.WithRefresh()}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
				c := newClient(t, s, append(options, partition.WithCache(&memoryCache{}))...)
				var all errgroup.Group
				hits := make([]int, 3)
				for i := range hits {
					all.Go(func() error {
						result, err := c.Partition(t.Context(), text("same"), partition.Params{})
						hits[i] = result.Report.CacheHits()
						return err
					})
				}
				require.NoError(t, all.Wait())
				require.Len(t, s.Requests(), 1)
				require.Equal(t, 2, hits[0]+hits[1]+hits[2])
			})
		})
	}
}

// Who waits for an answer gets the server's refusal, too; whoever comes later asks again.
func TestE7TheFailureOfTheFirstIsShared(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Chain(partitiontest.Delay(time.Minute), partitiontest.Reply(422, `{"detail":"no"}`)), Times: 1})
		c := newClient(t, s, partition.WithCache(&memoryCache{}))
		var all errgroup.Group
		var failed, hits atomic.Int32
		for range 5 {
			all.Go(func() error {
				result, err := c.Partition(t.Context(), text("same"), partition.Params{})
				hits.Add(int32(result.Report.CacheHits()))
				if err != nil {
					failed.Add(1)
					require.ErrorContains(t, err, "no")
				}
				return nil
			})
		}
		require.NoError(t, all.Wait())
		require.Len(t, s.Requests(), 1)
		require.EqualValues(t, 5, failed.Load())
		require.Zero(t, hits.Load())
		_, err := c.Partition(t.Context(), text("same"), partition.Params{})
		require.NoError(t, err)
	})
}

// Who waits leaves at once when its time is over; the others are not held up by that, nor by a
// first one that leaves.
func TestE7WhoLeavesHoldsNobodyUp(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		c := newClient(t, s, partition.WithCache(&memoryCache{}), partition.WithGrace(0))
		var all errgroup.Group
		start := time.Now()
		ends := make([]time.Duration, 4)
		for i, limit := range []time.Duration{30 * time.Second, 10 * time.Second, time.Hour, time.Hour} {
			all.Go(func() error {
				time.Sleep(time.Duration(i) * time.Second) // the first is first
				ctx, cancel := context.WithTimeout(t.Context(), limit-time.Duration(i)*time.Second)
				defer cancel()
				_, err := c.Partition(ctx, text("same"), partition.Params{})
				ends[i] = time.Since(start)
				require.Equal(t, i < 2, err != nil)
				return nil
			})
		}
		require.NoError(t, all.Wait())
		require.Equal(t, []time.Duration{30 * time.Second, 10 * time.Second, 90 * time.Second, 90 * time.Second}, ends)
		require.Len(t, s.Requests(), 2)
	})
}

// Each chunk of a document is paid once, however many copies of it are under way.
func TestE7CopiesOfAPDFArePaidOnce(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Minute)})
		c := newClient(t, s, partition.WithCache(&memoryCache{}), partition.WithMaxInFlight(2))
		var all errgroup.Group
		for range 20 {
			all.Go(func() error {
				document := pdf("a.pdf", 9)
				defer document.Close()
				result, err := c.Partition(t.Context(), document, partition.Params{Split: partition.Split{Concurrency: 3}})
				if err == nil && result.Report.Pages != 9 {
					err = errors.New("pages are missing")
				}
				return err
			})
		}
		require.NoError(t, all.Wait())
		seen := map[split.PageRange]int{}
		for _, r := range s.Requests() {
			seen[r.Pages]++
		}
		for pages, times := range seen {
			require.Equal(t, 1, times, pages)
		}
		require.Greater(t, len(seen), 1)
	})
}

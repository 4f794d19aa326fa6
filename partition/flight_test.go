package partition_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
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

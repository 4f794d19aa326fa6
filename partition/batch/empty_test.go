package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestA7EmptyOutcomes has an outcome for each empty document, which is done or has failed as the
// parameters want it. However many there are, they do not end a run.
func TestA7EmptyOutcomes(t *testing.T) {
	for _, fails := range []bool{false, true} {
		bubble(t, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, "[]")})
			documents := func(yield func(batch.Item) bool) {
				for item := range numbered(batch.HopelessAfter + 10) {
					item.Params.FailEmpty = fails
					if !yield(item) {
						return
					}
				}
			}
			n := 0
			for o := range batch.Run(t.Context(), newClient(t, s), documents, batch.Options{}) {
				n++
				require.True(t, o.Report.Empty, o.State)
				if fails {
					require.Equal(t, batch.Failed, o.State)
					require.Equal(t, partition.KindEmpty, o.Kind())
				} else {
					require.Equal(t, batch.Done, o.State)
					require.Len(t, o.Report.Warnings, 1)
				}
			}
			require.Equal(t, batch.HopelessAfter+10, n)
		})
	}
}

package partition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// A 200 that is whole and no partition answer is asked for twice; one that breaks off is another
// draw each time.
func TestD8NoPartitionAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		do       partitiontest.Action
		requests int
	}{
		"HTML":          {partitiontest.HTMLPage(200), 2},
		"object":        {partitiontest.Reply(200, `{"elements":[]}`), 2},
		"nothing":       {partitiontest.Empty(), 2},
		"text":          {partitiontest.Reply(200, "OK"), 2},
		"no status 200": {partitiontest.Reply(202, `[]`), 2},
		"truncated":     {partitiontest.Truncate(20), 4},
		"cut JSON":      {partitiontest.InvalidJSON(), 4},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: test.do})
				_, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
				require.Equal(t, partition.KindBadResponse, partition.KindOf(err))
				require.Len(t, s.Requests(), test.requests)
			})
		})
	}
}

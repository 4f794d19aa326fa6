package partition_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

func TestTallPagesAreSaid(t *testing.T) {
	data := bytes.ReplaceAll(partitiontest.NewPDF(3), []byte("792]"), []byte("5e3]"))
	data = []byte(strings.ReplaceAll(string(data), "5e3]", "5000]"))
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		plan, err := newClient(t, s).Plan(t.Context(), partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data))), partition.Params{Strategy: "hi_res"})
		require.NoError(t, err)
		require.Contains(t, strings.Join(plan.Warnings, "\n"), "page 2 is 5000 points high: strategy hi_res may fail on it")
	})
}

// TestSharedResourcesAreNotSentTwentyTimes holds what goes out against the document's size.
func TestSharedResourcesAreNotSentTwentyTimes(t *testing.T) {
	data := partitiontest.NewPDF(60, partitiontest.WithSharedResource(5<<20))
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		result, err := newClient(t, s).Partition(t.Context(), partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data))), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, upTo(1, 60), numbers(result.Elements))
		var sent int64
		for _, chunk := range result.Report.Chunks {
			for _, attempt := range chunk.Trace.Attempts {
				sent += attempt.BytesSent
			}
		}
		t.Logf("%d requests, %d bytes sent of a document of %d, %v", result.Report.Requests(), sent, len(data), result.Report.Warnings)
		require.LessOrEqual(t, sent, int64(2*len(data)))
	})
}

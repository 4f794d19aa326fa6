package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/partitiontest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bubble runs a test with a server under a fake clock. The bubble itself fails a test that leaves a
// goroutine behind.
func bubble(t *testing.T, test func(t *testing.T, s *partitiontest.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := partitiontest.NewServer(partitiontest.Options{Listener: partitiontest.NewPipeListener("")})
		defer s.Close()
		test(t, s)
	})
}

func newClient(t *testing.T, s *partitiontest.Server, options ...partition.Option) *partition.Client {
	t.Helper()
	c, err := partition.New(append([]partition.Option{
		partition.WithBaseURL(s.URL), partition.WithHTTPClient(s.Client()), partition.WithAPIKey(""),
	}, options...)...)
	require.NoError(t, err)
	return c
}

func text(name string) batch.Item {
	content := "A line."
	return batch.Document(partition.FromReaderAt(name, strings.NewReader(content), int64(len(content))), partition.Params{})
}

func pdf(name string, pages int) batch.Item {
	data := partitiontest.NewPDF(pages)
	return batch.Document(partition.FromReaderAt(name, bytes.NewReader(data), int64(len(data))), partition.Params{})
}

// numbered yields n small documents, 001.txt and so on.
func numbered(n int) iter.Seq[batch.Item] {
	return func(yield func(batch.Item) bool) {
		for i := range n {
			if !yield(text(fmt.Sprintf("%03d.txt", i+1))) {
				return
			}
		}
	}
}

// states runs documents and returns each outcome as "name state", with the reason for the end last.
func states(t *testing.T, client *partition.Client, documents iter.Seq[batch.Item], o batch.Options) (got []string, ended error) {
	t.Helper()
	return statesOf(t.Context(), client, documents, o)
}

func statesOf(ctx context.Context, client *partition.Client, documents iter.Seq[batch.Item], o batch.Options) (got []string, ended error) {
	for outcome := range batch.Run(ctx, client, documents, o) {
		if outcome.State == batch.Ended {
			ended = outcome.Err
			continue
		}
		got = append(got, outcome.Item.Name+" "+string(outcome.State))
	}
	return got, ended
}

// count counts the outcomes of each state.
func count(got []string) map[string]int {
	counts := map[string]int{}
	for _, line := range got {
		_, state, _ := strings.Cut(line, " ")
		counts[state]++
	}
	return counts
}

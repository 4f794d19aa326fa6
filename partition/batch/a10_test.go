package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// TestA10: a document of which some pages are missing is partial, whether or not failures are
// allowed, and all that was answered of it is there.
func TestA10(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		for _, streamed := range []bool{false, true} {
			bubble(t, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Chain(
					partitiontest.Delay(time.Second), partitiontest.Reply(500, `{"detail": "bad page", "retryable": false}`),
				)})
				item := pdf("stained.pdf", 10)
				item.Params.Split.AllowFailed = allowed
				client := newClient(t, s)
				var elements []element.Element
				options := batch.Options{}
				if streamed {
					options.Do = func(ctx context.Context, item batch.Item, d *partition.Document) (partition.Report, error) {
						return batch.Each(ctx, client, d, item.Params, func(e element.Element) error {
							elements = append(elements, e)
							return nil
						})
					}
				}
				var got []string
				for o := range batch.Run(t.Context(), client, slices.Values([]batch.Item{item}), options) {
					got = append(got, fmt.Sprint(o.State, o.Report.Missing))
					elements = append(elements, o.Elements...)
				}
				require.Equal(t, []string{"partial[3-4]"}, got)
				require.Len(t, elements, 8)
			})
		}
	}
}

// TestA10DeadServer: pages that the cache has do not make a server look alive.
func TestA10DeadServer(t *testing.T) {
	bubble(t, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 100}, Do: partitiontest.Reply(500, `{"detail": "no", "retryable": false}`)})
		client := newClient(t, s, partition.WithCache(&memoryCache{entries: map[partition.Key][]byte{}}))
		_, err := client.Partition(t.Context(), document("000.pdf"), partition.Params{Split: partition.Split{AllowFailed: true}})
		require.Error(t, err)
		documents := func(yield func(batch.Item) bool) {
			for i := 1; i <= 40 && yield(batch.Document(document(fmt.Sprintf("%03d.pdf", i)), partition.Params{})); i++ {
			}
		}
		got, ended := states(t, client, documents, batch.Options{Concurrency: 1})
		var hopeless *batch.HopelessError
		require.ErrorAs(t, ended, &hopeless)
		require.Equal(t, 20, count(got)["partial"])
	})
}

func document(name string) *partition.Document {
	data := partitiontest.NewPDF(4)
	return partition.FromReaderAt(name, bytes.NewReader(data), int64(len(data)), partition.WithName("a.pdf"))
}

package split

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/testdata/largepdf"
)

// The largest manual of the corpus, opened and cut up.
func BenchmarkSplit(b *testing.B) {
	found, err := filepath.Glob(filepath.Join("..", "..", "shared", "pdfs", "*_pgfmanual.pdf"))
	require.NoError(b, err)
	if len(found) == 0 {
		b.Skip("the corpus of real PDFs, ../shared/pdfs beside the checkout, is not here")
	}
	info, err := os.Stat(found[0])
	require.NoError(b, err)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		d, err := openFile(b, found[0], Options{})
		require.NoError(b, err)
		for _, r := range Plan(d.Pages(), 10) {
			c, err := d.Chunk(context.Background(), r)
			require.NoError(b, err)
			_, err = c.WriteTo(io.Discard)
			require.NoError(b, err)
		}
	}
}

// Chunks of one document, cut one after the other and two at once. The client cuts those of one
// document one after the other: a chunk takes a millisecond or two, and its request a hundred times
// that.
func BenchmarkChunksAtOnce(b *testing.B) {
	for name, document := range map[string]largepdf.Document{"scan": largepdf.Scan(1_000, 102_000), "short": largepdf.ShortPages(10_000)} {
		file := filepath.Join(b.TempDir(), "large.pdf")
		require.NoError(b, document.Write(file))
		for _, atOnce := range []int{1, 2} {
			b.Run(fmt.Sprint(name, "/", atOnce), func(b *testing.B) {
				d, err := openFile(b, file, Options{})
				require.NoError(b, err)
				chunks := 0
				for b.Loop() {
					var group errgroup.Group
					group.SetLimit(atOnce)
					for first := 1; first <= d.Pages(); first += maxChunkPages {
						chunks++
						group.Go(func() error {
							c, err := d.Chunk(context.Background(), PageRange{first, first + maxChunkPages - 1})
							if err == nil {
								_, err = c.WriteTo(io.Discard)
							}
							return err
						})
					}
					require.NoError(b, group.Wait())
				}
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(chunks), "ms/chunk")
			})
		}
	}
}

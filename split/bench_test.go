package split

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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

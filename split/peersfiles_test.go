//go:build conformance

package split

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/testdata/largepdf"
)

// shortPages is a file of very many pages with very little on each.
const shortPages = "short-44838p.pdf"

// benchFiles are what the engines are compared on: some of the corpus, where it is there, and files
// that are made on the spot.
func benchFiles(b *testing.B) []string {
	var files []string
	for _, pattern := range []string{"*_pgfmanual.pdf", "syn__sharedres_200p_10MB.pdf", "syn__sharedres_inherited_200p_10MB.pdf"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "shared", "pdfs", pattern))
		require.NoError(b, err)
		if len(found) == 0 {
			b.Logf("%s of ../shared/pdfs beside the checkout is not here, left out", pattern)
		}
		files = append(files, found...)
	}
	dir := b.TempDir()
	scan, text := filepath.Join(dir, "scan-1000p.pdf"), filepath.Join(dir, "text-10000p.pdf")
	random := rand.New(rand.NewChaCha8([32]byte{}))
	writeFile(b, scan, 1000, func(f *fileWriter, page int) string {
		image := make([]byte, 100_000)
		for i := range image {
			image[i] = byte(random.Uint32())
		}
		nr := f.stream("/Type/XObject/Subtype/Image/Width 1240/Height 1754/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode", image)
		content := f.stream("", []byte("q 595 0 0 842 0 0 cm /Im0 Do Q"))
		return fmt.Sprintf("/Contents %d 0 R/Resources<</XObject<</Im0 %d 0 R>>>>", content, nr)
	})
	writeFile(b, text, 10_000, func(f *fileWriter, page int) string {
		var lines bytes.Buffer
		z := zlib.NewWriter(&lines)
		fmt.Fprint(z, "BT /F1 10 Tf 50 800 Td 12 TL\n")
		for line := range 60 {
			fmt.Fprintf(z, "(Page %d line %d: %x %x) Tj T*\n", page, line, random.Uint64(), random.Uint32())
		}
		fmt.Fprint(z, "ET")
		require.NoError(b, z.Close())
		return fmt.Sprintf("/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>", f.stream("/Filter/FlateDecode", lines.Bytes()))
	})
	short := filepath.Join(dir, shortPages)
	require.NoError(b, largepdf.ShortPages(44_838).Write(short))
	return append(files, scan, text, short)
}

// BenchmarkManyPages cuts up 34 copies of the largest manual in one file, in a process of its own.
func BenchmarkManyPages(b *testing.B) {
	tool(b, "qpdf")
	found, err := filepath.Glob(filepath.Join("..", "..", "shared", "pdfs", "*_pgfmanual.pdf"))
	require.NoError(b, err)
	if len(found) == 0 {
		b.Skip("the corpus of real PDFs, ../shared/pdfs beside the checkout, is not here")
	}
	name := filepath.Join(b.TempDir(), "many.pdf")
	args := append([]string{"--object-streams=generate", "--empty", "--pages"}, slices.Repeat(found[:1], 34)...)
	_, err = output(b, "qpdf", append(args, "--", name)...)
	require.NoError(b, err)
	for b.Loop() {
		c := helper(b, "bomb", name)
		require.Equal(b, "split", c.output)
		b.ReportMetric(float64(c.peak)/1e6, "peak-MB")
		b.ReportMetric(c.cpu.Seconds(), "cpu-s")
	}
}

// fileWriter writes a PDF with a classic cross-reference table.
type fileWriter struct {
	w       *bufio.Writer
	at      int64
	offsets []int64
}

func (f *fileWriter) printf(format string, args ...any) {
	n, _ := fmt.Fprintf(f.w, format, args...) // Flush has the error
	f.at += int64(n)
}

func (f *fileWriter) start() int {
	f.offsets = append(f.offsets, f.at)
	f.printf("%d 0 obj\n", len(f.offsets))
	return len(f.offsets)
}

func (f *fileWriter) stream(dict string, data []byte) int {
	nr := f.start()
	f.printf("<<%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", dict, len(data), data)
	return nr
}

func writeFile(b *testing.B, name string, pages int, page func(f *fileWriter, nr int) string) {
	b.Helper()
	out, err := os.Create(name)
	require.NoError(b, err)
	f := &fileWriter{w: bufio.NewWriter(out)}
	f.printf("%%PDF-1.7\n")
	f.start()
	f.printf("<</Type/Catalog/Pages 2 0 R>>\nendobj\n")
	tree := len(f.offsets)
	f.offsets = append(f.offsets, 0)
	f.start()
	f.printf("<</Type/Font/Subtype/Type1/BaseFont/Courier>>\nendobj\n")
	var kids bytes.Buffer
	for i := range pages {
		entries := page(f, i+1)
		fmt.Fprintf(&kids, "%d 0 R ", f.start())
		f.printf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]%s>>\nendobj\n", entries)
	}
	f.offsets[tree] = f.at
	f.printf("2 0 obj\n<</Type/Pages/Count %d/Kids[%s]>>\nendobj\n", pages, kids.String())
	start := f.at
	f.printf("xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, at := range f.offsets {
		f.printf("%010d 00000 n \n", at)
	}
	f.printf("trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1, start)
	require.NoError(b, f.w.Flush())
	require.NoError(b, out.Close())
}

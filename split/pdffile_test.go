package split

import (
	"bytes"
	"compress/zlib"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pdfFile is a PDF being written by a test: objects by number from 1, the first of them the
// catalog.
type pdfFile struct {
	objects []string
	trailer string // further entries of the trailer
}

func (f *pdfFile) add(format string, args ...any) int {
	f.objects = append(f.objects, fmt.Sprintf(format, args...))
	return len(f.objects)
}

func (f *pdfFile) set(nr int, format string, args ...any) {
	f.objects[nr-1] = fmt.Sprintf(format, args...)
}

func (f *pdfFile) stream(dict string, data []byte) int {
	return f.add("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func (f *pdfFile) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(f.objects))
	for i, o := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(f.objects)+1)
	for _, off := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(f.objects)+1, f.trailer, start)
	return b.Bytes()
}

// manual is a document with pages that say their number, whose MediaBox, Resources and Rotate come
// from the node above.
func manual(pages int) *pdfFile {
	f := &pdfFile{}
	f.add("<</Type/Catalog/Pages 2 0 R>>")
	f.add("")
	font := f.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	var kids strings.Builder
	for i := range pages {
		content := f.stream("", fmt.Appendf(nil, "BT /F1 12 Tf 20 100 Td (Page %d) Tj ET", i+1))
		fmt.Fprintf(&kids, "%d 0 R ", f.add("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", content))
	}
	f.set(2, "<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 200 200]/Rotate 90/Resources<</Font<</F1 %d 0 R>>>>>>",
		pages, kids.String(), font)
	return f
}

// deflated returns head and n bytes, all c, as a zlib stream.
func deflated(t testing.TB, head string, c byte, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	require.NoError(t, err)
	_, err = w.Write([]byte(head))
	require.NoError(t, err)
	block := bytes.Repeat([]byte{c}, 1<<20)
	for ; n > 0; n -= len(block) {
		_, err = w.Write(block[:min(n, len(block))])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

var update = flag.Bool("update", false, "write the files that the tests compare with")

// The small PDF for examples is what this package's tests write.
func TestTestdata(t *testing.T) {
	name := filepath.Join("..", "testdata", "pdf", "five-pages.pdf")
	want := manual(5).bytes()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, want, 0o644))
	}
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

package partitiontest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// A PDFOption changes what [NewPDF] makes.
type PDFOption func(*pdfSpec)

type pdfSpec struct {
	text   func(page int) string
	shared int
}

// WithText sets the text of each page, counted from 1; a line feed starts a new line. Characters
// outside ASCII become question marks. Without it a page's text is "page 5".
func WithText(text func(page int) string) PDFOption { return func(s *pdfSpec) { s.text = text } }

// WithSharedResource adds an image of about n bytes that all pages share. Its bytes do not
// compress. A splitter that copies everything that a page refers to copies it into every chunk.
func WithSharedResource(n int) PDFOption { return func(s *pdfSpec) { s.shared = n } }

// NewPDF makes a small valid PDF of that many US letter pages, each with its page number as text.
// Equal arguments give equal bytes. With 0 pages, or fewer, the page tree is there and empty.
func NewPDF(pages int, options ...PDFOption) []byte {
	pages = max(pages, 0)
	s := pdfSpec{text: func(page int) string { return fmt.Sprintf("page %d", page) }}
	for _, o := range options {
		o(&s)
	}
	const catalog, tree, font, image, firstPage = 1, 2, 3, 4, 5
	var w pdfWriter
	w.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	w.object(catalog, "<< /Type /Catalog /Pages 2 0 R >>")
	kids := make([]string, pages)
	for i := range kids {
		kids[i] = fmt.Sprintf("%d 0 R", firstPage+2*i)
	}
	w.object(tree, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", pages, strings.Join(kids, " ")))
	w.object(font, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	resources := "/Font << /F1 3 0 R >>"
	draw := ""
	if s.shared > 0 {
		const width = 64
		height := (s.shared + width - 1) / width
		w.stream(image, fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8",
			width, height), noise(width*height))
		resources += " /XObject << /Im1 4 0 R >>"
		draw = "q 36 0 0 36 540 36 cm /Im1 Do Q\n"
	} else {
		w.object(image, "null")
	}
	for i := range pages {
		id := firstPage + 2*i
		w.object(id, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << %s >> /Contents %d 0 R >>",
			resources, id+1))
		w.stream(id+1, "", []byte(draw+pageText(s.text(i+1))))
	}
	w.finish()
	return w.Bytes()
}

func pageText(text string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 14 TL 72 720 Td\n")
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteByte('(')
		for _, r := range line {
			switch {
			case r == '(' || r == ')' || r == '\\':
				b.WriteByte('\\')
				b.WriteRune(r)
			case r < ' ' || r > '~':
				b.WriteByte('?')
			default:
				b.WriteRune(r)
			}
		}
		b.WriteString(") Tj T*\n")
	}
	b.WriteString("ET\n")
	return b.String()
}

func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b) // never fails
	return b
}

// pdfWriter writes the objects of a PDF, in the order of their numbers.
type pdfWriter struct {
	bytes.Buffer
	offsets []int
}

func (w *pdfWriter) object(id int, body string) {
	w.offsets = append(w.offsets, w.Len())
	fmt.Fprintf(w, "%d 0 obj\n%s\nendobj\n", id, body)
}

func (w *pdfWriter) stream(id int, entries string, content []byte) {
	w.offsets = append(w.offsets, w.Len())
	fmt.Fprintf(w, "%d 0 obj\n<< %s /Length %d >>\nstream\n", id, entries, len(content))
	w.Write(content)
	w.WriteString("\nendstream\nendobj\n")
}

// finish writes the table of objects and the trailer.
func (w *pdfWriter) finish() {
	start := w.Len()
	fmt.Fprintf(w, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		fmt.Fprintf(w, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(w, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, start)
}

// Package largepdf makes large PDFs for tests. Their pictures are holes in the file: they take no
// room on disk, and no time to write.
package largepdf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Document is a PDF that is to be written.
type Document struct {
	pages     int
	entries   func(w *writer, page int) string // writes what a page refers to, and returns its entries
	unneeded  int64
	tableless bool
}

// Scan is a scan: each page shows a picture of its own, of so many bytes.
func Scan(pages int, picture int64) Document {
	return Document{pages: pages, entries: func(w *writer, page int) string {
		image := w.picture(picture)
		return fmt.Sprintf("/Contents %d 0 R/Resources<</XObject<</Im0 %d 0 R>>>>", w.stream("q 595 0 0 842 0 0 cm /Im0 Do Q"), image)
	}}
}

// ShortPages is a document whose pages say their number, and nothing else.
func ShortPages(pages int) Document {
	return Document{pages: pages, entries: shortPage}
}

// Objects is a document of one page and so many small objects that it does not need.
func Objects(objects int) Document {
	return Document{pages: 1, entries: func(w *writer, page int) string {
		for i := range objects {
			w.start()
			w.printf("<</Nr %d/Text(An object that no page needs.)>>\nendobj\n", i)
		}
		return shortPage(w, page)
	}}
}

func shortPage(w *writer, page int) string {
	return fmt.Sprintf("/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>", w.stream(fmt.Sprintf("BT /F1 12 Tf 20 100 Td (Page %d) Tj ET", page)))
}

// WithUnneeded is the document with a picture of so many bytes that no page shows.
func (d Document) WithUnneeded(picture int64) Document {
	d.unneeded = picture
	return d
}

// WithoutTable is the document without a cross-reference table.
func (d Document) WithoutTable() Document {
	d.tableless = true
	return d
}

// Write writes the document to a new file.
func (d Document) Write(name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	w := &writer{file: file, text: bufio.NewWriter(file)}
	w.document(d)
	return errors.Join(w.err, w.text.Flush(), file.Close())
}

type writer struct {
	file    *os.File
	text    *bufio.Writer
	at      int64
	offsets []int64
	err     error
}

func (w *writer) printf(format string, args ...any) {
	n, _ := fmt.Fprintf(w.text, format, args...) // Flush has the error
	w.at += int64(n)
}

// skip leaves a hole.
func (w *writer) skip(n int64) {
	w.at += n
	flushed := w.text.Flush()
	_, err := w.file.Seek(n, io.SeekCurrent)
	w.err = errors.Join(w.err, flushed, err)
}

// start begins an object, and returns its number.
func (w *writer) start() int {
	w.offsets = append(w.offsets, w.at)
	w.printf("%d 0 obj\n", len(w.offsets))
	return len(w.offsets)
}

func (w *writer) picture(size int64) int {
	nr := w.start()
	w.printf("<</Type/XObject/Subtype/Image/Width 1240/Height 1754/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode/Length %d>>\nstream\n", size)
	w.skip(size)
	w.printf("\nendstream\nendobj\n")
	return nr
}

func (w *writer) stream(data string) int {
	nr := w.start()
	w.printf("<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(data), data)
	return nr
}

func (w *writer) document(d Document) {
	w.printf("%%PDF-1.7\n")
	w.start()
	w.printf("<</Type/Catalog/Pages 2 0 R>>\nendobj\n")
	tree := len(w.offsets)
	w.offsets = append(w.offsets, 0)
	w.start()
	w.printf("<</Type/Font/Subtype/Type1/BaseFont/Courier>>\nendobj\n")
	var kids strings.Builder
	for page := 1; page <= d.pages; page++ {
		entries := d.entries(w, page)
		fmt.Fprintf(&kids, "%d 0 R ", w.start())
		w.printf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]%s>>\nendobj\n", entries)
	}
	if d.unneeded > 0 {
		w.picture(d.unneeded)
	}
	w.offsets[tree] = w.at
	w.printf("2 0 obj\n<</Type/Pages/Count %d/Kids[%s]>>\nendobj\n", d.pages, kids.String())
	start := w.at
	if !d.tableless {
		w.printf("xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
		for _, at := range w.offsets {
			w.printf("%010d 00000 n \n", at)
		}
	}
	w.printf("trailer\n<</Size %d/Root 1 0 R>>\n", len(w.offsets)+1)
	if !d.tableless {
		w.printf("startxref\n%d\n%%%%EOF\n", start)
	}
}

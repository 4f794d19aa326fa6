// Package split cuts a PDF into page chunks.
//
// A document is parsed once, by [Open], and each chunk is cut when it is asked
// for, by [Document.Chunk]: a PDF of its own with the pages of a range and what
// they reach. The bytes of streams (images, fonts, page content) are passed
// through untouched, so that a page looks and reads the same in the chunk and
// in the whole.
//
// What belongs to the document as a whole is left behind: outline, structure
// tree, attachments, scripts, metadata, and links to pages of other chunks.
// The state of layers, the reading direction and the form fields of the chunk's
// own pages are kept.
//
// # Memory
//
// A parsed document is held in memory, see [ParseMemory]. A reader that leaves
// the bytes of streams on disk would bring scans from 1.3 times the file to about
// a chunk. It is not here yet. It would take:
//
//   - a reader of cross-reference tables and streams of our own, with the repair
//     of broken ones: pdfcpu's loads every object as soon as it has the table;
//   - pdfcpu's ParseObjectWithContext for single objects at an offset, which
//     leaves a stream where it is and says where;
//   - decryption of our own, at the time a chunk is cut: pdfcpu's is not exported;
//   - chunks whose parts are ranges of the file, which must stay open for them.
package split

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
)

// Options say how a document is opened. The zero value is ready to use.
type Options struct {
	// Password is the user or owner password, tried where the empty password
	// does not open the document. It appears in no error.
	Password string

	// Limits bound what the document may cost.
	Limits Limits
}

// Document is a parsed PDF. Its methods may be called from several goroutines
// at once.
type Document struct {
	table     atomic.Pointer[table] // nil once closed
	tree      tree
	encrypted bool
	warnings  []string
}

// IsPDF reports whether a file that starts with head is a PDF: "%PDF-" within
// the first 1,024 bytes, as readers have always accepted it.
func IsPDF(head []byte) bool {
	return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-"))
}

// Open parses the PDF of size bytes in r. It reads all of it: r is not used
// after Open has returned.
//
// The error is one of [ErrNotPDF], [ErrEncrypted], [ErrDamaged] (with
// [ErrNoPages]) and [ErrTooLarge], the error of r, or the cause of ctx.
func Open(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Document, error) {
	limits := o.Limits.withDefaults(size)
	if err := checkHead(r, size); err != nil {
		return nil, err
	}
	if size > limits.FileBytes {
		return nil, refuse(ErrTooLarge, "%d bytes, more than the %d to be held in memory (Limits.FileBytes)", size, limits.FileBytes)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Time,
		refuse(ErrTooLarge, "reading it takes longer than %v", limits.Time))
	defer cancel()

	t, err := read(ctx, r, size, o.Password, limits)
	if err != nil {
		return nil, err
	}
	d := &Document{encrypted: t.encrypted}
	d.table.Store(t)
	if err := guard(func() error { return d.prepare(ctx, t) }); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Document) prepare(ctx context.Context, t *table) error {
	if err := d.tree.walk(ctx, t); err != nil {
		return err
	}
	d.warnings = append(t.warnings, d.tree.warnings...)
	if len(t.lost) == 0 {
		return nil
	}
	// Whether the pages need what is lost is better known before the first
	// chunk is on its way.
	_, err := d.cut(ctx, t, PageRange{1, d.Pages()})
	return err
}

func checkHead(r io.ReaderAt, size int64) error {
	if size <= 0 {
		return refuse(ErrNotPDF, "the file is empty")
	}
	head := make([]byte, min(size, 1024))
	if n, err := r.ReadAt(head, 0); n < len(head) && err != nil {
		return err
	}
	if !IsPDF(head) {
		return refuse(ErrNotPDF, "no %%PDF- mark in its first 1,024 bytes")
	}
	return nil
}

// Pages returns the number of pages, at least 1. It is counted in the page
// tree; the document's own /Count is not believed.
func (d *Document) Pages() int { return len(d.tree.pages) }

// Encrypted reports whether the document is encrypted and was opened with the
// empty or the given password. Its chunks are written without encryption.
func (d *Document) Encrypted() bool { return d.encrypted }

// Warnings lists what was found wrong in the document, and passed over.
func (d *Document) Warnings() []string { return d.warnings }

// Close releases the parsed document. Chunks that were cut stay valid, later
// calls of [Document.Chunk] fail with [os.ErrClosed]. It always returns nil.
func (d *Document) Close() error {
	d.table.Store(nil)
	return nil
}

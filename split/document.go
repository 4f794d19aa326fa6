// Package split cuts a PDF into page chunks.
//
// [Open] finds the objects and pages of a document. [Document.Chunk] cuts a chunk: a separate PDF
// with a range of pages and everything that they refer to. It copies the bytes of streams (images,
// fonts, page content) unchanged, so that a page looks and reads the same in the chunk and in the
// document.
//
// A chunk does not have what belongs to the whole document: outline, structure tree, attachments,
// scripts, metadata, and links to pages of other chunks. It keeps the state of layers, the reading
// direction and the form fields of its own pages.
//
// # How it works
//
// [Open] reads the cross-reference table of the file and walks the page tree. If the table is
// broken, it searches the file for objects. An object is parsed when it is needed, and dropped soon
// after. Streams stay in the file: a chunk consists of short pieces in memory and of ranges of the
// file, which are decrypted, if necessary, while they are read. So the memory that a document takes
// is about that of its table, its page tree, 24 MiB of inflated object streams and 4 MiB of names
// that its contents use, whatever the size of the file. Several chunks may be cut at once.
//
// If a file of up to 8 MiB is too damaged for this, pdfcpu parses it whole: see [Document.Reader].
package split

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Options are the settings of [Open]. The zero value is ready to use.
type Options struct {
	// Password is the user or owner password. It is tried if the empty password does not open the
	// document. It appears in no error.
	Password string

	// Limits limit the memory and time that the document may take.
	Limits Limits
}

// Document is an open PDF. Its methods may be called from several goroutines at once.
type Document struct {
	table     atomic.Pointer[table] // nil once closed
	tree      tree
	reader    Reader
	encrypted bool
	repaired  map[int]bool // streams with a wrong length
	warnings  []string
}

// IsPDF reports whether a file that starts with head is a PDF. It looks for "%PDF-" in the first
// 1,024 bytes, as PDF readers do.
func IsPDF(head []byte) bool {
	return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-"))
}

// Open reads the structure of a PDF in the first size bytes of r. The document and its chunks read
// from r as long as they are in use, so its content must not change. Several goroutines may read
// from r at once.
//
// The error is one of [ErrNotPDF] (also for a size of 0 or less), [ErrEncrypted], [ErrDamaged] (with
// [ErrNoPages]) and [ErrTooLarge], the error of r, or the cause of ctx. When ctx ends, Open returns at once. One
// ReadAt of r may still be under way then, but no other starts.
func Open(ctx context.Context, r io.ReaderAt, size int64, o Options) (*Document, error) {
	if r == nil {
		return nil, errors.New("split: the reader is nil")
	}
	limits := o.Limits.withDefaults(size)
	return within(ctx, func() (*Document, error) {
		src := newSource(ctx, r, size)
		if err := checkHead(src); err != nil {
			return nil, err
		}
		d, err := open(src, o.Password, limits, read)
		if !errors.Is(err, ErrDamaged) || isSure(err) || size > largestWhole {
			return d, err
		}
		if d, err := open(src, o.Password, limits, readWhole); err == nil || src.err != nil {
			return d, err
		}
		return nil, err
	})
}

// isSure reports whether what is wrong with a document is wrong however it is read.
func isSure(err error) bool {
	return errors.Is(err, errLocked) || errors.Is(err, errIncomplete) || errors.Is(err, errCutOff)
}

// open reads a document in one of the ways.
func open(
	src *source, password string, limits Limits, read func(*source, string, Limits) (*table, error),
) (*Document, error) {
	d := &Document{}
	err := guard(func() error {
		t, err := read(src, password, limits)
		if err != nil {
			return err
		}
		src.repaired = map[int]bool{}
		d.reader, d.encrypted = t.reader, t.crypt != nil
		if err := d.tree.walk(src, t); err != nil {
			return err
		}
		if t.doubtful || t.crypt != nil {
			if err := t.tryStreams(src, &d.tree); err != nil {
				return err
			}
		}
		d.warnings, d.repaired = d.tree.warnings, src.repaired
		if n := len(d.repaired); n > 0 {
			d.warnings = append(d.warnings, fmt.Sprintf("streams with a wrong length, repaired: %d", n))
		}
		d.table.Store(t)
		return d.prove(src, t)
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// prove cuts up a document that does not say by itself where all its objects are. Whether its pages
// need what is lost is better known before the first chunk is on its way.
func (d *Document) prove(src *source, t *table) error {
	const step = 20
	for first := 1; t.doubtful && first <= d.Pages(); first += step {
		if _, err := d.cut(src.ctx, t, PageRange{first, min(first+step-1, d.Pages())}); err != nil {
			return err
		}
	}
	return nil
}

func checkHead(src *source) error {
	if src.size <= 0 {
		return refuse(ErrNotPDF, "the file is empty")
	}
	head := src.peek(0, 1024)
	if src.err != nil {
		return src.err
	}
	if !IsPDF(head) {
		return refuse(ErrNotPDF, "no %%PDF- mark in its first 1,024 bytes")
	}
	return nil
}

// Pages returns the number of pages, at least 1. It counts the pages in the page tree and ignores
// the document's /Count.
func (d *Document) Pages() int { return len(d.tree.pages) }

// Reader returns how the document was read. This does not change its chunks.
func (d *Document) Reader() Reader { return d.reader }

// Encrypted reports whether the pages are encrypted and were opened with the empty or the given
// password. Chunks are written without encryption.
func (d *Document) Encrypted() bool { return d.encrypted }

// Warnings lists the errors that were found in the document and ignored.
func (d *Document) Warnings() []string { return d.warnings }

// Close frees the document's memory. Existing chunks stay valid; later calls of [Document.Chunk]
// fail with [os.ErrClosed]. It always returns nil, and does not close the reader.
func (d *Document) Close() error {
	d.table.Store(nil)
	return nil
}

package split

import (
	"context"
	"errors"
	"io"
	"os"
	"sort"
)

// Chunk is a PDF with a run of pages of a [Document]. It does not change: its
// methods may be called from several goroutines at once, and any number of
// readers may read it from the start, with
// io.NewSectionReader(chunk, 0, chunk.Size()).
type Chunk struct {
	pages    PageRange
	parts    [][]byte // the file; the longer streams are the document's own bytes
	ends     []int64  // where each part ends
	warnings []string
}

// Chunk cuts the pages r out of the document, into memory. The bytes depend on
// the document and the range alone.
//
// The error is one of [ErrPages], [ErrDamaged] and [ErrTooLarge], the cause of
// ctx, or [os.ErrClosed]. A chunk can be refused after others of the document
// were cut: a compressed object is not read before a page needs it. None of the
// 205 documents of the project's corpus is refused so late.
func (d *Document) Chunk(ctx context.Context, r PageRange) (*Chunk, error) {
	if r.Len() == 0 || r.Last > d.Pages() {
		return nil, refuse(ErrPages, "pages %s of a document with %d pages", r, d.Pages())
	}
	t := d.table.Load()
	if t == nil {
		return nil, os.ErrClosed
	}
	var c *Chunk
	err := guard(func() (err error) {
		c, err = d.cut(ctx, t, r)
		return err
	})
	return c, err
}

// Pages returns the range that the chunk was cut for.
func (c *Chunk) Pages() PageRange { return c.pages }

// Size returns the exact length in bytes.
func (c *Chunk) Size() int64 {
	if len(c.ends) == 0 {
		return 0
	}
	return c.ends[len(c.ends)-1]
}

// Warnings lists what was found wrong in these pages, and passed over.
func (c *Chunk) Warnings() []string { return c.warnings }

// WriteTo writes the whole chunk.
func (c *Chunk) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for _, p := range c.parts {
		n, err := w.Write(p)
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// ReadAt reads from the chunk as from a file; see [io.ReaderAt].
func (c *Chunk) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("split: negative offset")
	}
	i := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > off })
	n := 0
	for ; i < len(c.parts) && n < len(p); i++ {
		start := c.ends[i] - int64(len(c.parts[i]))
		n += copy(p[n:], c.parts[i][off+int64(n)-start:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (c *Chunk) add(part []byte) {
	if len(part) > 0 {
		c.parts = append(c.parts, part)
		c.ends = append(c.ends, c.Size()+int64(len(part)))
	}
}

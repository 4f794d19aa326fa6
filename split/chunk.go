package split

import (
	"context"
	"errors"
	"io"
	"os"
	"sort"
	"sync"
)

// Chunk is a PDF with a run of pages of a [Document]. It does not change, so several goroutines may
// call its methods at once. To read it from the start, any number of times, use
// io.NewSectionReader(chunk, 0, chunk.Size()).
//
// Reading a chunk reads the longer streams from the document's file. So the file must stay open and
// unchanged as long as the chunk is in use.
type Chunk struct {
	pages    PageRange
	spans    []span
	ends     []int64 // where each span ends
	warnings []string
}

// span is a piece of a chunk: bytes, or a range of the document's file.
type span struct {
	bytes []byte
	file  io.ReaderAt // nil for bytes
	size  int64
}

// Chunk returns a PDF with the pages r of the document. Its bytes depend on the document and the
// range alone.
//
// The error is one of [ErrPages], [ErrDamaged] and [ErrTooLarge], the error of the document's
// reader, the cause of ctx, or [os.ErrClosed]. Chunk can fail even if it cut other chunks of the
// document before, because objects are read only when a page needs them. When ctx ends, Chunk
// returns at once, like Open.
func (d *Document) Chunk(ctx context.Context, r PageRange) (*Chunk, error) {
	if r.Len() == 0 || r.Last > d.Pages() {
		return nil, refuse(ErrPages, "pages %s of a document with %d pages", r, d.Pages())
	}
	t := d.table.Load()
	if t == nil {
		return nil, os.ErrClosed
	}
	return within(ctx, func() (*Chunk, error) { return d.cut(ctx, t, r) })
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

// Warnings lists the errors that were found in these pages and ignored.
func (c *Chunk) Warnings() []string { return c.warnings }

var copyBuffers = sync.Pool{New: func() any { return new([copySize]byte) }}

// WriteTo writes the whole chunk. The error comes from w or from the document's reader.
func (c *Chunk) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for _, s := range c.spans {
		n, err := s.writeTo(w)
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

func (s span) writeTo(w io.Writer) (written int64, err error) {
	if s.file == nil {
		n, err := w.Write(s.bytes)
		return int64(n), err
	}
	buf := copyBuffers.Get().(*[copySize]byte)
	defer copyBuffers.Put(buf)
	for written < s.size {
		b := buf[:min(copySize, s.size-written)]
		if n, err := s.file.ReadAt(b, written); n < len(b) {
			return written, noEOF(err)
		}
		n, err := w.Write(b)
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
	for ; i < len(c.spans) && n < len(p); i++ {
		at := off + int64(n) - (c.ends[i] - c.spans[i].size)
		got, err := c.spans[i].readAt(p[n:], at)
		n += got
		if err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readAt reads from a span up to its end.
func (s span) readAt(b []byte, off int64) (int, error) {
	if s.file == nil {
		return copy(b, s.bytes[off:]), nil
	}
	b = b[:min(int64(len(b)), s.size-off)]
	n, err := s.file.ReadAt(b, off)
	if n < len(b) {
		return n, noEOF(err)
	}
	return n, nil
}

func (c *Chunk) add(s span) {
	if s.size > 0 {
		c.spans = append(c.spans, s)
		c.ends = append(c.ends, c.Size()+s.size)
	}
}

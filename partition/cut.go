package partition

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/quire-dev/quire/split"
)

// A cutError is a chunk that the splitter could not write.
type cutError struct {
	pages split.PageRange
	err   error
}

func (e *cutError) Error() string {
	return fmt.Sprintf("pages %s cannot be cut: %s", e.pages, e.err)
}
func (e *cutError) Unwrap() error { return e.err }

// A content is what a chunk's request carries as its file.
type content struct {
	io.ReaderAt
	size int64
	free func()
}

// smallChunk is the size, in bytes, up to which a chunk may be larger than its document: a file of
// little more than its frame.
const smallChunk = 1 << 20

// cut makes the content of a chunk: the document itself, or some pages of it in memory or in a
// file.
func (j *job) cut(ctx context.Context, c *chunk) (*content, error) {
	if c.pages == (split.PageRange{}) {
		return &content{j.source, j.size, func() {}}, nil
	}
	pdf, err := j.pdf.Chunk(ctx, c.pages)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &cutError{c.pages, err}
	}
	if size := pdf.Size(); size > j.size && size > smallChunk && j.canGoWhole() {
		return nil, &cutError{c.pages, fmt.Errorf("the chunk would have %d bytes, the document has %d", size, j.size)}
	}
	c.report.Warnings = pdf.Warnings()
	if !j.scratch.Disk {
		return &content{pdf, pdf.Size(), func() {}}, nil
	}
	return j.spill(pdf)
}

// spill writes a chunk to a file.
func (j *job) spill(pdf *split.Chunk) (*content, error) {
	store := j.scratch.NewStore()
	w, err := store.Create()
	if err != nil {
		return nil, err
	}
	_, err = pdf.WriteTo(w)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	r, err := store.Open()
	if err != nil {
		return nil, err
	}
	return &content{r, pdf.Size(), func() {
		_ = r.Close() // it was only read
		store.Remove()
	}}, nil
}

// canGoWhole reports whether the whole document in one request is the same as its chunks together.
func (j *job) canGoWhole() bool {
	return j.params.Split.Pages == (split.PageRange{}) && j.params.Split.Password == ""
}

// sendWhole puts the whole document in place of a chunk that cannot be cut, and of all chunks
// behind it: of its answer their pages are taken.
func (j *job) sendWhole(c *chunk, why string) {
	j.warning = fmt.Sprintf("%s: sent whole, for the pages from %d on", why, c.pages.First)
	j.wholeFrom(c)
}

// sendSmaller sends the whole document in place of all chunks where those would have more than
// twice its bytes in all, and the first is not yet answered.
func (j *job) sendSmaller(ctx context.Context) {
	first := j.chunks[0]
	if j.has(ctx, first.pages) {
		return
	}
	if total := j.bulk(ctx); total > 0 {
		j.warning = fmt.Sprintf("its chunks would have about %d bytes in all, but the document has %d: sent whole", total, j.size)
		j.wholeFrom(first)
	}
}

func (j *job) wholeFrom(c *chunk) {
	for _, later := range j.chunks[slices.Index(j.chunks, c)+1:] {
		later.spared = true // those before may be read already
	}
	c.pages, c.from = split.PageRange{}, c.pages.First
	c.report.Pages = j.covers(c)
}

// bulk returns about how many bytes the chunks of a document would have in all, where they share so
// much that this is more than twice the document; else 0. The first and the last one tell.
func (j *job) bulk(ctx context.Context) int64 {
	n := int64(len(j.chunks))
	if n < 3 || j.size < smallChunk || !j.canGoWhole() {
		return 0
	}
	both := int64(0)
	for _, c := range []*chunk{j.chunks[0], j.chunks[n-1]} {
		pdf, err := j.pdf.Chunk(ctx, c.pages)
		if err != nil || pdf.Size() < j.size/2 {
			return 0 // the usual case ends with the first
		}
		both += pdf.Size()
	}
	if total := both * n / 2; total > 2*j.size {
		return total
	}
	return 0
}

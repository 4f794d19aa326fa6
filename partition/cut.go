package partition

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"sync/atomic"

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

// A content is what a chunk's request carries as its file. The request is not completed, so that
// the server does nothing with it, where what was read of the document is not all of one version.
type content struct {
	io.ReaderAt
	size  int64
	free  func()
	check func(sum string) error // tells a change; sum is the hash of the whole document, "" if it is not known
	whole bool                   // the document as it is
	sent  atomic.Bool            // to its end, at least once
}

// open returns a reader from the beginning.
func (c *content) open() io.Reader {
	r := &checkedReader{Reader: io.NewSectionReader(c.ReaderAt, 0, c.size), content: c}
	if c.whole {
		r.sum = sha256.New()
	}
	return r
}

// unchanged reports whether a request with the content that was answered was complete, or could have
// been.
func (c *content) unchanged() bool { return c.sent.Load() || c.check("") == nil }

// A checkedReader passes the end of a content on only if it is what it should be.
type checkedReader struct {
	io.Reader
	content *content
	sum     hash.Hash // nil unless it is the document as it is
}

// Read reads as [io.Reader] says.
func (r *checkedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.sum != nil {
		r.sum.Write(p[:n])
	}
	if err == nil {
		return n, nil
	}
	sum := ""
	if r.sum != nil {
		sum = hex.EncodeToString(r.sum.Sum(nil))
	}
	if wrong := r.content.check(sum); wrong != nil {
		return n, wrong
	}
	r.content.sent.Store(err == io.EOF)
	return n, err
}

// smallChunk is the size, in bytes, up to which a chunk may be larger than its document: a file of
// little more than its frame.
const smallChunk = 1 << 20

// cut makes the content of a chunk: the document itself, or some pages of it in memory or in a
// file.
func (j *job) cut(ctx context.Context, c *chunk) (*content, error) {
	if c.pages == (split.PageRange{}) {
		return j.document(), nil
	}
	pdf, err := j.pdf.Chunk(ctx, c.pages)
	if err != nil {
		if changed := j.version.verify(ctx); changed != nil && ctx.Err() == nil {
			return nil, changed
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !isDocuments(err) {
			return nil, localError(j.plan.Document, err)
		}
		return nil, &cutError{c.pages, err}
	}
	if size := pdf.Size(); size > j.version.size && size > smallChunk && j.canGoWhole() {
		return nil, &cutError{c.pages, fmt.Errorf("the chunk would have %d bytes, the document has %d", size, j.version.size)}
	}
	c.report.Warnings = pdf.Warnings()
	if !j.scratch.Disk {
		check := func(string) error { return j.version.verify(j.paid) }
		return &content{ReaderAt: pdf, size: pdf.Size(), free: func() {}, check: check}, nil
	}
	spilled, err := j.spill(pdf)
	if changed := j.version.verify(ctx); changed != nil && ctx.Err() == nil {
		if err == nil {
			spilled.free()
		}
		return nil, changed
	}
	return spilled, err
}

// document is the content of a document that goes as it is.
func (j *job) document() *content {
	return &content{
		ReaderAt: j.version.source, size: j.version.size, free: func() {}, whole: true,
		check: func(sum string) error {
			if sum == "" {
				return j.version.verify(j.paid)
			}
			return j.version.confirm(sum)
		},
	}
}

// spill writes a chunk to a file.
func (j *job) spill(pdf *split.Chunk) (*content, error) {
	store := j.scratch.NewStore()
	if _, err := pdf.WriteTo(store.Create()); err != nil {
		store.Remove()
		return nil, err
	}
	return &content{ReaderAt: store.Open(), size: pdf.Size(), check: func(string) error { return nil }, free: store.Remove}, nil
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
		j.warning = fmt.Sprintf("its chunks would have about %d bytes in all, but the document has %d: sent whole", total, j.version.size)
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
	if n < 3 || j.version.size < smallChunk || !j.canGoWhole() {
		return 0
	}
	both := int64(0)
	for _, c := range []*chunk{j.chunks[0], j.chunks[n-1]} {
		pdf, err := j.pdf.Chunk(ctx, c.pages)
		if err != nil || pdf.Size() < j.version.size/2 {
			return 0 // the usual case ends with the first
		}
		both += pdf.Size()
	}
	if total := both * n / 2; total > 2*j.version.size {
		return total
	}
	return 0
}

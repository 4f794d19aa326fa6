package partition

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/partition/internal/media"
	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/split"
)

// A Plan says what will be sent for a document. Except for Cached and Left it depends on the
// document and the parameters alone.
type Plan struct {
	// Document is the document's name, as it was given.
	Document string
	// MediaType is the media type of the file that is sent.
	MediaType string
	// Pages is how many pages the document has; 0 if only the server can tell.
	Pages int
	// Chunks are in page order; a single zero range means the whole document.
	Chunks []split.PageRange
	// Warnings say what differs from what the caller might expect, one line each.
	Warnings []string
	// Chunking says that one more request follows, for text chunking of all elements: see
	// [ChunkingAfter].
	Chunking bool
	// Cached lists the chunks that the client's cache answers; Left lists those that remain to be
	// sent. Both are in page order. If a chunk was narrowed in an earlier run, its halves are
	// listed instead. Without a cache, Left has all chunks.
	Cached, Left []split.PageRange
	// Narrowing is the most requests that a page that always fails may add, with [Split.Narrow]:
	// 2·ceil(log2 n) for the n pages of the largest chunk. 0 without Narrow, or if no chunk can be
	// narrowed.
	Narrowing int
}

// whole reports whether the document goes as it is, in one request.
func (p *Plan) whole() bool { return len(p.Chunks) == 1 && p.Chunks[0] == split.PageRange{} }

// Plan returns what [Client.Stream] would send, without sending anything. Plan.Left leaves out the
// chunks that the client's cache answers. A document that Stream would refuse is a [DocumentError].
// If the client has a cache, Plan reads the whole document.
func (c *Client) Plan(ctx context.Context, d *Document, p Params) (*Plan, error) {
	if err := c.checkCall(ctx, d); err != nil {
		return nil, err
	}
	j, err := c.prepare(ctx, d, p)
	for KindOf(err) == KindChanged && d.renewable() {
		j, err = c.prepare(ctx, d, p)
	}
	if err != nil {
		return nil, err
	}
	defer j.close()
	plan := j.plan
	if j.chunksAfter() {
		if err := j.firstStep(); err != nil {
			return nil, err
		}
	}
	j.makeChunks()
	defer func() { _ = j.scratch.Close() }() // what stays is in the system's directory for temporary files
	plan.Cached, plan.Left = j.lookUp(ctx)
	if ctx.Err() != nil {
		return nil, canceled(ctx, d.name)
	}
	return &plan, nil
}

// lookUp goes the way of the chunks without sending: what the cache answers, and what would go out.
func (j *job) lookUp(ctx context.Context) (cached, left []split.PageRange) {
	whole := len(j.chunks) > 1 && j.canGoWhole() && j.has(ctx, split.PageRange{})
	for i, c := range j.chunks {
		if whole && !j.has(ctx, c.pages) && (i == 0 && j.bulk(ctx) > 0 || j.uncuttable(ctx, c)) {
			return append(cached, split.PageRange{First: c.pages.First, Last: j.requested().Last}), left
		}
		answered, missing := j.lookUpChunk(ctx, c.pages)
		cached, left = append(cached, answered...), append(left, missing...)
	}
	return cached, left
}

func (j *job) lookUpChunk(ctx context.Context, pages split.PageRange) (cached, left []split.PageRange) {
	switch {
	case j.has(ctx, pages):
		return []split.PageRange{pages}, nil
	case !j.hasHalves(ctx, pages):
		return nil, []split.PageRange{pages}
	}
	for _, half := range halves(j.span(pages)) {
		answered, missing := j.lookUpChunk(ctx, half)
		cached, left = append(cached, answered...), append(left, missing...)
	}
	return cached, left
}

func (j *job) uncuttable(ctx context.Context, c *chunk) bool {
	content, err := j.cut(ctx, c)
	if err == nil {
		content.free()
	}
	cut := (*cutError)(nil)
	return errors.As(err, &cut)
}

// prepare opens the document and decides what to send.
func (c *Client) prepare(ctx context.Context, d *Document, p Params) (_ *job, err error) {
	fail := func(kind Kind, err error) (*job, error) {
		return nil, &DocumentError{Document: d.name, Kind: kind, Err: err}
	}
	v, err := d.renewed()
	if err != nil {
		return nil, localError(d.name, err)
	}
	release := sync.OnceFunc(func() { d.release(v) })
	defer func() {
		if err != nil {
			release()
		}
	}()
	if v.size == 0 {
		return fail(KindBadDocument, errEmptyDocument)
	}
	if err := p.check(); err != nil {
		return fail(KindBadRequest, err)
	}
	fields, err := p.fields()
	if err != nil {
		return fail(KindBadRequest, err)
	}
	found, err := media.Detect(d.name, v.source, v.size)
	if err != nil {
		return nil, localError(d.name, err)
	}
	mediaType := found
	if d.mediaType != "" {
		mediaType = d.mediaType
	}
	j := &job{
		client: c, secrets: c.redactor.With(string(p.ContextualAuth), string(p.Split.Password)),
		plan:   Plan{Document: d.name, MediaType: mediaType, Chunks: []split.PageRange{{}}},
		params: p, fields: fields, name: d.wireName(mediaType), version: v, release: release,
	}
	if media.OfName(d.name) == media.PDF && found != media.PDF {
		j.warn("named .pdf but its content is not a PDF: sent as %s", mediaType)
	}
	if c.cache != nil || found == media.PDF && v.needsHash() {
		if j.sha256, err = v.hash(ctx); err != nil {
			return nil, localError(d.name, err)
		}
	}
	if mediaType != media.PDF || found != media.PDF {
		if p.Split.Pages != (split.PageRange{}) {
			return fail(KindBadRequest, fmt.Errorf("page range %s: only a PDF can be cut, this is %s", p.Split.Pages, mediaType))
		}
		return j, nil
	}
	if err := j.planPDF(ctx); err != nil {
		j.close()
		if ctx.Err() != nil {
			return nil, canceled(ctx, d.name)
		}
		return nil, err
	}
	return j, nil
}

// planPDF reads the pages of a PDF and cuts the plan. What the splitter cannot read goes whole, and
// the server judges.
func (j *job) planPDF(ctx context.Context) error {
	s := j.params.Split
	fail := func(kind Kind, err error) error {
		return &DocumentError{Document: j.plan.Document, Kind: kind, Err: err}
	}
	pdf, err := split.Open(ctx, j.version.source, j.version.size, split.Options{Password: string(s.Password)})
	switch changed := j.version.verify(ctx); {
	case ctx.Err() != nil:
		return ctx.Err()
	case changed != nil:
		return localError(j.plan.Document, changed)
	case errors.Is(err, split.ErrEncrypted):
		return fail(KindBadDocument, err)
	case err != nil && !isDocuments(err):
		return localError(j.plan.Document, err)
	case err != nil && s.Pages != split.PageRange{}:
		return fail(KindBadDocument, fmt.Errorf("page range %s: %w", s.Pages, err))
	case err != nil:
		j.warn("cannot be cut into chunks, sent whole: %s", text.Printable(err.Error()))
		return nil
	}
	j.pdf = pdf
	j.plan.Pages = pdf.Pages()
	wanted := split.PageRange{First: 1, Last: pdf.Pages()}
	if s.Pages != (split.PageRange{}) {
		wanted = s.Pages
		if wanted.First < 1 || wanted.Last < wanted.First || wanted.Last > pdf.Pages() {
			return fail(KindBadRequest, fmt.Errorf("page range %s: the document has pages 1-%d", wanted, pdf.Pages()))
		}
	}
	if j.params.Strategy == "hi_res" {
		j.warnTall(wanted)
	}
	if s.MaxPages > 0 && wanted.Len() > s.MaxPages {
		return fail(KindTooLarge, fmt.Errorf("%s, more than the limit of %d", text.Count(wanted.Len(), "page"), s.MaxPages))
	}
	requests := []split.PageRange{wanted}
	if reason := j.wholeBecause(); reason != "" {
		if len(wanted.Plan(form.Concurrency(s.Concurrency))) > 1 {
			j.warn("%s: sent in one request", reason)
		}
	} else if !s.Off {
		requests = wanted.Plan(form.Concurrency(s.Concurrency))
	}
	if s.Narrow && j.wholeBecause() == "" {
		j.plan.Narrowing = 2 * bits.Len(uint(requests[0].Len()-1)) // the first is the largest
	}
	if len(requests) == 1 && wanted.Len() == pdf.Pages() && s.Password == "" {
		return nil // as it is
	}
	j.plan.Chunks = requests
	j.plan.Chunking = j.chunksAfter()
	return nil
}

// isDocuments reports whether an error of the splitter is about the document: else it is the disk's,
// which another time may work.
func isDocuments(err error) bool {
	return errors.Is(err, split.ErrDamaged) || errors.Is(err, split.ErrTooLarge) || errors.Is(err, split.ErrNotPDF)
}

// tallest is the height of a page, in points, above which strategy hi_res is known to fail. The
// official client cuts such pages off, and says nothing.
const tallest = 4000

func (j *job) warnTall(wanted split.PageRange) {
	heights, err := j.pdf.Heights()
	if err != nil {
		return // what is wrong shows when the pages are cut
	}
	for page := wanted.First; page <= wanted.Last; page++ {
		if heights[page-1] >= tallest {
			j.warn("page %d is %.0f points high: strategy hi_res may fail on it", page, heights[page-1])
		}
	}
}

// wholeBecause names the parameter that the server applies to each request by itself, so that
// cutting would change the result.
func (j *job) wholeBecause() string {
	switch {
	case j.params.OutputFormat == OutputCSV:
		return "output_format text/csv"
	case j.params.ChunkingStrategy != "" && (j.params.Split.Scope == "" || j.params.Split.Scope == ChunkingWhole):
		return "chunking_strategy " + text.Printable(j.params.ChunkingStrategy)
	default:
		return ""
	}
}

func (j *job) warn(format string, args ...any) {
	j.plan.Warnings = append(j.plan.Warnings, fmt.Sprintf(format, args...))
}

// maxPageNumber is the largest number that a first page may have: with the pages behind it, it
// still fits everywhere.
const maxPageNumber = 1_000_000_000

// check refuses what would be misread later.
func (p Params) check() error {
	if n := p.StartingPageNumber; n != nil && (*n < 1 || *n > maxPageNumber) {
		return fmt.Errorf("starting_page_number %d: not 1 to %d", *n, maxPageNumber)
	}
	if n := p.Split.Concurrency; n < 0 {
		return fmt.Errorf("split concurrency of %d: negative", n)
	}
	if n := p.Split.MaxPages; n < 0 {
		return fmt.Errorf("limit of %d pages: negative", n)
	}
	switch p.Split.Mode {
	case "", Buffered, DiskCached:
	default:
		return fmt.Errorf("chunk mode %q: neither %s nor %s", p.Split.Mode, Buffered, DiskCached)
	}
	switch p.Split.Scope {
	case "", ChunkingWhole, ChunkingPerChunk, ChunkingAfter, "per-chunk":
	default:
		return fmt.Errorf("chunking scope %q: not %s, %s or %s", p.Split.Scope, ChunkingWhole, ChunkingPerChunk, ChunkingAfter)
	}
	return nil
}

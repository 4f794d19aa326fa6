package partition

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/quire-dev/quire/split"
)

// A Plan is what will be sent for a document. It depends on the document and the parameters alone.
type Plan struct {
	Document  string
	MediaType string            // of the file part
	Pages     int               // of the document; 0 where that is not known before the server has looked
	Requests  []split.PageRange // one a request, in page order; a single zero range is the whole document
	Warnings  []string          // what is done otherwise than one might expect, a line each

	// Chunking tells that another request follows, for the text chunking of all elements: see [ScopeAfter].
	Chunking bool

	// Cached is what the client's cache answers, Left is what remains to be sent, in page order; together they are the requests.
	// A request that was narrowed in an earlier run stands there as the pieces that it was narrowed to. [Client.PlanCached] sets
	// them.
	Cached, Left []split.PageRange

	// Narrowing is how many requests each page that can never be had may add, with [Split.Narrow]: 2·ceil(log2 n) for the largest
	// request's n pages. 0 without it, or where nothing can be narrowed.
	Narrowing int
}

// Whole tells that the document goes as it is, in one request.
func (p *Plan) Whole() bool { return len(p.Requests) == 1 && p.Requests[0] == split.PageRange{} }

// Plan says what [Client.Stream] would send, and sends nothing. A document that would be refused is an error: a [DocumentError].
func (c *Client) Plan(ctx context.Context, d *Document, p Params) (*Plan, error) {
	job, err := c.prepare(ctx, d, p)
	if err != nil {
		return nil, err
	}
	defer job.close()
	return &job.plan, nil
}

// A job is a document made ready to be sent.
type job struct {
	plan   Plan
	params Params
	fields []formField
	name   string // as the server sees it
	source io.ReaderAt
	size   int64
	pdf    *split.Document // nil where it is none, or cannot be cut
	sha256 string          // of the content, where there is a cache
}

func (j *job) close() {
	if j.pdf != nil {
		_ = j.pdf.Close() // it holds memory only
	}
}

// prepare opens the document and decides what to send.
func (c *Client) prepare(ctx context.Context, d *Document, p Params) (_ *job, err error) {
	fail := func(kind Kind, err error) (*job, error) {
		return nil, &DocumentError{Document: d.name, Kind: kind, Err: err}
	}
	source, size, err := d.acquire()
	if err != nil {
		return nil, localError(d.name, err)
	}
	if size == 0 {
		return fail(KindBadDocument, errEmptyDocument)
	}
	if err := p.check(); err != nil {
		return fail(KindBadRequest, err)
	}
	fields, err := p.wire()
	if err != nil {
		return fail(KindBadRequest, err)
	}
	found, err := DetectMediaType(d.name, source, size)
	if err != nil {
		return nil, localError(d.name, err)
	}
	mediaType := found
	if d.mediaType != "" {
		mediaType = d.mediaType
	}
	j := &job{
		plan:   Plan{Document: d.name, MediaType: mediaType, Requests: []split.PageRange{{}}},
		params: p, fields: fields, name: d.wireName(mediaType), source: source, size: size,
	}
	if extensionType(d.name) == pdfType && found != pdfType {
		j.warn("named .pdf but its content is no PDF: sent as %s", mediaType)
	}
	if c.cache != nil {
		if j.sha256, err = d.SHA256(ctx); err != nil {
			return nil, err
		}
	}
	if mediaType != pdfType || found != pdfType {
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

// planPDF reads the pages of a PDF and cuts the plan. What the splitter cannot read goes whole, and the server judges.
func (j *job) planPDF(ctx context.Context) error {
	s := j.params.Split
	fail := func(kind Kind, err error) error {
		return &DocumentError{Document: j.plan.Document, Kind: kind, Err: err}
	}
	pdf, err := split.Open(ctx, j.source, j.size, split.Options{Password: string(s.Password)})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, split.ErrEncrypted):
		return fail(KindBadDocument, err)
	case err != nil && s.Pages != split.PageRange{}:
		return fail(KindBadDocument, fmt.Errorf("page range %s: %w", s.Pages, err))
	case err != nil:
		j.warn("cannot be cut into chunks, sent whole: %s", Printable(err.Error()))
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
	if j.params.Strategy == StrategyHiRes {
		j.warnTall(wanted)
	}
	if s.MaxPages > 0 && wanted.Len() > s.MaxPages {
		return fail(KindTooLarge, fmt.Errorf("%s, more than the limit of %d", plural(wanted.Len(), "page"), s.MaxPages))
	}
	requests := []split.PageRange{wanted}
	if reason := j.wholeBecause(); reason != "" {
		if len(wanted.Plan(s.concurrency())) > 1 {
			j.warn("%s: sent in one request", reason)
		}
	} else if !s.Off {
		requests = wanted.Plan(s.concurrency())
	}
	if s.Narrow && j.wholeBecause() == "" {
		j.plan.Narrowing = 2 * bits.Len(uint(requests[0].Len()-1)) // the first is the largest
	}
	if len(requests) == 1 && wanted.Len() == pdf.Pages() && s.Password == "" {
		return nil // as it is
	}
	j.plan.Requests = requests
	j.plan.Chunking = j.chunksAfter()
	return nil
}

// tallest is the height of a page, in points, above which strategy hi_res is known to fail. The official client cuts such pages
// off, and says nothing.
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

// wholeBecause names the parameter that the server applies to each request by itself, so that cutting would change the result.
func (j *job) wholeBecause() string {
	switch {
	case j.params.OutputFormat == OutputCSV:
		return "output_format text/csv"
	case j.params.ChunkingStrategy != "" && (j.params.Split.Scope == "" || j.params.Split.Scope == ScopeWhole):
		return "chunking_strategy " + Printable(j.params.ChunkingStrategy)
	default:
		return ""
	}
}

func (j *job) warn(format string, args ...any) {
	j.plan.Warnings = append(j.plan.Warnings, fmt.Sprintf(format, args...))
}

// maxPageNumber is the largest number that a first page may have: with the pages behind it, it still fits everywhere.
const maxPageNumber = 1_000_000_000

// check refuses what would be misread later.
func (p Params) check() error {
	if n := p.StartingPageNumber; n != nil && (*n < 1 || *n > maxPageNumber) {
		return fmt.Errorf("starting_page_number %d: not 1 to %d", *n, maxPageNumber)
	}
	switch p.Split.Mode {
	case "", Buffered, DiskCached:
	default:
		return fmt.Errorf("chunk mode %q: neither %s nor %s", p.Split.Mode, Buffered, DiskCached)
	}
	switch p.Split.Scope {
	case "", ScopeWhole, ScopePerChunk, ScopeAfter:
	default:
		return fmt.Errorf("chunking scope %q: not %s, %s or %s", p.Split.Scope, ScopeWhole, ScopePerChunk, ScopeAfter)
	}
	return nil
}

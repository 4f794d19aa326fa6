package partition

import "github.com/quire-dev/quire/split"

// Split says how a PDF is cut into chunks. Its zero value cuts where cutting pays, keeps bytes in transit in memory, and fails
// the document at the first page that cannot be had.
type Split struct {
	// Off sends one request: the whole document, or, with Pages, one chunk of those.
	Off bool
	// Concurrency is how finely a PDF is cut, the API's split_pdf_concurrency_level: 0 is 10, more than 50 is 50. It says
	// nothing about how many requests run at once (that is [WithMaxInFlight]), so output does not depend on that.
	Concurrency int
	// Pages asks for some pages of a PDF only, counted from 1. Zero is all.
	Pages split.PageRange
	// MaxPages refuses longer documents before anything is sent; 0 is no limit. Pages that are not asked for do not count.
	MaxPages int
	// Mode is where chunks and their answers live while they wait.
	Mode ChunkMode
	// AllowFailed delivers what was answered although some pages have no answer, and then a [PartialError].
	AllowFailed bool
	// Narrow asks for the halves of a chunk, down to single pages, where the whole chunk cannot be had and a smaller request is
	// new information: the server declared the error final, or it took too long, or the request was too large. A page that can
	// never be had then costs itself, and at most 2·ceil(log2 n) more requests for a chunk of n pages.
	Narrow bool
	// RepairParents gives elements the parent_id of an element that stands in an earlier chunk, where that can be known.
	RepairParents bool
	// Scope is what a chunking strategy is applied to.
	Scope ChunkingScope
	// Password opens a PDF that needs one. Its chunks are sent without.
	Password Secret
}

// ChunkMode is where chunks and their answers live while they wait.
type ChunkMode string

// The chunk modes.
const (
	Buffered   ChunkMode = "buffered" // in memory, the default
	DiskCached ChunkMode = "disk"     // in private files that are removed at the end: of the cache where it offers a place, else of a temporary directory
)

// ChunkingScope is what the API's text chunking is applied to.
type ChunkingScope string

// The chunking scopes.
const (
	ScopeWhole    ChunkingScope = "whole"     // the document, which is therefore sent whole; the default
	ScopePerChunk ChunkingScope = "per-chunk" // each page chunk by itself: no text chunk spans a boundary
	ScopeAfter    ChunkingScope = "after"     // the elements of all page chunks, in a second request of its own
)

const (
	defaultConcurrency = 10
	maxConcurrency     = 50 // the official client's limit; a finer cut only multiplies requests
)

func (s Split) concurrency() int {
	if s.Concurrency <= 0 {
		return defaultConcurrency
	}
	return min(s.Concurrency, maxConcurrency)
}

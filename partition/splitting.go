package partition

import "github.com/quire-dev/quire/split"

// Split says how a PDF is cut into chunks. Its zero value cuts where cutting pays, keeps bytes in
// transit in memory, and fails the document at the first page that has no answer.
type Split struct {
	// Off sends one request: the whole document, or, with Pages, one chunk of those.
	Off bool
	// Concurrency is how finely a PDF is cut, the API's split_pdf_concurrency_level: 0 is 10, more
	// than 50 is 50. It does not say how many requests run at once (that is [WithMaxInFlight]), so the
	// output does not depend on that.
	Concurrency int
	// Pages are the only pages of a PDF to send, counted from 1; zero is all.
	Pages split.PageRange
	// MaxPages is how many pages a document may have, before anything is sent; 0 is no limit. With
	// Pages those count.
	MaxPages int
	// Mode is where chunks and their answers live while they wait; "" is [Buffered].
	Mode ChunkMode
	// AllowFailed delivers what was answered although some pages have no answer, and then a
	// [PartialError]. Without it the first such page fails the document.
	AllowFailed bool
	// Narrow retries a failed chunk as two halves, down to single pages, where a smaller request is
	// new information: the server declared the error final, or it took too long, or the request was
	// too large. A page that always fails then costs itself, and at most 2·ceil(log2 n) more requests
	// for a chunk of n pages.
	Narrow bool
	// RepairParents gives elements the parent_id of an element in an earlier chunk, where that can be
	// known.
	RepairParents bool
	// Scope is what a chunking strategy is applied to; "" is [ChunkingWhole].
	Scope ChunkingScope
	// Password opens a PDF that needs one. Its chunks are sent without. "" is the empty password.
	Password Secret
}

// ChunkMode is where chunks and their answers live while they wait.
type ChunkMode string

// The chunk modes.
const (
	// Buffered keeps them in memory. It is the default.
	Buffered ChunkMode = "buffered"
	// DiskCached keeps them in private files, which are removed at the end: of the cache, if it is a
	// [ScratchCache], else of the system's directory for temporary files.
	DiskCached ChunkMode = "disk"
)

// ChunkingScope is what the API's text chunking is applied to.
type ChunkingScope string

// The chunking scopes.
const (
	// ChunkingWhole is the document, which is therefore sent whole. It is the default.
	ChunkingWhole ChunkingScope = "whole"
	// ChunkingPerChunk is each page chunk by itself: no text chunk spans a boundary. The older
	// spelling per-chunk is accepted.
	ChunkingPerChunk ChunkingScope = "per_chunk"
	// ChunkingAfter is the elements of all page chunks, in a second request of its own.
	ChunkingAfter ChunkingScope = "after"
)

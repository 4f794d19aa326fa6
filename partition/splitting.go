package partition

import "github.com/quire-dev/quire/split"

// Split says how a PDF is cut into chunks. The zero value cuts a PDF of more than two pages, keeps
// Split says how a PDF is cut into chunks. The zero value cuts a PDF of more than two pages, keeps
// chunks and answers in memory, and sends no more of a document after a page has failed. The elements
// are those of the document sent whole, but for their languages: see [Params].
type Split struct {
	// Off sends one request: the whole document or, if Pages is set, one chunk with these pages.
	Off bool
	// Concurrency is how finely a PDF is cut, the API's split_pdf_concurrency_level. 0 means 10;
	// more than 50 counts as 50. Despite its name it does not set how many requests run at once:
	// see [WithMaxInFlight].
	Concurrency int
	// Pages are the pages of a PDF to send, counted from 1; zero means all.
	Pages split.PageRange
	// MaxPages is the most pages that a document may have; 0 means no limit. It is checked before
	// anything is sent. If Pages is set, only those pages count.
	MaxPages int
	// Mode says where chunks and their answers are kept while they wait; "" means [Buffered]. What they
	// may take in all is up to [WithAnswerSpace].
	Mode ChunkMode
	// AllowFailed sends all other pages of a document after one has failed. Without it nothing more
	// is sent, and the pages that are not answered by then are missing too. Either way all answered
	// pages are delivered, and then a [PartialError].
	AllowFailed bool
	// Narrow sends a failed chunk again as two halves, down to single pages. It does so only if a
	// smaller request may succeed: the server declared the error final or took too long, or the
	// request was too large. In a chunk of n pages, a page that always fails then costs only that
	// page, and at most 2·ceil(log2 n) more requests.
	Narrow bool
	// RepairParents sets the parent_id of an element whose parent is in an earlier chunk. nil, the
	// default, does so if the parents inside the answers prove that the server finds them by the
	// rule of the API. true does so unless they contradict it, and also in the elements that
	// [ChunkingAfter] sends. false leaves every parent_id as it was answered.
	RepairParents *bool
	// Scope says what a chunking strategy is applied to; "" means [ChunkingWhole].
	Scope ChunkingScope
	// Password opens an encrypted PDF. Its chunks are sent unencrypted. "" means the empty
	// password.
	Password Secret
}

// ChunkMode says where chunks and their answers are kept while they wait.
type ChunkMode string

// The chunk modes.
const (
	// Buffered keeps them in memory. It is the default.
	Buffered ChunkMode = "buffered"
	// DiskCached keeps them in private files, which are removed at the end. The files are in the
	// cache if it is a [ScratchCache], else in the system's directory for temporary files.
	DiskCached ChunkMode = "disk"
)

// ChunkingScope says what the API's text chunking is applied to.
type ChunkingScope string

// The chunking scopes.
const (
	// ChunkingWhole applies it to the whole document, which is therefore sent whole. It is the
	// default.
	ChunkingWhole ChunkingScope = "whole"
	// ChunkingPerChunk applies it to each page chunk separately: no text chunk crosses the boundary
	// of a page chunk. The older spelling per-chunk is accepted.
	ChunkingPerChunk ChunkingScope = "per_chunk"
	// ChunkingAfter applies it to the elements of all page chunks together, in a second request. If
	// some pages are missing, the elements of the others are sent.
	ChunkingAfter ChunkingScope = "after"
)

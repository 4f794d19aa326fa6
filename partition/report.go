package partition

import (
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A Report says what was done for a document.
type Report struct {
	// ID is that of the stream's events.
	ID string
	// Document is the document's name, as it was given.
	Document string
	// MediaType is what the file was sent as; "" where the document could not be sent.
	MediaType string
	// Pages is how many pages the document has; 0 where that is not known.
	Pages int
	// Chunks are in page order; one that was narrowed stands before its halves. Nil where the document
	// could not be sent.
	Chunks []ChunkReport
	// Missing are the requested pages without an answer, in order. Nil where there are none, and where
	// the document failed as a whole.
	Missing []split.PageRange
	// Warnings say what was done otherwise than one might expect, a line each.
	Warnings []string
	// Elements is how many were delivered.
	Elements int
	// Elapsed is the time from the start of the document to its end.
	Elapsed time.Duration
}

// A ChunkReport says what was done for one chunk of a document.
type ChunkReport struct {
	// Pages are the chunk's, counted from 1; zero where the document went whole.
	Pages split.PageRange
	// Elements is how many were answered; those of pages that an earlier chunk answered are not
	// delivered again.
	Elements int
	// Trace has the attempts made; none where the chunk was not sent.
	Trace retry.Trace
	// Warnings are the splitter's, a line each.
	Warnings []string
	// Err is why there is no answer, nil where there is one. A chunk that was narrowed has its own
	// failure; its halves' reports follow.
	Err error
	// Cached says that the cache had the answer.
	Cached bool
	// Chunking says that this is the second request of [ChunkingAfter], of elements and not of pages.
	Chunking bool
}

// Requests is the number of HTTP requests sent.
func (r Report) Requests() int {
	return r.sum(func(t retry.Trace) int { return len(t.Attempts) })
}

// Retries is how many of the requests were repetitions.
func (r Report) Retries() int { return r.sum(retry.Trace.Retries) }

// MaybeBilledTwice is how many requests were repeated although the server may have done the work:
// the request had been sent whole, and no answer came.
func (r Report) MaybeBilledTwice() int { return r.sum(retry.Trace.MaybeBilledTwice) }

// CacheHits is how many chunks were answered by the cache.
func (r Report) CacheHits() int {
	n := 0
	for _, c := range r.Chunks {
		if c.Cached {
			n++
		}
	}
	return n
}

// AnsweredPages is how many of the document's pages were answered; 0 where pages are not known.
func (r Report) AnsweredPages() int {
	n := 0
	for _, c := range r.Chunks {
		switch {
		case c.Err != nil, c.Chunking:
		case c.Pages == split.PageRange{}:
			n += r.Pages
		default:
			n += c.Pages.Len()
		}
	}
	return n
}

func (r Report) sum(of func(retry.Trace) int) int {
	n := 0
	for _, c := range r.Chunks {
		n += of(c.Trace)
	}
	return n
}

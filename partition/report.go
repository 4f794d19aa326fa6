package partition

import (
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A Report says what happened to a document.
type Report struct {
	// ID is the ID in the stream's events.
	ID string
	// Document is the document's name, as it was given.
	Document string
	// MediaType is the media type of the file that was sent; "" if the document could not be sent.
	MediaType string
	// Pages is how many pages the document has; 0 if unknown.
	Pages int
	// Chunks are in page order; a narrowed chunk comes before its halves. Nil if the document could
	// not be sent. If the document changed while it was sent and was begun again, the chunks that
	// were sent before come first; each has an error.
	Chunks []ChunkReport
	// Missing are the requested pages without an answer, in order, if others have one. Nil if all
	// pages are answered, and if none is.
	Missing []split.PageRange
	// Warnings say what differed from what the caller might expect, one line each.
	Warnings []string
	// Elements is the number of elements delivered.
	Elements int
	// Empty says that all requested pages were answered, and that there is nothing in the answer: no
	// element, or no row of the table, has text or an image. Warnings have the likely cause.
	Empty bool
	// Elapsed is the time from the start of the document to its end.
	Elapsed time.Duration
}

// A ChunkReport says what happened to one chunk of a document.
type ChunkReport struct {
	// Pages are the chunk's pages, counted from 1; zero if the document was sent whole.
	Pages split.PageRange
	// Elements is the number of elements in the answer. It includes elements of pages that an
	// earlier chunk answered; those are not delivered again.
	Elements int
	// Trace has the attempts; none if the chunk was not sent.
	Trace retry.Trace
	// Warnings are from cutting the chunk, one line each.
	Warnings []string
	// Err says why there is no answer; nil if there is one. A narrowed chunk keeps its own error;
	// the reports of its halves follow.
	Err error
	// Cached says that the answer came from the cache.
	Cached bool
	// Chunking says that this is the second request of [ChunkingAfter], which sends elements, not
	// pages.
	Chunking bool
}

// again is the report of a document that is begun again because of an error: of the chunks only
// those are left that were sent, without an answer.
func (r Report) again(because error) Report {
	next := Report{ID: r.ID, Document: r.Document}
	for _, c := range r.Chunks {
		if len(c.Trace.Attempts) == 0 {
			continue
		}
		if c.Err == nil {
			c.Err, c.Elements = because, 0
		}
		next.Chunks = append(next.Chunks, c)
	}
	return next
}

// Requests returns the number of HTTP requests sent.
func (r Report) Requests() int {
	return r.sum(func(t retry.Trace) int { return len(t.Attempts) })
}

// Retries returns how many of these requests were retries.
func (r Report) Retries() int { return r.sum(retry.Trace.Retries) }

// MaybeBilledTwice returns how many requests were sent again although the server may have billed
// them already: the request had been sent completely, but no answer came.
func (r Report) MaybeBilledTwice() int { return r.sum(retry.Trace.MaybeBilledTwice) }

// CacheHits returns how many chunks were answered from the cache.
func (r Report) CacheHits() int {
	n := 0
	for _, c := range r.Chunks {
		if c.Cached {
			n++
		}
	}
	return n
}

// AnsweredPages returns how many of the document's pages were answered; 0 if the number of pages is
// unknown.
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

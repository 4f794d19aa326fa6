package partition

import (
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A Report says what was done for a document.
type Report struct {
	ID        string // as in the stream's events
	Document  string
	MediaType string
	Pages     int               // of the document; 0 where that is not known
	Chunks    []ChunkReport     // in page order; one that was narrowed stands before its halves
	Missing   []split.PageRange // requested pages without an answer, in order
	Warnings  []string
	Elements  int // delivered
	Elapsed   time.Duration
}

// A ChunkReport says what was done for one request's worth of a document.
type ChunkReport struct {
	Pages    split.PageRange // zero where the document went whole
	Elements int
	Trace    retry.Trace // the attempts made
	Warnings []string
	Err      error // nil where it was answered
	Cached   bool  // it was answered by the cache
	Chunking bool  // it is the second request of [ChunkingAfter]: elements, not pages
}

// Requests is the number of HTTP requests sent.
func (r Report) Requests() int {
	return r.sum(func(t retry.Trace) int { return len(t.Attempts) })
}

// Retries is how many of the requests were repetitions.
func (r Report) Retries() int { return r.sum(retry.Trace.Retries) }

// MaybeBilledTwice is how many requests were repeated although the server may have done the work: the request had been sent
// whole, and no answer came.
func (r Report) MaybeBilledTwice() int { return r.sum(retry.Trace.MaybeBilledTwice) }

// CacheHits is how many parts were answered by the cache.
func (r Report) CacheHits() int {
	n := 0
	for _, p := range r.Chunks {
		if p.Cached {
			n++
		}
	}
	return n
}

func (r Report) sum(of func(retry.Trace) int) int {
	n := 0
	for _, p := range r.Chunks {
		n += of(p.Trace)
	}
	return n
}

// AnsweredPages is how many of the document's pages were answered; 0 where pages are not known.
func (r Report) AnsweredPages() int {
	n := 0
	for _, p := range r.Chunks {
		switch {
		case p.Err != nil, p.Chunking:
		case p.Pages == split.PageRange{}:
			n += r.Pages
		default:
			n += p.Pages.Len()
		}
	}
	return n
}

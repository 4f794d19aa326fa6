package partition

import (
	"context"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// An Event is something that happened to a document, a chunk or an attempt. Fields that its kind
// does not set are zero.
type Event struct {
	// Kind says what happened.
	Kind EventKind
	// ID identifies the [Stream]: all its events have it, and no other stream's.
	ID string
	// Document is the document's name, as it was given.
	Document string
	// Pages are the chunk's pages, counted from 1; zero if the document is sent whole.
	Pages split.PageRange
	// Plan is set in a DocumentPlanned, without Cached and Left.
	Plan *Plan
	// Elements is the number of elements, in a ChunkEnd or DocumentEnd.
	Elements int
	// Err is set in Refused and CacheFailed, in a ChunkEnd or DocumentEnd after a failure, and in a
	// ClaimHeld after which the client sends the request itself.
	Err error
	// Attempt is the event of package retry, in an AttemptEvent.
	Attempt retry.Event
	// Elapsed is how long it took, in a ChunkEnd, a DocumentEnd, or a ClaimHeld with Err.
	Elapsed time.Duration
	// Cached says, in a ChunkStart and ChunkEnd, that the answer came from the cache.
	Cached bool
}

// EventKind names what happened.
type EventKind string

// The kinds of events. Each document has one DocumentStart and one DocumentEnd. Between them, if it
// can be sent, comes one DocumentPlanned, and a ChunkStart and a ChunkEnd for each chunk that was
// sent or found in the cache. The events of a chunk's attempts are between these two. With
// ChunkingAfter there are two DocumentPlanned.
const (
	DocumentStart   EventKind = "document_start"
	DocumentPlanned EventKind = "document_planned"
	DocumentEnd     EventKind = "document_end"
	ChunkStart      EventKind = "chunk_start"
	ChunkEnd        EventKind = "chunk_end"
	AttemptEvent    EventKind = "attempt"      // see [retry.Event]
	Refused         EventKind = "refused"      // the key was refused or the quota is exhausted; comes before the client sends its next request
	CacheFailed     EventKind = "cache_failed" // at most once per client
	ClaimHeld       EventKind = "claim_held"   // another process is sending the chunk's request, and its answer is waited for; with Err: no longer, see [ClaimCache]
)

func (c *Client) event(ctx context.Context, e Event) {
	if c.observe != nil {
		c.observe(ctx, e)
	}
}

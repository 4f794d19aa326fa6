package partition

import (
	"context"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// An Event is something that happened to a document, to a chunk of it, or to one attempt to send
// that. A field that its kind does not set has its zero value.
type Event struct {
	// Kind says what happened.
	Kind EventKind
	// ID is that of the [Stream]: the same in all its events, and in no other's.
	ID string
	// Document is the document's name, as it was given.
	Document string
	// Pages are the chunk's, counted from 1; zero where the document goes whole.
	Pages split.PageRange
	// Plan is set in a DocumentPlanned, without Cached and Left.
	Plan *Plan
	// Elements is how many came, in a ChunkEnd or DocumentEnd.
	Elements int
	// Err is set in a Refused and a CacheFailed, and in a ChunkEnd or DocumentEnd that failed.
	Err error
	// Attempt is what the retry core says, in an AttemptEvent.
	Attempt retry.Event
	// Elapsed is how long it took, in a ChunkEnd or DocumentEnd.
	Elapsed time.Duration
	// Cached says, in a ChunkStart and ChunkEnd, that the answer came from the cache.
	Cached bool
}

// EventKind names what happened.
type EventKind string

// The kinds of events. A document has one DocumentStart and one DocumentEnd, and between them, if
// it can be sent, one DocumentPlanned and for each chunk that was sent or found in the cache a
// ChunkStart and a ChunkEnd, with the events of its attempts between. [ChunkingAfter] plans twice.
const (
	DocumentStart   EventKind = "document_start"
	DocumentPlanned EventKind = "document_planned"
	DocumentEnd     EventKind = "document_end"
	ChunkStart      EventKind = "chunk_start"
	ChunkEnd        EventKind = "chunk_end"
	AttemptEvent    EventKind = "attempt"      // see [retry.Event]
	Refused         EventKind = "refused"      // key or quota, before the client's next request can go out
	CacheFailed     EventKind = "cache_failed" // once a client
)

func (c *Client) event(ctx context.Context, e Event) {
	if c.observe != nil {
		c.observe(ctx, e)
	}
}

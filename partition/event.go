package partition

import (
	"context"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// An Event is something that happened to a document, to a part of it, or to one attempt to send that.
type Event struct {
	Kind     EventKind
	ID       string // of the [Stream]: the same in all its events, and in no other's; "" of what belongs to none
	Document string
	Pages    split.PageRange // of the part; zero where the document goes whole
	Plan     *Plan           // of a DocumentPlanned
	Elements int             // of a ChunkEnd or DocumentEnd
	Err      error           // of a Refused, and of a ChunkEnd or DocumentEnd that failed
	Attempt  retry.Event     // of an AttemptEvent
	Elapsed  time.Duration   // of a ChunkEnd or DocumentEnd
	Cached   bool            // of a ChunkStart and ChunkEnd: nothing was sent
}

// EventKind names what happened.
type EventKind string

// The kinds of events. A document has one DocumentStart and one DocumentEnd, and between them, if it can be sent, one
// DocumentPlanned and for each part that was sent or found in the cache a ChunkStart and a ChunkEnd, with the events of its attempts
// between. [ChunkingAfter] plans twice.
const (
	DocumentStart   EventKind = "document_start"
	DocumentPlanned EventKind = "document_planned"
	DocumentEnd     EventKind = "document_end"
	ChunkStart      EventKind = "chunk_start"
	ChunkEnd        EventKind = "chunk_end"
	AttemptEvent    EventKind = "attempt"      // see [retry.Event]
	Refused         EventKind = "refused"      // key or quota, before another request of the client can go out
	CacheFailed     EventKind = "cache_failed" // once a client
)

func (c *Client) event(ctx context.Context, e Event) {
	if c.observe != nil {
		c.observe(ctx, e)
	}
}

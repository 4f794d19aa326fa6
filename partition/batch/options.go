package batch

import (
	"cmp"
	"context"
	"time"

	"github.com/quire-dev/quire/partition"
)

// DefaultConcurrency is how many documents are under way at once. That is more than there are
// requests in flight ([partition.DefaultInFlight]), so that documents whose requests wait to be sent
// again do not keep others from being sent.
const DefaultConcurrency = partition.DefaultInFlight + 32

// DefaultAhead is how many outcomes may wait for their turn.
const DefaultAhead = 100

// Options say how documents are run. The zero value is usable.
type Options struct {
	// Concurrency is how many documents are under way at once; 0 means [DefaultConcurrency]. How many
	// requests are in flight is the client's limit, whatever this is.
	Concurrency int

	// Unordered yields outcomes as documents end, not in the order of the documents.
	Unordered bool

	// Ahead is how many documents may have ended, or be under way, before the outcome whose turn it
	// is has been taken; 0 means [DefaultAhead]. Beyond that no document is begun. Their outcomes wait
	// in memory: without [Options.Do] with all their elements.
	Ahead int

	// DocumentTimeout is the time for a document, from its opening, retries included; 0 means none.
	DocumentTimeout time.Duration

	// DocumentTimeoutCause is what the error of a document that took longer wraps; nil means
	// [context.DeadlineExceeded].
	DocumentTimeoutCause error

	// MaxPages is how many pages the run may send; 0 means no limit. It is checked before a document
	// is begun, with [partition.Client.Plan]: a document whose pages do not fit is not begun and fails
	// with [partition.KindBudget], and the run ends once what is under way has ended. Pages that the
	// cache answers cost nothing. A document of unknown length, which is everything but a PDF, and the
	// second request of [partition.ChunkingAfter] count as one page each. A page that is sent again
	// counts once.
	MaxPages int

	// MaxFailures ends the run, and what is under way, after so many documents that failed or lack
	// pages; 0 means no limit. Failures of an earlier run do not count.
	MaxFailures int

	// KeepGoing keeps a run going that is hopeless or has reached a page or request limit: every
	// document gets an outcome of its own.
	KeepGoing bool

	// Watch, if not nil, sees that a run is hopeless before its first document fails: see [Watch].
	Watch *Watch

	// Settled, if not nil, is called with the outcome of each document as soon as it is known, which
	// in order may be long before its turn: for a display of progress. It is called by several
	// goroutines at once, and the next document waits for it.
	Settled func(Outcome)

	// Stop, if not nil, is called with the reason when the run ends, or is left, before it is through.
	// It is for a sequence of documents that waits for something and must be told to return, and may
	// be the [context.CancelCauseFunc] of Run's context. It may be called more than once, with the
	// first reason.
	Stop func(error)

	// Earlier, if not nil, says what an earlier run did to a document. A state other than "" is the
	// document's, with the error, and nothing is sent. It is called by several goroutines at once.
	Earlier func(context.Context, Item, *partition.Document) (State, error)

	// Do, if not nil, sends a document and does with its elements what is to be done; it returns the
	// report and the document's error. [Each] is a way to write one. Nil means
	// [partition.Client.Partition], with the elements in the outcome. It is called by several
	// goroutines at once.
	Do func(context.Context, Item, *partition.Document) (partition.Report, error)
}

func (o Options) concurrency() int { return cmp.Or(max(o.Concurrency, 0), DefaultConcurrency) }
func (o Options) ahead() int       { return cmp.Or(max(o.Ahead, 0), DefaultAhead) }

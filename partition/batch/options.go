package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/quire-dev/quire/partition"
)

// DefaultConcurrency is the default of [Options.Concurrency]. It is higher than the limit of
// requests in flight ([partition.DefaultInFlight]), so that documents that wait for a retry do not
// hold up the others.
const DefaultConcurrency = partition.DefaultInFlight + 32

// DefaultAhead is the default of [Options.Ahead].
const DefaultAhead = 100

// Options set up a run. The zero value is usable.
type Options struct {
	// Concurrency is how many documents are under way at once; 0 means [DefaultConcurrency]. The
	// limit of requests in flight is the client's; this does not change it.
	Concurrency int

	// Unordered yields each outcome as soon as its document ends, not in the order of the
	// documents.
	Unordered bool

	// Ahead limits how far the run gets ahead of the loop: how many documents may be under way or
	// ended while the next outcome has not been taken. 0 means [DefaultAhead]; more than 1,048,576
	// counts as that. Outcomes that wait
	// are in memory, without [Options.Do] with all their elements.
	Ahead int

	// DocumentTimeout is the time limit for a document, from its opening, retries included; 0 means
	// none.
	DocumentTimeout time.Duration

	// DocumentTimeoutCause is wrapped by the error of a document that took longer; nil means
	// [context.DeadlineExceeded].
	DocumentTimeoutCause error

	// MaxPages is how many pages the run may send; 0 means no limit. Before the run begins a
	// document it counts the pages with [partition.Client.Plan]. If they exceed the limit, the
	// document fails with [partition.KindBudget], and the run ends after the documents under way.
	// Pages that the cache answers do not count. A document of unknown length (anything but a PDF)
	// counts as one page, and so does the second request of [partition.ChunkingAfter]. A page that
	// is sent again counts once.
	MaxPages int

	// MaxFailures ends the run, and cancels the documents under way, after this many documents that
	// failed or have missing pages; 0 means no limit. Failures of an earlier run do not count.
	MaxFailures int

	// KeepGoing continues a run that is hopeless or has reached a page or request limit, so that
	// every document gets its own outcome.
	KeepGoing bool

	// Watch, if not nil, can end a hopeless run before its first document fails: see [Watch].
	Watch *Watch

	// Settled, if not nil, is called with the outcome of each document as soon as it is known, even
	// if its turn comes much later. It is for showing progress. Several goroutines call it at once,
	// and the next document waits for it.
	Settled func(Outcome)

	// Stop, if not nil, is called with the reason when the run ends early or the caller leaves the
	// loop. Use it to tell a sequence of documents that blocks to return. It may be the
	// [context.CancelCauseFunc] of Run's context. It may be called more than once, always with the
	// first reason.
	Stop func(error)

	// Earlier, if not nil, returns the state that a document got in an earlier run. If the state is
	// not "", the document gets it, with the error, and is not sent. Several goroutines call it at
	// once.
	Earlier func(context.Context, Item, *partition.Document) (State, error)

	// Do, if not nil, sends a document and handles its elements; it returns the report and the
	// document's error. [Each] helps to write one. Nil means [partition.Client.Partition]; the
	// outcome then has the elements. Several goroutines call Do at once.
	Do func(context.Context, Item, *partition.Document) (partition.Report, error)
}

func (o Options) concurrency() int { return cmp.Or(o.Concurrency, DefaultConcurrency) }

// longestAhead bounds the queue of outcomes, which is allocated whole.
const longestAhead = 1 << 20

func (o Options) ahead() int { return min(cmp.Or(o.Ahead, DefaultAhead), longestAhead) }

// check returns why a run cannot begin, nil where it can.
func (o Options) check(ctx context.Context, client *partition.Client, documents iter.Seq[Item]) error {
	switch {
	case ctx == nil:
		return errors.New("batch: the context is nil")
	case documents == nil:
		return errors.New("batch: the sequence of documents is nil")
	case client == nil && o.Do == nil:
		return errors.New("batch: the client is nil")
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"Concurrency", int64(o.Concurrency)},
		{"Ahead", int64(o.Ahead)},
		{"MaxPages", int64(o.MaxPages)},
		{"MaxFailures", int64(o.MaxFailures)},
		{"DocumentTimeout", int64(o.DocumentTimeout)},
	} {
		if limit.value < 0 {
			return fmt.Errorf("batch: Options.%s is negative", limit.name)
		}
	}
	return nil
}

package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
)

// A run takes documents through the API, several at once.
type run struct {
	documents       func(context.Context) iter.Seq[*work]
	sender          *sender
	sink            sink
	failed          *folder.FailedList // nil where nobody asked for one
	console         *screen.Console
	quiet           bool      // what became of a document is not said: its answer says it
	report          *page.Run // nil where nobody asked for one
	watch           *watch
	inFlight        int
	documentTimeout time.Duration // 0 for no limit
	maxFailures     int           // 0 for no limit
	failures        atomic.Int64
	spent           atomic.Pointer[error] // the first document that a spending limit ended
	stop            context.CancelCauseFunc
}

// do takes all documents through the API and adds them up. Its error is an output that could not be shown.
func (r *run) do(ctx context.Context, sum *screen.Summary) (lost error) {
	start := time.Now()
	for w := range r.concluded(ctx) {
		err := r.sink.show(w)
		sum.Add(&w.Outcome)
		err = errors.Join(err, r.failed.Add(&w.Outcome))
		if err != nil && lost == nil {
			lost = err
			r.stop(err)
		}
	}
	sum.ElapsedMS = time.Since(start).Milliseconds()
	return lost
}

// waitingOutputs is how many documents may be finished, or under way, ahead of the one whose output comes next where they come in
// order; where they do not, none waits for another.
const waitingOutputs = 1000

// documentsAhead is how many documents more than requests may be under way: those whose requests wait to be tried again must not
// keep the others from being sent.
const documentsAhead = 32

// concluded sends the documents and yields each once it is concluded, in the order of the walk or as they end. It must be read to its
// end.
func (r *run) concluded(ctx context.Context) iter.Seq[*work] {
	ready := make(chan *work, waitingOutputs)
	ordered := r.sink.ordered()
	conclude := func(w *work) {
		r.conclude(w)
		close(w.done)
		if !ordered {
			ready <- w
		}
	}
	go func() {
		defer close(ready)
		var workers errgroup.Group
		workers.SetLimit(r.inFlight + documentsAhead)
		number := 0
		for w := range r.documents(ctx) {
			if ctx.Err() != nil || r.spent.Load() != nil {
				break
			}
			number++
			w.Number, w.done = number, make(chan struct{})
			if ordered {
				ready <- w
			}
			if !w.document() {
				r.settle(ctx, w)
				conclude(w)
				continue
			}
			workers.Go(func() error {
				r.send(ctx, w)
				r.settle(ctx, w) // here and not after the disk was waited for: a hopeless run is to end soon
				r.sink.finish(w, func() { conclude(w) })
				return nil
			})
		}
		_ = workers.Wait() // failures are the documents'
		if limit := r.spent.Load(); limit != nil {
			r.stop(*limit) // not before: what is under way is paid for
		}
		r.sink.finished()
	}()
	return func(yield func(*work) bool) {
		for w := range ready {
			<-w.done
			if !yield(w) {
				return
			}
		}
	}
}

// send takes one document through the API and makes its output.
func (r *run) send(ctx context.Context, w *work) {
	start := time.Now()
	defer func() { w.Elapsed = time.Since(start) }()
	if ctx.Err() != nil {
		w.Err = &partition.DocumentError{Document: w.Path, Kind: partition.KindCanceled, Err: context.Cause(ctx)}
		return
	}
	if r.documentTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, r.documentTimeout, &outcome.TimeLimit{Limit: r.documentTimeout, Flag: "--document-timeout"})
		defer cancel()
		ctx = limited
	}
	document, err := r.sender.open(ctx, w)
	if err != nil {
		w.Err = err
		return
	}
	defer func() { _ = document.Close() }() // it was only read
	r.sink.output(ctx, document, w, func(out *bufio.Writer) error { return r.sender.write(ctx, document, w, out) })
	if unwritable := (*folder.WriteError)(nil); errors.As(w.Err, &unwritable) && !unwritable.OfItsName() {
		r.stop(w.Err) // the next output could not be written either
	}
}

// settle decides what has become of a document, and ends a run that is hopeless.
func (r *run) settle(ctx context.Context, w *work) {
	w.settle(ctx, r.sink.keepsBeginnings())
	if w.State == outcome.NotDone && w.Kind() == partition.KindBudget {
		r.spent.CompareAndSwap(nil, &w.Err)
	}
	r.watch.concluded(&w.Outcome)
	r.countFailure(w)
}

// conclude says what became of a document, as it happens.
func (r *run) conclude(w *work) {
	r.countFailure(w) // its output may have been lost since it was settled
	r.console.Concluded(&w.Outcome)
	if r.report != nil && w.State != outcome.Skipped {
		r.report.Document(page.OutcomeOf(&w.Outcome))
	}
	if !r.quiet {
		r.console.Tell(&w.Outcome)
	}
}

// countFailure counts a document once if it failed, and gives up the run after as many failures as the user allows.
func (r *run) countFailure(w *work) {
	if w.counted || !w.Failed() || w.Earlier() {
		return
	}
	w.counted = true
	if n := r.failures.Add(1); r.maxFailures > 0 && n == int64(r.maxFailures) {
		r.stop(&tooManyFailures{r.maxFailures})
	}
}

// A tooManyFailures is the cause of a run that --max-failures ended.
type tooManyFailures struct{ n int }

func (t *tooManyFailures) Error() string {
	return fmt.Sprintf("stopped after %d failed documents (--max-failures)", t.n)
}

package cmd

import (
	"bufio"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
)

// A run takes documents through the API, several at once.
type run struct {
	documents func(context.Context) iter.Seq[*work]
	sender    *sender
	sink      sink
	failed    *folder.FailedList // nil where nobody asked for one
	console   *screen.Console
	quiet     bool          // what became of a document is not said: its answer says it
	report    *page.Run     // nil where nobody asked for one
	limits    batch.Options // without the order and what is done to a document
	stop      context.CancelCauseFunc
}

// waitingOutputs is how many documents may be finished or in progress ahead of the next one to be
// shown, if they are shown in order.
const waitingOutputs = 1000

// documentsAhead is how many more documents than requests may be in progress: see
// [batch.DefaultConcurrency].
const documentsAhead = batch.DefaultConcurrency - partition.DefaultInFlight

// do sends all documents and adds them up. It returns why the run ended early, and the error of an
// output that could not be shown.
func (r *run) do(ctx context.Context, sum *screen.Summary) (ended, lost error) {
	start := time.Now()
	options := r.limits
	options.Ahead, options.Unordered = waitingOutputs, !r.sink.ordered()
	options.Earlier, options.Do, options.Settled, options.Stop = r.earlier, r.send, r.settled, r.stop
	for o := range batch.Run(ctx, r.sender.client, r.items(ctx), options) {
		if o.State == batch.Ended {
			ended = o.Err
			break
		}
		w := workOf(o.Item)
		<-w.concluded
		err := r.sink.show(w)
		sum.Add(&w.Outcome)
		if !w.nameless() {
			err = errors.Join(err, r.failed.Add(&w.Outcome))
		}
		if err != nil && lost == nil {
			lost = err
			r.stop(err)
		}
	}
	r.sink.finished()
	sum.ElapsedMS = time.Since(start).Milliseconds()
	return ended, lost
}

// items are the documents as a batch takes them.
func (r *run) items(ctx context.Context) iter.Seq[batch.Item] {
	return func(yield func(batch.Item) bool) {
		for w := range r.documents(ctx) {
			w.concluded = make(chan struct{})
			item := batch.Item{Name: w.Path, Params: r.sender.paramsOf(w), Tag: w}
			if w.Skip == "" {
				item.Open = func(ctx context.Context) (*partition.Document, error) { return r.sender.open(ctx, w) }
			}
			if !yield(item) || r.sink.room(ctx) != nil {
				return
			}
		}
	}
}

// workOf is the document of one of items.
func workOf(item batch.Item) *work { return item.Tag.(*work) }

// earlier returns what an earlier run did to a document.
func (r *run) earlier(ctx context.Context, item batch.Item, d *partition.Document) (outcome.State, error) {
	w := workOf(item)
	r.sink.begin(ctx, d, w)
	return w.State, w.Err
}

// send sends one document and makes its output.
func (r *run) send(ctx context.Context, item batch.Item, d *partition.Document) (partition.Report, error) {
	w := workOf(item)
	output := func() (partition.Report, error) {
		r.sink.output(ctx, d, w, func(out *bufio.Writer) error { return r.sender.write(ctx, d, w, out) })
		return w.Report, w.Err
	}
	if r.sink.streams() {
		_, _ = output() // what is shown cannot be taken back
	} else {
		w.Report, _ = batch.Whole(output)
	}
	if unwritable := (*folder.WriteError)(nil); errors.As(w.Err, &unwritable) && !unwritable.OfItsName() {
		r.stop(w.Err) // the next output could not be written either
	}
	return w.Report, w.Err
}

// settled brings the output of a document whose outcome is known to its place.
func (r *run) settled(o batch.Outcome) {
	w := workOf(o.Item)
	w.settle(o, r.sink)
	r.sink.finish(w, func() {
		r.conclude(w)
		close(w.concluded)
	})
}

// conclude shows what became of a document, as it happens.
func (r *run) conclude(w *work) {
	r.console.Concluded(&w.Outcome)
	if r.report != nil && w.State != outcome.Skipped {
		r.report.Document(page.OutcomeOf(&w.Outcome))
	}
	if !r.quiet {
		r.console.Tell(&w.Outcome)
	}
}

package cmd

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/cmd/page"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/partition/wire"
)

// A run takes documents through the API, several at once. With an output folder each output is put in its place as soon as it is
// whole; on standard output they come in the order of the walk.
type run struct {
	shell           *shell
	console         *console
	client          *apiClient
	params          partition.Params
	walk            *walk      // or else
	list            *stdinList // what is to be done
	format          format.Format
	outputOptions   outputOptions
	images          *outputFolder // nil where images stay where they are
	output          *outputFolder // nil: standard output
	history         *history      // nil without an output folder
	failed          *failedList   // nil where nobody asked for one
	final           finalFailures // of a list of failed documents that is run again
	watch           *watch
	report          *page.Run // nil where nobody asked for one
	name            string    // of standard input
	verbose         bool
	inFlight        int
	maxFailures     int // 0 for no limit
	documentTimeout time.Duration
	stop            context.CancelCauseFunc

	failures atomic.Int64
	pages    pageLimit
	spent    atomic.Pointer[error] // the first document that a spending limit ended
	ordered  bool                  // documents are shown in the order of the walk, else as they are concluded
	queue    chan *work            // what is to be shown
}

// waitingOutputs is how many documents may be finished, or under way, ahead of the one whose output comes next where they come in
// order; where they do not, none waits for another.
const waitingOutputs = 1000

// documentsAhead is how many documents more than requests may be under way: those whose requests wait to be tried again must not
// keep the others from being sent.
const documentsAhead = 32

// all runs everything. Its error is one that ended the run, or an output that could not be shown.
func (r *run) all(ctx context.Context, sum *summary) (lost error) {
	start := time.Now()
	r.queue = make(chan *work, waitingOutputs)
	committer := newCommitter(r)
	go func() {
		defer close(r.queue)
		var workers errgroup.Group
		workers.SetLimit(r.inFlight + documentsAhead)
		number := 0
		for e := range r.entries(ctx) {
			if ctx.Err() != nil || r.spent.Load() != nil {
				break
			}
			number++
			w := &work{number: number, entry: e, done: make(chan struct{})}
			if e.info != nil {
				w.size = e.info.Size()
			}
			if r.ordered {
				r.queue <- w
			}
			if !e.document() {
				r.settle(ctx, w)
				r.conclude(w)
				continue
			}
			workers.Go(func() error {
				r.one(ctx, w)
				r.settle(ctx, w) // here and not after the disk was waited for: a run in vain is to end soon
				if r.output == nil {
					r.conclude(w)
				} else {
					committer.add(w)
				}
				return nil
			})
		}
		_ = workers.Wait() // failures are the documents'
		if limit := r.spent.Load(); limit != nil {
			r.stop(*limit) // not before: what is under way is paid for
		}
		committer.close()
	}()
	for w := range r.queue {
		<-w.done
		if err := r.show(w); err != nil && lost == nil {
			lost = err
			r.stop(err)
		}
		sum.add(w)
		if err := r.failed.add(w); err != nil && lost == nil {
			lost = err
			r.stop(err)
		}
	}
	sum.ElapsedMS = time.Since(start).Milliseconds()
	return lost
}

// entries are what is to be done.
func (r *run) entries(ctx context.Context) iter.Seq[entry] {
	if r.list != nil {
		return r.list.entries(ctx)
	}
	return r.walk.entries(ctx)
}

// settle decides what has become of a document, and ends a run that is in vain.
func (r *run) settle(ctx context.Context, w *work) {
	w.settle(ctx, r)
	r.watch.concluded(w)
	if (w.state == stateFailed || w.state == statePartial) && !isEarlier(w.err) {
		r.countFailure()
	}
}

// conclude says what became of a document, as it happens.
func (r *run) conclude(w *work) {
	defer func() {
		close(w.done)
		if !r.ordered {
			r.queue <- w
		}
	}()
	r.console.concluded(w)
	if r.report != nil && w.state != stateSkipped {
		r.report.Document(w.outcome())
	}
	if r.list == nil || r.verbose { // else the answer says it all, and standard error may be read as an answer
		r.tell(w)
	}
}

// tell says to people what became of a document.
func (r *run) tell(w *work) {
	name := wire.Printable(w.entry.path)
	for _, warning := range w.report.Warnings {
		r.console.remark("warning: %s: %s", name, warning)
	}
	switch w.state {
	case stateSkipped:
		if r.verbose || !w.entry.quiet {
			r.console.remark("skipped: %s: %s", name, w.entry.skip)
		}
	case stateNotDone:
		if r.verbose {
			r.console.remark("not done: %s", name) // the run's own message says why
		}
	case stateFailed, statePartial:
		r.console.say("failed: %s", w.message())
	case stateUnchanged:
		if r.verbose {
			r.console.remark("unchanged: %s", name)
		}
	case stateDone:
		if r.verbose {
			r.console.remark("done: %s: %s", name, plural(w.report.Elements, "element"))
		}
	}
}

// countFailure gives up the run after as many failures as the user allows.
func (r *run) countFailure() {
	if n := r.failures.Add(1); r.maxFailures > 0 && n == int64(r.maxFailures) {
		r.stop(&tooManyFailures{r.maxFailures})
	}
}

// A tooManyFailures is the cause of a run that --max-failures ended.
type tooManyFailures struct{ n int }

func (t *tooManyFailures) Error() string {
	return fmt.Sprintf("%d failed: giving up (--max-failures)", t.n)
}

// show writes what waited for its turn to standard output.
func (r *run) show(w *work) error {
	if r.list != nil {
		defer w.spool.close()
		return r.list.answer(w)
	}
	if w.spool == nil {
		return nil
	}
	defer w.spool.close()
	r.console.apart()
	if err := w.spool.copyTo(r.shell.stdout); err != nil {
		return &outputError{"standard output", err}
	}
	return nil
}

// hasOutput tells that a document has left something: all of it, all but pages that are named, or the beginning of a stream.
func (r *run) hasOutput(w *work) bool {
	return w.err == nil || isPartial(w.err) || r.output == nil && r.format.Streams && w.report.Elements > 0
}

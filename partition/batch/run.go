package batch

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quire-dev/quire/partition"
)

// Run sends documents through client, several at once, and yields an outcome for each. If the run
// ends early, a last outcome with the state [Ended] says why. So it does, before anything is begun, if
// ctx, the documents or the client are nil, or a number of o is negative.
//
// Run ranges over the documents in another goroutine, one at a time, as fast as the limits of o
// allow. Leaving the loop, by break, return or panic, cancels what is under way and waits until it
// has ended: if the client has a cache, at most for the time of [partition.WithGrace]. A sequence that blocks must therefore return when ctx ends. The loop may be slow:
// documents are begun until [Options.Ahead] outcomes wait.
func Run(ctx context.Context, client *partition.Client, documents iter.Seq[Item], o Options) iter.Seq[Outcome] {
	return func(yield func(Outcome) bool) {
		if err := o.check(ctx, client, documents); err != nil {
			yield(Outcome{State: Ended, Err: err})
			return
		}
		r := begin(ctx, client, o)
		defer r.end()
		go r.feed(documents)
		for t := range r.queue {
			<-t.done
			if !yield(t.outcome) {
				return
			}
		}
		r.through = true
		if why := r.ended(); why != nil {
			yield(Outcome{State: Ended, Err: why})
		}
	}
}

// A run is the documents of one call of [Run] on their way.
type run struct {
	Options
	client   *partition.Client
	ctx      context.Context // ends with the run
	cancel   context.CancelCauseFunc
	through  bool       // every outcome has been yielded
	queue    chan *task // what is yielded next
	despair  despair
	failures atomic.Int64

	mu    sync.Mutex
	pages int   // that the run has sent, or is about to
	full  error // the limit that keeps documents from being begun; nil while there is none
}

// A task is one document on its way. Its outcome is set before done is closed.
type task struct {
	outcome Outcome
	done    chan struct{}
}

// errLeft is the cause of a run whose consumer has left the loop.
var errLeft = errors.New("the caller left the loop over the outcomes")

func begin(ctx context.Context, client *partition.Client, o Options) *run {
	r := &run{Options: o, client: client, queue: make(chan *task, o.ahead())}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if !o.KeepGoing {
		o.Watch.begin(client.URL(), r.abort)
	}
	return r
}

// abort ends the run, and what is under way.
func (r *run) abort(why error) {
	r.cancel(why)
	if r.Stop != nil {
		r.Stop(context.Cause(r.ctx))
	}
}

// end returns when nothing of the run is left.
func (r *run) end() {
	if !r.through {
		r.abort(errLeft)
	}
	r.cancel(nil)
	for t := range r.queue {
		<-t.done
	}
	r.Watch.end()
}

// ended is why the run ended early, nil where it did not.
func (r *run) ended() error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// feed begins the documents, one after the other.
func (r *run) feed(documents iter.Seq[Item]) {
	defer close(r.queue)
	var workers errgroup.Group
	workers.SetLimit(r.concurrency())
	defer func() { _ = workers.Wait() }() // failures are the documents'
	number := 0
	for item := range documents {
		if r.ended() != nil {
			return
		}
		number++
		t := &task{outcome: Outcome{Item: item, Number: number}, done: make(chan struct{})}
		if !r.Unordered {
			r.queue <- t
		}
		if item.Open == nil {
			t.outcome.State = Skipped
			r.conclude(t)
			continue
		}
		workers.Go(func() error {
			r.do(&t.outcome)
			r.conclude(t)
			return nil
		})
	}
}

func (r *run) conclude(t *task) {
	if r.Settled != nil {
		r.Settled(t.outcome)
	}
	close(t.done)
	if r.Unordered {
		r.queue <- t
	}
}

// do is one document's way, and what it means for the run.
func (r *run) do(o *Outcome) {
	start := time.Now()
	r.send(o)
	o.Elapsed = time.Since(start)
	r.judge(o)
}

// send takes a document through the client, unless there is a reason not to.
func (r *run) send(o *Outcome) {
	if why := r.ended(); why != nil {
		o.Err = &partition.DocumentError{Document: o.Item.Name, Kind: partition.KindCanceled, Err: why}
		return
	}
	ctx := r.ctx
	if r.DocumentTimeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, r.DocumentTimeout, r.DocumentTimeoutCause)
		defer cancel()
		defer func() { o.limited = limited.Err() != nil }()
		ctx = limited
	}
	document, err := o.Item.Open(ctx)
	if err != nil {
		o.Err = err
		return
	}
	defer func() { _ = document.Close() }() // it was only read
	if r.Earlier != nil {
		if o.State, o.Err = r.Earlier(ctx, o.Item, document); o.State != "" {
			o.earlier = true
			return
		}
	}
	if o.Err = r.admit(ctx, o.Item, document); o.Err != nil {
		return
	}
	if r.Do != nil {
		o.Report, o.Err = r.Do(ctx, o.Item, document)
		return
	}
	result, err := r.client.Partition(ctx, document, o.Item.Params)
	o.Result, o.Err = *result, err
}

// judge decides what has become of a document, and ends a run whose next document would fail alike.
func (r *run) judge(o *Outcome) {
	if o.earlier {
		return
	}
	if !r.KeepGoing {
		r.giveUp(o)
	}
	switch {
	case o.Err == nil:
		o.State = Done
	case r.cutOff(o):
		o.State = NotDone
	case isPartial(o.Err):
		o.State = Partial
	default:
		o.State = Failed
	}
	if err := r.despair.count(o, r.Watch.lastWorked()); err != nil && !r.KeepGoing {
		r.abort(err)
	}
	if o.State == Failed || o.State == Partial {
		if n := r.failures.Add(1); n == int64(r.MaxFailures) {
			r.abort(&FailuresError{r.MaxFailures})
		}
	}
}

// giveUp ends the run at an error of the account, which every document shares, and begins no more
// documents at a limit of pages or requests.
func (r *run) giveUp(o *Outcome) {
	switch {
	case o.Kind().Scope() == partition.ScopeAccount:
		r.abort(o.Err)
	case o.Kind() == partition.KindBudget:
		r.fill(o.Err)
	}
}

// cutOff reports whether a document has an error because the run is at its end.
func (r *run) cutOff(o *Outcome) bool {
	why := r.ended()
	if why == nil {
		return false
	}
	kind := o.Kind()
	return kind == partition.KindCanceled || kind == partition.KindBudget || errors.Is(o.Err, why) ||
		kind.Scope() == partition.ScopeAccount && !r.KeepGoing
}

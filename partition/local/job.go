package local

import (
	"context"
	"net/http"
	"runtime/debug"
	"time"
)

// patience is how long the answer to a request waits for work that was stopped. Most of it ends in
// milliseconds.
const patience = time.Second

// A job is the work on one request. It has a goroutine of its own, so that a library that does not
// look at its context holds up neither the answer nor Close. It keeps its slot until it ends.
type job struct {
	answer *answer
	err    error
}

// work partitions in a slot that the caller has taken, and sees to the end of the slot and of the
// form.
func (e *Engine) work(ctx context.Context, f *form, req *request) (*answer, error) {
	ended := make(chan job, 1)
	go func() {
		var j job
		defer func() {
			if thrown := recover(); thrown != nil {
				j = job{err: e.panicked(thrown)}
			}
			f.close()
			<-e.slots
			ended <- j
		}()
		j.answer, j.err = e.partition(ctx, req)
	}()
	var j job
	select {
	case j = <-ended:
	case <-ctx.Done():
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case j = <-ended:
		case <-late.C:
			e.log.WarnContext(ctx, "work goes on after its request was answered", "reason", context.Cause(ctx))
			go func() {
				if j := <-ended; j.answer != nil {
					j.answer.close() // nobody waits for it any more
				}
			}()
			return nil, context.Cause(ctx)
		}
	}
	if j.err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return j.answer, j.err
}

// panicked logs a panic and returns the answer to its request.
func (e *Engine) panicked(thrown any) *failure {
	e.log.Error("panic while partitioning", "panic", thrown, "stack", string(debug.Stack()))
	return &failure{status: http.StatusInternalServerError, detail: "Internal Server Error"}
}

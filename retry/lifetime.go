package retry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// lifetime is how long a call may go on: an attempt until ctx ends, waits and repeats until ctx or
// stop ends.
type lifetime struct {
	ctx  context.Context
	stop context.Context // nil is none
}

// ended returns the error of a call that must not wait or repeat any longer, nil while it may.
func (l lifetime) ended() error {
	switch {
	case l.ctx.Err() != nil:
		return canceled(l.ctx)
	case l.stop != nil && l.stop.Err() != nil:
		return canceled(l.stop)
	}
	return nil
}

// stopped is closed when stop ends.
func (l lifetime) stopped() <-chan struct{} {
	if l.stop == nil {
		return nil
	}
	return l.stop.Done()
}

// left is the time to the nearer deadline; nil is none.
func (l lifetime) left(now time.Time) *time.Duration {
	deadline, some := l.ctx.Deadline()
	if l.stop != nil {
		if stop, ok := l.stop.Deadline(); ok && (!some || stop.Before(deadline)) {
			deadline, some = stop, true
		}
	}
	if !some {
		return nil
	}
	left := deadline.Sub(now)
	return &left
}

// sleep waits, or returns why the call must not go on.
func (l lifetime) sleep(wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-l.ctx.Done():
	case <-l.stopped():
	}
	return l.ended()
}

// canceledError is the end of one of the caller's contexts.
type canceledError struct {
	cause, err error
}

func canceled(ctx context.Context) error {
	return &canceledError{cause: context.Cause(ctx), err: ctx.Err()}
}

func (e *canceledError) Error() string {
	if errors.Is(e.err, context.DeadlineExceeded) {
		return fmt.Sprintf("the caller's deadline passed: %v", e.cause)
	}
	return fmt.Sprintf("the caller canceled: %v", e.cause)
}

// Unwrap returns the cause and the context's own error.
func (e *canceledError) Unwrap() []error { return []error{e.cause, e.err} }

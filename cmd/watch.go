package cmd

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// unreachableAfter is how long a server that was never reached is tried.
const unreachableAfter = 10 * time.Second

// A watch stops a run that is in vain: every document would be refused alike, or wait out its own retries.
type watch struct {
	url     string
	stop    context.CancelCauseFunc
	reached atomic.Bool
	since   atomic.Pointer[time.Time] // the first attempt
}

func (u *watch) observe(e partition.Event) {
	if e.Kind == partition.Refused {
		u.stop(e.Err)
		return
	}
	if e.Kind != partition.AttemptEvent || u.reached.Load() {
		return
	}
	now := time.Now()
	switch e.Attempt.Kind {
	case retry.EventAttempt:
		u.since.CompareAndSwap(nil, &now)
	case retry.EventAnswer:
		switch e.Attempt.Error {
		case retry.KindDial, retry.KindDNS, retry.KindTLS:
			if now.Sub(*u.since.Load()) >= unreachableAfter {
				u.stop(&unreachable{u.url, e.Attempt.Err})
			}
		default:
			u.reached.Store(true)
		}
	}
}

// An unreachable is the cause of a run that a server ended by not being there.
type unreachable struct {
	url string
	err error
}

func (u *unreachable) Error() string {
	return "server unreachable: " + u.url + ": " + rootCause(u.err).Error()
}
func (u *unreachable) Unwrap() error { return u.err }

// rootCause leaves out what repeats the URL.
func rootCause(err error) error {
	var wrapped interface{ Timeout() bool }
	for {
		next := errors.Unwrap(err)
		if next == nil || !errors.As(next, &wrapped) {
			return err
		}
		err = next
	}
}

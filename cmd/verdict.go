package cmd

import (
	"context"
	"errors"
	"syscall"

	"github.com/quire-dev/quire/partition"
)

// verdict says how the run went, and turns it into the command's error.
func (r *run) verdict(ctx context.Context, s *summary, lost error, outputDir string) error {
	if r.list == nil && (!r.walk.Single() || r.output != nil) {
		for _, line := range s.lines() {
			r.console.remark("%s", line)
		}
		if r.output != nil && s.written > 0 {
			r.console.remark("outputs are in %s", partition.Printable(outputDir))
		}
		r.failed.say(r.console)
		if kind := partition.KindOf(context.Cause(ctx)); r.output != nil && s.NotDone > 0 && kind != partition.KindAuth && kind != partition.KindQuota {
			r.console.remark("the same command again does the rest")
		}
	}
	cause := context.Cause(ctx)
	switch unwritable := (*outputError)(nil); {
	case errors.Is(lost, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
	case errors.As(cause, &unwritable):
		return stoppedError(cause, s) // of which other losses are a consequence
	case lost != nil:
		return &exitError{failedOrPartial(s), lost}
	case cause != nil && interruption(ctx) != nil:
		return interruption(ctx)
	case cause != nil:
		return stoppedError(cause, s)
	case s.Documents == 0 && r.list == nil && r.retried != nil:
		r.console.remark("nothing to retry")
		return nil
	case s.Documents == 0 && r.list == nil:
		return &exitError{exitFailed, errors.New("no documents found")}
	case s.Failed == 0:
		return nil
	case s.written > 0:
		return &exitError{exitPartial, nil}
	case s.FailedByKind[partition.KindAuth] == s.Failed:
		return &exitError{exitAuth, nil}
	case s.FailedByKind[partition.KindQuota] == s.Failed:
		return &exitError{exitQuota, nil}
	case s.unavailable == s.Failed:
		return &exitError{exitUnavailable, nil}
	default:
		return &exitError{exitFailed, nil}
	}
}

func failedOrPartial(s *summary) int {
	if s.written > 0 {
		return exitPartial
	}
	return exitFailed
}

// stoppedError is the error of a run that ended before its time.
func stoppedError(cause error, s *summary) error {
	var nobody *unreachable
	var givenUp *hopeless
	switch kind := partition.KindOf(cause); {
	case errors.Is(cause, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
	case errors.As(cause, &nobody), errors.As(cause, &givenUp):
		return &exitError{exitUnavailable, cause}
	case kind == partition.KindAuth, kind == partition.KindQuota:
		return &exitError{exitCode(cause), cause}
	default: // a limit of the user's, or an output that cannot be written
		return &exitError{failedOrPartial(s), cause}
	}
}

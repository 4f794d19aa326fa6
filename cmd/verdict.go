package cmd

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/wire"
)

// verdict says how the run went, and turns it into the command's error. cause is why the run ended
// early, nil where it did not.
func (j *job) verdict(ctx context.Context, s *screen.Summary, records *records, cause, lost error) error {
	output := j.flags.output
	var unwritable *folder.WriteError
	if j.walk != nil && (!j.walk.Single() || output != "") {
		for _, line := range s.Lines() {
			j.console.Remark("%s", line)
		}
		if output != "" && s.Written > 0 {
			j.console.Remark("outputs are in %s", wire.Printable(output))
		}
		kind := partition.KindOf(cause)
		switch {
		case errors.As(cause, &unwritable) && output != "":
			j.console.Remark("once outputs can be written, run the same command again to do the rest")
		default:
			for _, line := range records.failed.Hint(retryCommand(j.flags.flags, records.failed.Path())) {
				j.console.Remark("%s", line)
			}
			if output != "" && s.NotDone > 0 && kind != partition.KindAuth && kind != partition.KindQuota {
				j.console.Remark("run the same command again to do the rest")
			}
		}
	} else if s.MaybeBilled > 0 {
		j.console.Remark("%s", s.MaybeBilledLine())
	}
	switch {
	case errors.Is(lost, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
	case errors.As(cause, &unwritable):
		return stoppedError(cause, s) // of which other losses are a consequence
	case interruption(ctx) != nil && errors.Is(lost, context.Cause(ctx)):
		return interruption(ctx) // nobody read standard output any more
	case lost != nil:
		return &exitError{failedOrPartial(s), lost}
	case cause != nil && interruption(ctx) != nil:
		return interruption(ctx)
	case cause != nil:
		return stoppedError(cause, s)
	case s.Documents == 0 && j.again != nil:
		j.console.Remark("nothing to retry")
		return nil
	case s.Documents == 0 && j.walk != nil:
		return &exitError{exitFailed, errors.New("no documents found")}
	case s.Failed+s.Partial == 0:
		return nil
	case s.Written > 0:
		return &exitError{exitPartial, nil}
	case s.FailedByKind[partition.KindAuth] == s.Failed:
		return &exitError{exitAuth, nil}
	case s.FailedByKind[partition.KindQuota] == s.Failed:
		return &exitError{exitQuota, nil}
	case s.Unavailable == s.Failed:
		return &exitError{exitUnavailable, nil}
	default:
		return &exitError{exitFailed, nil}
	}
}

func failedOrPartial(s *screen.Summary) int {
	if s.Written > 0 {
		return exitPartial
	}
	return exitFailed
}

// stoppedError is the error of a run that ended before its time.
func stoppedError(cause error, s *screen.Summary) error {
	var unreachable *batch.UnreachableError
	var hopeless *batch.HopelessError
	var failures *batch.FailuresError
	switch kind := partition.KindOf(cause); {
	case errors.Is(cause, syscall.EPIPE):
		return &exitError{exitBrokenPipe, nil}
	case errors.As(cause, &unreachable), errors.As(cause, &hopeless):
		return &exitError{exitUnavailable, cause}
	case errors.As(cause, &failures):
		return &exitError{failedOrPartial(s), fmt.Errorf("%w (--max-failures)", cause)}
	case kind == partition.KindAuth, kind == partition.KindQuota:
		return &exitError{exitCode(cause), cause}
	default: // a limit of the user's, or an output that cannot be written
		return &exitError{failedOrPartial(s), cause}
	}
}

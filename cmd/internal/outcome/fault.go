package outcome

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quire-dev/quire/partition"
)

// A TimeLimit is the cause of a context whose time is up.
type TimeLimit struct {
	Limit time.Duration
	Flag  string // that set the limit; "" for how long the command itself waits for an answer
}

func (t *TimeLimit) Error() string {
	if t.Flag == "" {
		return "no answer within " + t.Limit.String()
	}
	return fmt.Sprintf("time limit of %s reached (%s)", t.Limit, t.Flag)
}

// Is makes a time limit a [context.DeadlineExceeded].
func (t *TimeLimit) Is(target error) bool { return target == context.DeadlineExceeded }

// ofTheUser reports whether an error is of a time limit that a flag set.
func ofTheUser(err error) bool {
	limit := (*TimeLimit)(nil)
	return errors.As(err, &limit) && limit.Flag != ""
}

// Unavailable reports whether an error speaks of the server and not of the document: another time
// it may work.
func Unavailable(err error) bool {
	if api := (*partition.APIError)(nil); errors.As(err, &api) && !api.Transient() || ofTheUser(err) {
		return false
	}
	return partition.KindOf(err).Transient()
}

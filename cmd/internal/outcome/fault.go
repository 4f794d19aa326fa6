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

// Unavailable reports whether an error speaks of the server and not of the document: another time it may work.
func Unavailable(err error) bool {
	var api *partition.APIError
	var limit *TimeLimit
	if errors.As(err, &api) && api.Final || errors.As(err, &limit) && limit.Flag != "" {
		return false
	}
	switch partition.KindOf(err) {
	case partition.KindTransport, partition.KindServer, partition.KindThrottled, partition.KindTimeout:
		return true
	default:
		return false
	}
}

// MayBeShared reports whether a server failed a document for a reason that others may well share: it blames the request, or itself.
func MayBeShared(err error) bool {
	switch partition.KindOf(err) {
	case partition.KindServer, partition.KindBadRequest, partition.KindBadResponse:
		return true
	default:
		return false
	}
}

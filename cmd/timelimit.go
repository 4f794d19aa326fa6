package cmd

import (
	"context"
	"fmt"
	"time"
)

// A timeLimit is the cause of a context that a flag's time limit ended.
type timeLimit struct {
	limit time.Duration
	flag  string
}

func (t *timeLimit) Error() string {
	return fmt.Sprintf("time limit of %s reached (%s)", t.limit, t.flag)
}
func (t *timeLimit) Is(target error) bool { return target == context.DeadlineExceeded }

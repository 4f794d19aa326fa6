package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quire-dev/quire/partition"
)

// speaksOfServer tells of an error that any other document could have met as well. Whether the server is really the reason shows
// when it is asked: see [client.answers].
func speaksOfServer(err error) bool {
	var api *partition.APIError
	lasts := errors.As(err, &api) && api.Kind.Transient() && !api.Transient()
	switch partition.KindOf(err).Scope() {
	case partition.ScopeAccount:
		return true
	case partition.ScopeServer:
		return !lasts
	default:
		return false
	}
}

// answers asks for a document of one line, once and past the cache: a server that partitions it, or says what is wrong with it, is
// there for other documents as well. On the hosted API a question costs a page.
func (c *client) answers(ctx context.Context) bool {
	text := fmt.Sprintf("Is anybody there? It is %s.\n", time.Now().UTC().Format(time.RFC3339))
	probe := partition.FromReaderAt("probe.txt", strings.NewReader(text), int64(len(text)))
	_, err := c.probe.Partition(ctx, probe, partition.Params{Strategy: "fast"})
	return err == nil || ctx.Err() == nil && !speaksOfServer(err)
}

// longestPause is what the pause between two questions grows to.
const longestPause = 10

// awaitServer returns when the server answers or ctx ends. The pause doubles from one question to the next, to ten times as long.
func awaitServer(ctx context.Context, c *client, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for next := pause; ; next = min(2*next, longestPause*pause) {
		timer.Reset(next)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if c.answers(ctx) {
			return
		}
	}
}

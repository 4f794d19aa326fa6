package partitionotel

import (
	"context"
	"sync"
	"time"
)

// A gate is the client's, as its events tell: it may be told twice that it is closed, or open.
type gate struct {
	mu    sync.Mutex
	since time.Time // when it closed; zero while it is open
}

func (g *gate) close(ctx context.Context, m *metrics) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.since.IsZero() {
		g.since = time.Now()
		m.closedGates.Add(ctx, 1)
	}
}

func (g *gate) open(ctx context.Context, m *metrics) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.since.IsZero() {
		m.closedGates.Add(ctx, -1)
		m.closedTime.Add(ctx, time.Since(g.since).Seconds())
		g.since = time.Time{}
	}
}

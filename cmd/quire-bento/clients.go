package main

import (
	"sync"
	"time"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition/wire"
)

// lifetime is how long a client takes new documents. A worker that runs for months has a new one every day, so that the cache, which
// keeps everything that a run has used, can be brought down to its size. While the former one ends its documents there may be more
// requests in flight than in_flight says.
const lifetime = 24 * time.Hour

// clients hands out one client to all threads, and closes it when nobody uses it any more. Its methods may be called by several
// goroutines at once.
type clients struct {
	open func() (*client, error)
	log  *service.Logger

	mu      sync.Mutex
	current *client
	closed  bool
}

// acquire returns the client to use, for release. After close it still does: threads end one after the other, and the first of them
// closes.
func (c *clients) acquire() (*client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.current; old == nil || time.Since(old.born) > lifetime {
		opened, err := c.open()
		switch {
		case err == nil:
			c.current = opened
			c.retire(old)
		case old == nil:
			return nil, err
		default:
			c.log.Warnf("going on with a client of %s: %s", old.born.Format(time.RFC3339), err)
		}
	}
	c.current.users++
	return c.current, nil
}

func (c *clients) release(used *client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	used.users--
	if used.retired || c.closed {
		c.retire(used)
	}
}

// close closes the client as soon as nobody uses it.
func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.retire(c.current)
}

// retire closes a client that nobody uses, and sees to it that another one closes with its last document. The lock is held: who
// opens the same cache next waits until it has been trimmed.
func (c *clients) retire(old *client) {
	if old == nil {
		return
	}
	old.retired = true
	if old.users > 0 {
		return
	}
	if c.current == old {
		c.current = nil
	}
	if err := old.close(); err != nil {
		c.log.Warnf("closing: %s", wire.Printable(err.Error()))
	}
}

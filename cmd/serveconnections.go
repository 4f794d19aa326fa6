package cmd

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// connections is a listener with a bound on the open connections. One that has no request with an
// engine yields to a newcomer, the one that has waited longest first: who connects and says nothing
// keeps nobody out. Where all have a request, newcomers wait.
type connections struct {
	net.Listener
	most int

	mu    sync.Mutex
	freed *sync.Cond // a connection was closed, or its request has ended
	open  int
	idle  *list.List // of *connection, the longest wait first
}

func limitConnections(l net.Listener, most int) *connections {
	c := &connections{Listener: l, most: most, idle: list.New()}
	c.freed = sync.NewCond(&c.mu)
	return c
}

// Accept implements [net.Listener].
func (c *connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	for c.open >= c.most {
		oldest := c.idle.Front()
		if oldest == nil {
			c.freed.Wait()
			continue
		}
		c.mu.Unlock()
		oldest.Value.(*connection).Close() //nolint:errcheck // it is given up
		c.mu.Lock()
	}
	defer c.mu.Unlock()
	c.open++
	accepted := &connection{Conn: conn, all: c}
	accepted.waiting = c.idle.PushBack(accepted)
	return accepted, nil
}

// A connection is one of the open ones.
type connection struct {
	net.Conn
	all *connections

	closed  bool
	waiting *list.Element // its place in idle; nil while it has a request
}

// Close implements [net.Conn].
func (c *connection) Close() error {
	c.all.mu.Lock()
	if !c.closed {
		c.closed = true
		c.all.open--
		if c.waiting != nil {
			c.all.idle.Remove(c.waiting)
			c.waiting = nil
		}
		c.all.freed.Broadcast()
	}
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// begin takes a connection out of those that yield, until end is called.
func (c *connection) begin() (end func()) {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	if c.waiting != nil {
		c.all.idle.Remove(c.waiting)
		c.waiting = nil
	}
	return func() {
		c.all.mu.Lock()
		defer c.all.mu.Unlock()
		if !c.closed {
			c.waiting = c.all.idle.PushBack(c)
			c.all.freed.Broadcast()
		}
	}
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// keep is for [http.Server.ConnContext].
func (c *connections) keep(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// handler marks a request's connection as one that has a request.
func (c *connections) handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, is := r.Context().Value(connectionKey{}).(*connection); is {
			defer conn.begin()()
		}
		h.ServeHTTP(w, r)
	})
}

package retry

import (
	"net"
	"net/http"
	"reflect"
	"sync"
	"time"
)

// connections keeps an HTTP/1 connection from being used again after a 5xx: many servers close it
// then without saying so, and the next request on it would be lost.
//
// net/http gives a connection back to its pool by itself: as soon as the answer's last byte is read,
// or, of an answer without a body, before the answer is returned. There is no way to forbid that.
// So a request that is handed a connection waits until the answer before it is known, which takes a
// moment. After a 5xx the connection is spent: it is barred from writing, and closed with the answer.
// The request that was handed it cannot write, and goes out on another.
type connections struct {
	mu    sync.Mutex
	users map[net.Conn]*connection // the last request that each was given to, while it is under way
	spent map[net.Conn]time.Time   // since when
}

// connection is the one that a request goes out on. It is guarded by connections.mu.
type connection struct {
	pool    *connections
	conn    net.Conn      // nil: not known
	spent   bool          // it was when the request was given it: nothing was written
	written bool          // the request was sent to its end
	begun   bool          // the answer has begun
	failed  bool          // it is a 5xx on HTTP/1
	settled chan struct{} // closed when it is known what the answer is, or that there is none
}

// spentFor is how long a spent connection is remembered, which takes a moment to leave the pool.
const spentFor = time.Minute

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// take notes that the request was given a connection, and reports whether that is spent.
func (r *connection) take(conn net.Conn) (spent bool) {
	if conn == nil || !reflect.TypeOf(conn).Comparable() {
		return false
	}
	p := r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for before := p.users[conn]; before != nil && before.freesSoon(); before = p.users[conn] {
		settled := before.settled
		p.mu.Unlock()
		<-settled
		p.mu.Lock()
	}
	if p.users == nil {
		p.users, p.spent = make(map[net.Conn]*connection), make(map[net.Conn]time.Time)
	}
	r.leave() // net/http goes from one to another by itself
	_, spent = p.spent[conn]
	*r = connection{pool: p, conn: conn, spent: spent, settled: make(chan struct{})}
	p.users[conn] = r
	return spent
}

// freesSoon reports whether the answer is on its way to the caller. Another request may have its
// connection by then; on HTTP/2 it may at any time, and is not to wait for the answer of this one.
func (r *connection) freesSoon() bool {
	select {
	case <-r.settled:
		return false
	default:
		return r.written && r.begun
	}
}

func (r *connection) wrote() {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.written = true
	if r.failed {
		r.bar()
	}
}

func (r *connection) answered() {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.begun = true
}

// settle notes the request's answer.
func (r *connection) settle(resp *http.Response) {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	if r.failed = resp.StatusCode >= 500 && resp.ProtoMajor == 1; r.failed && r.written {
		r.bar() // not before, or what is left of the request would end the answer
	}
	if r.settled != nil {
		close(r.settled)
	}
}

// bar keeps others from writing to the connection.
func (r *connection) bar() {
	if r.conn == nil || r.pool.users[r.conn] != r {
		return
	}
	now := time.Now()
	for conn, since := range r.pool.spent {
		if now.Sub(since) > spentFor {
			delete(r.pool.spent, conn)
		}
	}
	r.pool.spent[r.conn] = now
	_ = r.conn.SetWriteDeadline(longAgo) // it fails only where the connection is closed
}

// leave notes that the request does not need its connection any longer.
func (r *connection) leave() {
	if r.settled == nil {
		return
	}
	select {
	case <-r.settled:
	default:
		close(r.settled)
	}
	if r.pool.users[r.conn] == r {
		delete(r.pool.users, r.conn)
	}
}

// give gives the connection up, and closes it after a 5xx. It reports whether that of an earlier
// request kept this one from being sent.
func (r *connection) give() (unsent bool) {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	if r.failed && r.conn != nil && r.pool.users[r.conn] == r {
		r.bar()
		_ = r.conn.Close() // net/http may have closed it
	}
	r.leave()
	return r.spent
}

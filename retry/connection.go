package retry

import (
	"net"
	"net/http"
	"net/http/httptrace"
	"reflect"
	"strings"
	"sync"
	"time"
)

// connections keeps an HTTP/1 connection from being used again after a 5xx: many servers close it
// then without saying so, and the next request on it would be lost.
//
// net/http gives a connection back to its pool by itself: as soon as the answer's last byte is read,
// or, of an answer without a body, before the answer is returned. There is no way to forbid that.
// So a connection is barred from writing once the request is sent and the answer begins; one whose
// answer turns out to be no 5xx is freed, any other is spent, and closed with the answer. A request
// that is handed a barred connection cannot write to it, and goes out on another.
type connections struct {
	mu     sync.Mutex
	users  map[net.Conn]*connection // the last request that each was given to, while it is under way
	barred map[net.Conn]time.Time   // since when
}

// connection is the one that a request goes out on. It is guarded by connections.mu.
type connection struct {
	pool  *connections
	conn  net.Conn // nil: not known
	spent bool     // it was barred when the request was given it: nothing was written

	http1   bool // a field of the request's header went out, and none of HTTP/2
	http2   bool // whose connections are shared
	written bool // the request was sent to its end
	begun   bool // the answer has begun
	status  int  // of the answer; 0 until it is known
}

// barredFor is how long a barred connection is remembered, which takes a moment to leave the pool.
const barredFor = time.Minute

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// watch adds what it needs to know to the hooks of a request.
func (r *connection) watch(hooks *httptrace.ClientTrace) {
	note := func(f func()) {
		r.pool.mu.Lock()
		defer r.pool.mu.Unlock()
		f()
		r.bar()
	}
	hooks.WroteHeaderField = func(name string, _ []string) {
		note(func() {
			r.http2 = r.http2 || strings.HasPrefix(name, ":")
			r.http1 = !r.http2
		})
	}
	wrote := hooks.WroteRequest
	hooks.WroteRequest = func(i httptrace.WroteRequestInfo) {
		wrote(i)
		note(func() { r.written = i.Err == nil })
	}
	hooks.GotFirstResponseByte = func() { note(func() { r.begun = true }) }
}

// take notes that the request was given a connection, and reports whether that is barred.
func (r *connection) take(conn net.Conn) (spent bool) {
	if conn == nil || !reflect.TypeOf(conn).Comparable() {
		return false
	}
	p := r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == nil {
		p.users, p.barred = make(map[net.Conn]*connection), make(map[net.Conn]time.Time)
	}
	_, spent = p.barred[conn]
	*r = connection{pool: p, conn: conn, spent: spent}
	p.users[conn] = r
	return spent
}

// bar bars the connection, unless its answer is known to be no 5xx.
func (r *connection) bar() {
	ours := r.conn != nil && r.http1 && r.pool.users[r.conn] == r && !r.spent
	if !ours || !r.written || !r.begun || r.status != 0 && r.status < 500 || r.conn.SetWriteDeadline(longAgo) != nil {
		return
	}
	now := time.Now()
	for conn, since := range r.pool.barred {
		if now.Sub(since) > barredFor {
			delete(r.pool.barred, conn)
		}
	}
	r.pool.barred[r.conn] = now
}

// settle frees the connection after an answer that is no 5xx, and returns what is to be done when
// the answer is closed.
func (r *connection) settle(resp *http.Response) (release func()) {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	r.status = resp.StatusCode
	_, barred := r.pool.barred[r.conn]
	switch {
	case !barred || r.pool.users[r.conn] != r:
	case r.status >= 500:
		return func() {
			r.give()
			_ = r.conn.Close() // net/http may have closed it
		}
	default:
		delete(r.pool.barred, r.conn)
		_ = r.conn.SetWriteDeadline(time.Time{}) // it fails only where the connection is closed
	}
	return r.give
}

// give notes that the request does not need its connection any longer.
func (r *connection) give() {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	if r.pool.users[r.conn] == r {
		delete(r.pool.users, r.conn)
	}
}

// unsent reports whether the request failed because its last connection was barred.
func (r *connection) unsent() bool {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	return r.spent
}

package retry

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// body is a request's body. The zero value is none.
type body struct {
	open   func() (io.ReadCloser, error) // a fresh reader from the first byte
	length int64                         // in bytes; -1 is unknown
	once   bool                          // open works only once
}

// bodyOf returns the body of a request.
func bodyOf(req *http.Request) body {
	b := body{open: req.GetBody, length: req.ContentLength}
	switch {
	case req.Body == http.NoBody || req.Body == nil && req.GetBody == nil:
		return body{}
	case req.GetBody == nil:
		b.open, b.once = func() (io.ReadCloser, error) { return req.Body, nil }, true
	}
	if b.length == 0 {
		b.length = -1
	}
	return b
}

// sentBody is one attempt's reader of the request's body. It opens the body at the first read, so
// that an attempt that never gets a connection does not use up a body that opens only once, and
// counts what the transport takes. Close may come from another goroutine while a read is under way.
type sentBody struct {
	body   body
	barred *atomic.Bool // the connection is spent

	mu     sync.Mutex
	rc     io.ReadCloser
	opened bool
	closed bool
	n      int64
	eof    bool
	err    error // of Open or Read, which is the caller's fault and not the network's
}

var (
	errBodyClosed = errors.New("request body closed")
	errSpent      = errors.New("the connection is not used again after a 5xx")
	errTooLong    = errors.New("the request's body is longer than declared")
)

func (s *sentBody) Read(p []byte) (int, error) {
	rc, err := s.open()
	if err != nil {
		return 0, err
	}
	n, err := rc.Read(p)
	more := 0
	if l := s.body.length; l >= 0 && err == nil && s.taken()+int64(n) == l {
		// Look for more before the last byte goes out: the server may answer it before anybody sees that
		// the body is too long.
		more, err = rc.Read(make([]byte, 1))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += int64(n + more)
	switch {
	case s.body.length >= 0 && s.n > s.body.length:
		return 0, errTooLong
	case errors.Is(err, io.EOF):
		s.eof = true
	case err != nil && !s.closed:
		s.err = err
	}
	return n, err
}

func (s *sentBody) taken() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *sentBody) open() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errBodyClosed
	case s.err != nil:
		return nil, s.err
	case s.rc == nil && s.barred.Load():
		return nil, errSpent
	case s.rc == nil:
		s.opened = true
		s.rc, s.err = s.body.open()
	}
	return s.rc, s.err
}

func (s *sentBody) Close() error {
	s.mu.Lock()
	rc, closed := s.rc, s.closed
	s.closed = true
	s.mu.Unlock()
	if rc == nil || closed {
		return nil
	}
	return rc.Close()
}

// progress is what is known of a body that was being sent.
type progress struct {
	n      int64
	done   bool // taken to its end
	opened bool
	length bool // not as long as declared
	err    error
}

func (s *sentBody) progress() progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := progress{n: s.n, opened: s.opened, err: s.err, done: s.eof}
	if l := s.body.length; l >= 0 {
		p.done = s.n >= l
		p.length = s.n > l || s.eof && s.n < l
	}
	return p
}

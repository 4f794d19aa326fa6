package retry

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// peek reads the beginning of an answer's body, at most limit bytes within wait. It returns what it
// saw and whether that is everything, and makes the body go on after it. A read that is still
// under way when the time is over goes on by itself; its bytes are not lost.
func peek(resp *http.Response, limit int, wait time.Duration) (seen []byte, whole bool) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return nil, true
	}
	p := &peeking{src: resp.Body, limit: limit, done: make(chan struct{}), buf: make([]byte, 0, firstRead(resp.ContentLength, limit))}
	go p.run()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop = true
	seen = p.buf[:len(p.buf):len(p.buf)]
	p.served = len(seen)
	if errors.Is(p.err, io.EOF) {
		return seen, true
	}
	resp.Body = p
	return seen, false
}

// peekAll reads the beginning of an answer's body without a limit in time.
func peekAll(resp *http.Response, limit int) (seen []byte, whole bool, err error) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return nil, true, nil
	}
	var b bytes.Buffer
	b.Grow(firstRead(resp.ContentLength, limit))
	_, err = b.ReadFrom(io.LimitReader(resp.Body, int64(limit)+1))
	return b.Bytes(), err == nil && b.Len() <= limit, err
}

// firstRead sizes a buffer so that a body of declared length needs one, with room for the read that
// finds the end.
func firstRead(declared int64, limit int) int {
	if declared < 0 {
		return min(4<<10, limit+1)
	}
	return int(min(declared, int64(limit))) + bytes.MinRead
}

// peeking is a body of which a goroutine reads the beginning. After the peek it is the rest of the
// body.
type peeking struct {
	src   io.ReadCloser
	limit int
	done  chan struct{} // closed when the goroutine reads no more

	mu     sync.Mutex
	buf    []byte
	served int // bytes that were seen
	err    error
	stop   bool
}

func (p *peeking) run() {
	defer close(p.done)
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.err == nil && !p.stop && len(p.buf) <= p.limit {
		if len(p.buf) == cap(p.buf) {
			p.buf = append(p.buf, 0)[:len(p.buf)]
		}
		room := p.buf[len(p.buf):min(cap(p.buf), p.limit+1)]
		p.mu.Unlock()
		n, err := p.src.Read(room)
		p.mu.Lock()
		p.buf, p.err = p.buf[:len(p.buf)+n], err
	}
}

// Read waits for the goroutine's last read, serves what it got, then goes on.
func (p *peeking) Read(b []byte) (int, error) {
	<-p.done
	if p.served < len(p.buf) {
		n := copy(b, p.buf[p.served:])
		p.served += n
		return n, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	return p.src.Read(b)
}

func (p *peeking) Close() error { return p.src.Close() }

// plain returns a peek as the server meant it: decoded from gzip where the transport left that to
// the caller. What was peeked at is not changed.
func plain(h http.Header, seen []byte, whole bool, limit int) ([]byte, bool) {
	if !strings.EqualFold(strings.TrimSpace(h.Get("Content-Encoding")), "gzip") {
		return seen, whole
	}
	z, err := gzip.NewReader(bytes.NewReader(seen))
	if err != nil {
		return seen, false
	}
	text, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	return text, whole && err == nil && len(text) <= limit
}

package partitiontest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strconv"
)

// maxHeld is how many bytes of an answer are held back at most, if its length is announced.
const maxHeld = 64 << 10

// answer holds back what a handler writes until it flushes or returns; of a long answer with a
// length, the last byte. So a request is counted out before its client can see the end of the
// answer, and an answer that was not flushed has its exact Content-Length.
type answer struct {
	w        http.ResponseWriter
	noted    func(status int) // told the status before the client can see it
	leave    func()           // counts the request out
	status   int
	body     bytes.Buffer
	started  bool // the header has been sent
	hijacked bool
}

func (a *answer) Header() http.Header { return a.w.Header() }

func (a *answer) WriteHeader(status int) {
	switch {
	case a.status != 0 || a.hijacked:
	case status < 200: // informational, one of possibly many
		a.w.WriteHeader(status)
	default:
		a.status = status
		a.noted(status)
	}
}

func (a *answer) Write(p []byte) (int, error) {
	if !a.passes(len(p)) {
		return a.body.Write(p)
	}
	if err := a.send(); err != nil {
		return 0, err
	}
	if n, err := a.w.Write(p[:len(p)-1]); err != nil {
		return n, err
	}
	a.body.Write(p[len(p)-1:])
	return len(p), nil
}

// WriteString is looked for by [io.WriteString].
func (a *answer) WriteString(s string) (int, error) {
	if !a.passes(len(s)) {
		return a.body.WriteString(s)
	}
	if err := a.send(); err != nil {
		return 0, err
	}
	if n, err := io.WriteString(a.w, s[:len(s)-1]); err != nil {
		return n, err
	}
	a.body.WriteString(s[len(s)-1:])
	return len(s), nil
}

// passes reports whether n bytes more go out at once, all but the last of them: when they are many
// and the length is announced.
func (a *answer) passes(n int) bool {
	a.WriteHeader(http.StatusOK)
	return n > 0 && a.body.Len()+n > maxHeld && a.Header().Get("Content-Length") != ""
}

// FlushError is looked for by [http.ResponseController].
func (a *answer) FlushError() error {
	if err := a.send(); err != nil {
		return err
	}
	return http.NewResponseController(a.w).Flush()
}

// Hijack is looked for by [http.ResponseController].
func (a *answer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	a.leave()
	conn, rw, err := http.NewResponseController(a.w).Hijack()
	a.hijacked = err == nil
	return conn, rw, err
}

func (a *answer) send() error {
	if a.hijacked {
		return http.ErrHijacked
	}
	a.WriteHeader(http.StatusOK)
	if !a.started {
		a.started = true
		a.w.WriteHeader(a.status)
	}
	_, err := a.w.Write(a.body.Bytes())
	a.body.Reset()
	return err
}

// finish sends what is left.
func (a *answer) finish() {
	a.leave()
	if a.hijacked {
		return
	}
	a.WriteHeader(http.StatusOK)
	mayHaveBody := a.status != http.StatusNoContent && a.status != http.StatusNotModified
	if !a.started && mayHaveBody && a.Header().Get("Content-Length") == "" {
		a.Header().Set("Content-Length", strconv.Itoa(a.body.Len()))
	}
	_ = a.send() // fails only when the client has gone
}

// abandon is for answers that end in a panic: what was not flushed is not sent.
func (a *answer) abandon() { a.leave() }

package retry_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// pipeListener accepts what its dial connects: a network without sockets, on which a bubble's clock
// can stand still.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	dials int
	mu    sync.Mutex
	down  func() error // refuses connections where it returns an error
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

func (l *pipeListener) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	l.mu.Lock()
	l.dials++
	l.mu.Unlock()
	if l.down != nil {
		if err := l.down(); err != nil {
			return nil, &net.OpError{Op: "dial", Net: "pipe", Err: err}
		}
	}
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reply is one scripted answer.
type reply struct {
	status int
	header string // "Name: value" lines
	body   string
	delay  time.Duration
	fault  string // dial, reset, truncate, hang, stall
}

// sent is one request that the server saw.
type sent struct {
	at     time.Duration
	method string
	url    string
	body   string
	header http.Header
}

// server is a scripted server and a client for it, inside a bubble.
type server struct {
	t       *testing.T
	start   time.Time
	lis     *pipeListener
	tr      *http.Transport
	srv     *http.Server
	mu      sync.Mutex
	script  []reply
	sent    []sent
	handler http.HandlerFunc // instead of the script
}

// bubble runs f with a server under a fake clock. Answers beyond the script are its last one.
func bubble(t *testing.T, script []reply, f func(t *testing.T, s *server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &server{t: t, start: time.Now(), lis: newPipeListener(), script: script}
		s.srv = &http.Server{Handler: s}
		s.tr = &http.Transport{DialContext: s.lis.DialContext, MaxIdleConnsPerHost: 100}
		s.lis.down = func() error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if r, ok := s.peekScript(); ok && r.fault == "dial" {
				s.note(sent{})
				return errRefused
			}
			return nil
		}
		go s.srv.Serve(s.lis)
		defer func() {
			s.tr.CloseIdleConnections()
			s.srv.Close()
			synctest.Wait()
		}()
		f(t, s)
	})
}

type refused struct{}

func (refused) Error() string { return "connection refused" }

var errRefused error = refused{}

func (s *server) peekScript() (reply, bool) {
	if len(s.script) == 0 {
		return reply{}, false
	}
	return s.script[min(len(s.sent), len(s.script)-1)], true
}

func (s *server) note(r sent) {
	r.at = time.Since(s.start)
	s.sent = append(s.sent, r)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	a, ok := s.peekScript()
	s.note(sent{method: r.Method, url: r.URL.String(), body: string(body), header: r.Header})
	s.mu.Unlock()
	if s.handler != nil {
		s.handler(w, r)
		return
	}
	if !ok {
		return
	}
	answer(w, a)
}

func answer(w http.ResponseWriter, a reply) {
	time.Sleep(a.delay)
	for line := range strings.Lines(a.header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		w.Header().Add(name, value)
	}
	switch a.fault {
	case "reset":
		c, _, _ := http.NewResponseController(w).Hijack()
		c.Close()
		return
	case "truncate":
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "stall": // sends the body, then nothing for an hour
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
		http.NewResponseController(w).Flush()
		time.Sleep(time.Hour)
		return
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

// client returns a client of the policy whose jitter is always at r.
func (s *server) client(policy string, r float64) *retry.Client {
	p, ok := retry.Preset(policy)
	require.True(s.t, ok, policy)
	c := &retry.Client{HTTP: &http.Client{Transport: s.tr}, Policy: p}
	c.SetRandom(func() float64 { return r })
	return c
}

var headers = retry.Headers

func preset(t testing.TB, name string) *retry.Policy {
	p, ok := retry.Preset(name)
	require.True(t, ok)
	return p
}

// newRequest is a request to a URL that can be parsed.
func newRequest(method, url string, body []byte) *http.Request {
	r, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	return r
}

// opener returns a GetBody.
func opener(body string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
}

// post is a call with a body.
func post(body string) retry.Call {
	return retry.Call{Request: newRequest("POST", "http://pipe/general/v0/general", []byte(body))}
}

// seconds returns when the requests came, in seconds since the bubble began.
func (s *server) seconds() []float64 {
	var out []float64
	for _, r := range s.sent {
		out = append(out, r.at.Seconds())
	}
	return out
}

// outcome is a call that has ended and whose answer was read.
type outcome struct {
	status int
	body   string
	trace  retry.Trace
	err    error
	at     time.Duration // since the bubble began
}

func (s *server) do(ctx context.Context, c *retry.Client, call retry.Call) outcome {
	resp, trace, err := c.Do(ctx, call)
	o := outcome{trace: trace, err: err, at: time.Since(s.start)}
	if resp != nil {
		b, err := io.ReadAll(resp.Body)
		require.NoError(s.t, err)
		require.NoError(s.t, resp.Body.Close())
		o.status, o.body = resp.StatusCode, string(b)
	}
	return o
}

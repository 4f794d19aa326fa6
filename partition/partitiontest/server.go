// Package partitiontest is a partition API server for tests, with scripted faults.
//
// It is to the partition API what net/http/httptest is to HTTP: a real server in the test's own
// process. By default it answers one element a page of a PDF and one element for any other file,
// checks each request more strictly than the real server does, and keeps a record of what arrived:
//
//	srv := partitiontest.NewServer(partitiontest.Options{})
//	defer srv.Close()
//	client, err := partition.New(partition.WithBaseURL(srv.URL), partition.WithHTTPClient(srv.Client()))
//	...
//	srv.Script(
//		// Every first attempt fails,
//		partitiontest.Fault{Attempt: 1, Do: partitiontest.Detail(503, "Server is under heavy load.")},
//		// and no request that has page 7 ever succeeds.
//		partitiontest.Fault{Pages: split.PageRange{First: 7, Last: 7}, Do: partitiontest.Reset()},
//	)
//	...
//	for _, r := range srv.Requests() {
//		t.Log(r.File, r.Pages, r.Attempt, r.Status, r.SHA256)
//	}
//
// A [Fault] says which requests it takes and what it does to them. What it does is an [Action],
// HTTP middleware around the real answer; actions combine with [Chain], and a test may bring its
// own.
//
// # Waiting without time
//
// With a [PipeListener] server and client run inside a testing/synctest bubble, where a [Delay] of
// two minutes takes no time:
//
//	synctest.Test(t, func(t *testing.T) {
//		srv := partitiontest.NewServer(partitiontest.Options{Listener: partitiontest.NewPipeListener("")})
//		defer srv.Close()
//		...
//	})
//
// The package links no test framework, so that programs may use it as well: for demonstrations, or
// for a server to try a client by hand.
package partitiontest

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// Options change what a [Server] is. The zero value is ready to use.
type Options struct {
	// Engine answers the requests that no fault takes; nil is [Pages]. It gets the request as the
	// client sent it, without Prefix, and parsed already for those who ask [FromContext].
	Engine http.Handler

	// APIKey is what the header unstructured-api-key must be. A request with another one gets 401
	// and, as from the real server, the key that it sent in the error's text. Empty: every request
	// is welcome.
	APIKey string

	// Prefix is a path before the API's own paths, as a gateway has it: "/tenant-7".
	Prefix string

	// Listener is where the server listens: a [PipeListener], or nil for a free port of 127.0.0.1.
	// The server closes it.
	Listener net.Listener

	// Lenient turns off the form check. Without it the server refuses, with status 400 and a detail
	// that starts with "strict:", what the real server would silently ignore or misread; see
	// [Server.Violations].
	Lenient bool

	// AllowFields are form fields that the check lets pass beside those of [wire.Fields].
	AllowFields []string
}

// A Server is a partition API server. Its methods may be called from several goroutines at once.
type Server struct {
	URL string // http://host[:port] and Options.Prefix, without a trailing slash

	options  Options
	listener net.Listener
	http     *http.Server
	client   *http.Client
	ctx      context.Context // ends with the server
	cancel   context.CancelFunc
	running  sync.WaitGroup // the accept loop and the connections

	mu       sync.Mutex
	faults   []*scripted
	requests []*Request
	attempts map[attemptKey]int
	inFlight int
	peak     int
}

// NewServer starts a server. The caller closes it. It panics when it cannot listen, as
// net/http/httptest does.
func NewServer(o Options) *Server {
	s := &Server{options: o, listener: o.Listener, attempts: map[attemptKey]int{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.options.AllowFields = slices.Clone(o.AllowFields)
	if s.listener == nil {
		var local net.ListenConfig
		listener, err := local.Listen(s.ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			panic("partitiontest: " + err.Error())
		}
		s.listener = listener
	}
	transport := &http.Transport{}
	if pipe, ok := s.listener.(*PipeListener); ok {
		transport.DialContext = pipe.DialContext
	}
	s.client = &http.Client{Transport: transport}
	s.URL = "http://" + s.listener.Addr().String() + o.Prefix
	s.http = &http.Server{ // without time-outs: a test decides how long a client may take
		Handler:     http.HandlerFunc(s.serve),
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ConnState:   s.connState,
	}
	s.running.Go(func() { _ = s.http.Serve(s.listener) })
	return s
}

// Client returns an HTTP client that reaches the server, through its pipe where it listens on one,
// and uses no proxy. Its idle connections are closed with the server.
func (s *Server) Client() *http.Client { return s.client }

// Close ends the server and returns when nothing of it is left. Requests in progress are cut off;
// an engine that does not look at its request's context is waited for.
func (s *Server) Close() {
	s.cancel()
	_ = s.http.Close()
	s.running.Wait()
	s.client.CloseIdleConnections()
}

// connState counts the connections that still have a goroutine.
func (s *Server) connState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.running.Add(1)
		if s.ctx.Err() != nil {
			_ = conn.Close() // accepted while the server was closing, which did not see it
		}
	case http.StateClosed, http.StateHijacked:
		s.running.Done()
	}
}

// Script adds faults behind those that are there. It panics when a fault's File is no pattern.
func (s *Server) Script(faults ...Fault) {
	added := make([]*scripted, 0, len(faults))
	for _, f := range faults {
		f.check()
		added = append(added, &scripted{Fault: f})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, added...)
}

// Requests returns what has arrived so far, in order of arrival, with everything that is known of
// it by now. Requests other than partition requests are among it.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := make([]Request, len(s.requests))
	for i, r := range s.requests {
		requests[i] = *r
	}
	return requests
}

// InFlight returns how many partition requests are being answered now. A request counts from when
// its header has arrived until just before the end of its answer leaves. One that the client gave
// up counts until the server has noticed.
func (s *Server) InFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inFlight
}

// PeakInFlight returns the most that [Server.InFlight] has been.
func (s *Server) PeakInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Violations returns what the form check has found in all requests, a line each. A test of a client
// ends well with a check that there is none.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for _, r := range s.requests {
		for _, v := range r.Violations {
			lines = append(lines, r.File+": "+v)
		}
	}
	return lines
}

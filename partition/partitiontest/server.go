// Package partitiontest is a partition API server for tests, with scripted faults.
//
// It is to the partition API what net/http/httptest is to HTTP: a real server in the test's own
// process. By default it answers with one element per page of a PDF and with one element for any
// other file. It checks each request more strictly than the real server does, and records the
// requests:
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
// A [Fault] says which requests it takes and what happens to them. What happens is an [Action]:
// HTTP middleware around the real answer. [Chain] combines actions, and a test may define its own.
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
// The package does not depend on a test framework. So programs may use it too: for demonstrations,
// or as a server for trying a client by hand.
package partitiontest

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// Options set up a [Server]. The zero value is ready to use.
type Options struct {
	// Engine answers the requests that no fault takes; nil means [Pages]. It gets the request as
	// the client sent it, without Prefix. [FromContext] returns the parsed request.
	Engine http.Handler

	// APIKey is the required value of the header unstructured-api-key. A request with another key
	// gets 401; the error text repeats that key, as the real server's does. Empty: every request is
	// accepted.
	APIKey string

	// Prefix is a path before the API's own paths, as a gateway has it: "/tenant-7".
	Prefix string

	// Listener is where the server listens: a [PipeListener], or nil for a free port of 127.0.0.1.
	// The server closes it.
	Listener net.Listener

	// Lenient turns off the form check. The form check finds what the real server would silently
	// ignore or misread. It refuses such a request with status 400 and a detail that starts with
	// "strict:"; see [Server.Violations].
	Lenient bool

	// AllowFields are form fields that the check accepts in addition to those of [wire.Fields].
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

// Client returns an HTTP client that connects to the server, through a pipe if the server has a
// [PipeListener]. It uses no proxy. Its idle connections are closed with the server.
func (s *Server) Client() *http.Client { return s.client }

// Close stops the server and waits until all of it has ended. It cuts off requests in progress, but
// waits for an engine that ignores its request's context.
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

// Script adds faults after the existing ones. It panics if a fault's File is not a valid pattern.
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

// Requests returns all requests so far, in order of arrival, with everything that is known of them
// by now. It includes requests other than partition requests.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := make([]Request, len(s.requests))
	for i, r := range s.requests {
		requests[i] = *r
	}
	return requests
}

// InFlight returns how many partition requests are being answered now. A request counts from the
// arrival of its header until just before the end of its answer is sent. A request that the client
// gave up counts until the server notices.
func (s *Server) InFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inFlight
}

// PeakInFlight returns the highest value that [Server.InFlight] has had.
func (s *Server) PeakInFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Violations returns what the form check has found in all requests, one line each. A test of a
// client should check at its end that there are none.
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

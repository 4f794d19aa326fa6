package partitiontest

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/quire-dev/quire/split"
)

// A Request is what the server knows of a request that arrived. Do not change its maps and slices.
type Request struct {
	Time          time.Time
	Method        string
	Path          string // with the server's prefix
	Header        http.Header
	ContentLength int64  // -1: not announced
	RequestID     string // the header X-Request-Id

	Fields    url.Values // as sent: a list's name has its [] if the client wrote it
	File      string     // file name as sent
	MediaType string     // the file part's, without parameters
	Size      int64      // of the file part's content
	SHA256    string     // of the file part's content, lower-case hex; empty until all of it has arrived

	// Pages is the page range of a PDF: starting_page_number and what follows it. It is the zero
	// range for other files, for a PDF that cannot be opened, and until all of it has arrived.
	Pages split.PageRange

	Attempt    int      // 1 for the first request with this file name and page range
	Fault      string   // name of the fault that took the request
	Violations []string // of the form check
	Status     int      // of the answer; 0 if none was given, or not yet

	first   int   // first page's number
	openErr error // why the PDF cannot be opened
}

type attemptKey struct {
	file  string
	pages split.PageRange
	early bool
}

type contextKey struct{}

// FromContext returns what the server has read of the request with the context ctx. It is for
// engines and for the handlers inside an [Action]; for any other context ok is false.
func FromContext(ctx context.Context) (r Request, ok bool) {
	r, ok = ctx.Value(contextKey{}).(Request)
	return r, ok
}

// arrive records r.
func (s *Server) arrive(r *http.Request) *Request {
	req := &Request{
		Time: time.Now(), Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(),
		ContentLength: r.ContentLength, RequestID: r.Header.Get("X-Request-Id"),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	return req
}

// update changes a recorded request.
func (s *Server) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *Server) snapshot(req *Request) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *req
}

// enter counts a partition request in flight. The function that it returns counts it out, once.
func (s *Server) enter() (leave func()) {
	s.update(func() {
		s.inFlight++
		s.peak = max(s.peak, s.inFlight)
	})
	left := false
	return func() {
		s.update(func() {
			if !left {
				s.inFlight--
			}
			left = true
		})
	}
}

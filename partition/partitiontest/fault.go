package partitiontest

import (
	"path"

	"github.com/quire-dev/quire/split"
)

// A Fault takes some of the requests and does something to them. The first fault of the script that
// matches a request takes it. All conditions that are set must hold. The zero Fault takes every
// request and does not change it.
type Fault struct {
	// Name is shown in [Request.Fault]; empty: the action's name.
	Name string

	// File is a pattern for the file name, as in [path.Match]: "report.pdf", "*.pdf". Empty: every
	// file.
	File string

	// Pages takes the requests that have at least one of these pages, however the client cuts the
	// document. The zero range takes every request, including those for documents without pages.
	Pages split.PageRange

	// Attempt takes only this attempt, counted from 1 for each file name and page range. 0: every
	// attempt.
	Attempt int

	// Times is the most requests that the fault takes in all. 0: no limit.
	Times int

	// Match is a condition of the test's own. It must not call the server's methods.
	Match func(Request) bool

	// Early takes the request before the file's content is read, while the client is still sending.
	// The page range is not known by then. So Pages is compared with the first page only, and
	// attempts are counted for each file name and first page, among early faults only. It works for
	// clients that send the file last. An action that waits ends when the server closes, but not
	// when the client disconnects.
	Early bool

	// Do is what happens to the request.
	Do Action
}

func (f *Fault) check() {
	if _, err := path.Match(f.File, ""); err != nil {
		panic("partitiontest: fault for file " + f.File + ": " + err.Error())
	}
}

func (f *Fault) name() string {
	if f.Name != "" {
		return f.Name
	}
	return f.Do.Name
}

func (f *Fault) matches(r Request, pages split.PageRange) bool {
	if named, _ := path.Match(f.File, r.File); f.File != "" && !named {
		return false
	}
	if f.Pages.Len() > 0 && (pages.Len() == 0 || pages.First > f.Pages.Last || pages.Last < f.Pages.First) {
		return false
	}
	if f.Attempt != 0 && f.Attempt != r.Attempt {
		return false
	}
	return f.Match == nil || f.Match(r)
}

// scripted is a fault and how often it was used.
type scripted struct {
	Fault
	taken int
}

// take counts the attempt, and returns the fault that takes req, if any.
func (s *Server) take(req *Request, early bool) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	pages := req.Pages
	if early {
		pages = split.PageRange{First: req.first, Last: req.first}
	}
	key := attemptKey{req.File, pages, early}
	s.attempts[key]++
	req.Attempt = s.attempts[key]
	for _, f := range s.faults {
		if f.Early == early && (f.Times == 0 || f.taken < f.Times) && f.matches(*req, pages) {
			f.taken++
			req.Fault = f.name()
			return &f.Fault
		}
	}
	return nil
}

package partitiontest

import (
	"context"
	"encoding/json"
	"net/http"
	"path"
	"strings"
)

// serve answers one request: the API's paths, as the real server has them.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	req := s.arrive(r)
	a := &answer{w: w, noted: func(status int) { s.update(func() { req.Status = status }) }, leave: func() {}}
	defer a.abandon()
	where, inPrefix := strings.CutPrefix(r.URL.Path, s.options.Prefix)
	isPartition, _ := path.Match("/general/*/general", where)
	switch {
	case !inPrefix:
		writeDetail(a, http.StatusNotFound, "Not Found")
	case where == "/healthcheck" && r.Method == http.MethodGet:
		writeJSON(a, http.StatusOK, map[string]string{"healthcheck": "HEALTHCHECK STATUS: EVERYTHING OK!"})
	case !isPartition:
		writeDetail(a, http.StatusNotFound, "Not Found")
	case r.Method == http.MethodGet:
		writeDetail(a, http.StatusMethodNotAllowed, "Only POST requests are supported.")
	case r.Method != http.MethodPost:
		a.Header().Set("Allow", "POST")
		writeDetail(a, http.StatusMethodNotAllowed, "Method Not Allowed")
	default:
		a.leave = s.enter()
		s.partition(a, r, req)
	}
	a.finish()
}

// partition reads the form up to the file's content, lets an early fault take the request, and goes
// on.
func (s *Server) partition(w http.ResponseWriter, r *http.Request, req *Request) {
	f, err := newForm(r)
	if err == nil {
		err = f.readHead()
	}
	if err != nil {
		writeFormError(w, err)
		return
	}
	s.update(func() { f.describe(req) })
	rest := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.partitionRest(w, r, req, f) })
	s.withFault(w, r, req, true, rest)
}

// partitionRest reads the file, checks the form, lets a fault take the request, and else answers
// it.
func (s *Server) partitionRest(w http.ResponseWriter, r *http.Request, req *Request, f *form) {
	err := f.readRest(s.options.Engine != nil)
	if err == nil {
		err = f.countPages(r.Context())
	}
	if err != nil {
		if r.Context().Err() != nil {
			panic(http.ErrAbortHandler)
		}
		writeFormError(w, err)
		return
	}
	if s.options.Engine == nil {
		f.drop()
	}
	var violations []string
	if !s.options.Lenient {
		violations = f.violations(r, s.options.AllowFields)
	}
	s.update(func() {
		f.describe(req)
		req.Violations = violations
	})
	if len(violations) > 0 {
		writeDetail(w, http.StatusBadRequest, "strict: "+strings.Join(violations, "; "))
		return
	}
	s.withFault(w, r, req, false, s.real(f))
}

// withFault answers by the first fault that takes the request, or by real.
func (s *Server) withFault(w http.ResponseWriter, r *http.Request, req *Request, early bool, real http.Handler) {
	if fault := s.take(req, early); fault != nil && fault.Do.Wrap != nil {
		real = fault.Do.Wrap(real)
	}
	real.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, s.snapshot(req))))
}

// real is the answer without faults, its checks in the real server's order.
func (s *Server) real(f *form) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if invalid := f.invalid(); len(invalid) > 0 {
			writeJSON(w, http.StatusUnprocessableEntity, map[string]any{"detail": invalid})
			return
		}
		sent := r.Header.Values("Unstructured-Api-Key")
		if key := s.options.APIKey; key != "" && (len(sent) != 1 || sent[0] != key) {
			writeDetail(w, http.StatusUnauthorized, "API key "+strings.Join(append(sent, "None")[:max(1, len(sent))], ", ")+" is invalid")
			return
		}
		if s.options.Engine == nil {
			Pages().ServeHTTP(w, r)
			return
		}
		http.StripPrefix(s.options.Prefix, s.options.Engine).ServeHTTP(w, f.replay(r))
	})
}

func writeFormError(w http.ResponseWriter, err error) {
	writeDetail(w, http.StatusBadRequest, err.Error())
}

func writeDetail(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, map[string]string{"detail": detail})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // fails only when the client has gone
}

package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// A failure is an answer that is not 200, in the API's form {"detail": ...}.
type failure struct {
	status    int
	detail    any   // a string, or the problems of a form
	retryable *bool // the verdict; nil is none, but false with status 500
}

func (f *failure) Error() string { return fmt.Sprintf("%d: %v", f.status, f.detail) }

// writeFailure writes a failure. The API gives no verdict on a 500. Here it is false: the same
// document would meet the same code again.
func writeFailure(w http.ResponseWriter, f *failure) {
	if f.status == http.StatusInternalServerError && f.retryable == nil {
		f = &failure{status: f.status, detail: f.detail, retryable: new(false)}
	}
	writeJSON(w, f.status, struct {
		Detail    any   `json:"detail"`
		Retryable *bool `json:"retryable,omitempty"`
	}{f.detail, f.retryable})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := compactJSON(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"detail":"Internal Server Error"}`)
	}
	writeBody(w, status, "application/json", body)
}

func writeBody(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the client may have gone away
}

// compactJSON leaves <, > and & alone, as the API does.
func compactJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

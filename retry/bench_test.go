package retry_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/quire-dev/quire/retry"
)

// A call that succeeds at once: bare net/http with a body that it knows and one that it does not,
// go-retryablehttp as it comes, and this package; over a transport that does nothing, and over a
// loopback connection.
func BenchmarkCall(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "[]")
	}))
	defer s.Close()
	tr := retry.NewTransport()
	defer tr.CloseIdleConnections()
	body := []byte(strings.Repeat("x", 1024))
	header := make(http.Header)
	stub := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: header, Body: http.NoBody}, nil
	})
	for _, over := range []struct {
		name, url string
		transport http.RoundTripper
	}{{"stub", "http://stub/", stub}, {"loopback", s.URL, tr}} {
		hc := &http.Client{Transport: over.transport}
		drain := func(b *testing.B, resp *http.Response, err error) {
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		b.Run(over.name+"/http", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(b.Context(), "POST", over.url, bytes.NewReader(body))
				resp, err := hc.Do(req)
				drain(b, resp, err)
			}
		})
		b.Run(over.name+"/http-reader", func(b *testing.B) { // a body that net/http does not know, as those of files are
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(b.Context(), "POST", over.url, opaque{bytes.NewReader(body)})
				req.ContentLength = int64(len(body))
				resp, err := hc.Do(req)
				drain(b, resp, err)
			}
		})
		b.Run(over.name+"/retryablehttp", func(b *testing.B) {
			c := retryablehttp.NewClient()
			c.HTTPClient, c.Logger = hc, nil
			b.ReportAllocs()
			for b.Loop() {
				req, _ := retryablehttp.NewRequestWithContext(b.Context(), "POST", over.url, body)
				resp, err := c.Do(req)
				drain(b, resp, err)
			}
		})
		b.Run(over.name+"/retry", func(b *testing.B) {
			c := &retry.Client{HTTP: hc, Limit: retry.NewLimiter(8)}
			b.ReportAllocs()
			for b.Loop() {
				resp, _, err := c.Do(b.Context(), retry.Call{Request: newRequest("POST", over.url, body)})
				drain(b, resp, err)
			}
		})
	}
}

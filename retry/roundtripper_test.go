package retry_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// opaque hides what a reader is, as an SDK's pipe does.
type opaque struct{ io.Reader }

func TestRoundTripper(t *testing.T) {
	bubble(t, []reply{{status: 503}, {status: 302, header: "Location: /moved"}, {status: 200, body: "done"}}, func(t *testing.T, s *server) {
		hc := &http.Client{Transport: s.client("agent", 1).RoundTripper(nil)}
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://pipe/", strings.NewReader("request"))
		require.NoError(t, err)
		req.Host = "named"
		req.Header.Set("X-Key", "k")
		resp, err := hc.Do(req)
		require.NoError(t, err)
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, "done", string(b))
		require.Equal(t, []float64{0, 1, 1}, s.seconds())
		require.Equal(t, "request", s.sent[1].body)
		require.Equal(t, "k", s.sent[1].header.Get("X-Key"))
		require.Equal(t, "GET", s.sent[2].method) // the redirect was the outer client's
		require.Equal(t, "/moved", resp.Request.URL.Path)
	})
}

func TestRoundTripperBuffers(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int
		length int64
		err    string
	}{
		{"small", 1000, 0, ""},
		{"at the limit", retry.RoundTripBuffer, 0, ""},
		{"above, declared", retry.RoundTripBuffer + 1, retry.RoundTripBuffer + 1, "request body of 1048577 bytes cannot be sent again: it has no GetBody, and a body of more than 1048576 bytes is not copied"},
		{"above", retry.RoundTripBuffer + 1, 0, "request body cannot be sent again: it has no GetBody, and a body of more than 1048576 bytes is not copied"},
		{"wrong length", 10, 11, "request body has 10 bytes, but its ContentLength is 11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []reply{{status: 503}, {status: 200}}, func(t *testing.T, s *server) {
				body := bytes.Repeat([]byte("x"), c.size)
				req, err := http.NewRequestWithContext(t.Context(), "POST", "http://pipe/", opaque{bytes.NewReader(body)})
				require.NoError(t, err)
				req.ContentLength = c.length
				resp, err := s.client("agent", 1).RoundTripper(nil).RoundTrip(req)
				if c.err != "" {
					require.ErrorContains(t, err, c.err)
					require.Empty(t, s.sent)
					return
				}
				require.NoError(t, err)
				resp.Body.Close()
				require.Len(t, s.sent, 2)
				require.Equal(t, len(body), len(s.sent[1].body))
			})
		})
	}
}

// A line for every event: which document, which chunk, which attempt.
func TestLogger(t *testing.T) {
	bubble(t, []reply{{status: 503, header: "Retry-After: 7"}, {status: 400}}, func(t *testing.T, s *server) {
		var b strings.Builder
		c := s.client("unstructured", 1)
		c.Logger = slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{
			Level: slog.LevelInfo,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			},
		}))
		call := post("x")
		call.Attrs = []slog.Attr{slog.String("document", "a.pdf"), slog.String("chunk", "3-4")}
		s.do(t.Context(), c, call)
		require.Equal(t, `level=WARN msg="retry: closed" document=a.pdf chunk=3-4 attempt=1 status=503 rule="at capacity" wait=7s
level=INFO msg="retry: sleep" document=a.pdf chunk=3-4 attempt=1 status=503 rule="at capacity" wait=7s
level=INFO msg="retry: opened" document=a.pdf chunk=3-4
level=WARN msg="retry: stop" document=a.pdf chunk=3-4 attempt=2 status=400 rule=default stop=default elapsed=7s
`, b.String())
	})
}

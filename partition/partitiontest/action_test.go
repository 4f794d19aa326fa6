package partitiontest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

func detail(t *testing.T, body string) string {
	t.Helper()
	var e struct {
		Detail string `json:"detail"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	return e.Detail
}

func TestAnswers(t *testing.T) {
	real := `page 1 of report.pdf`
	for _, tc := range []struct {
		name      string
		do        partitiontest.Action
		status    int
		mediaType string
		body      string // contained
		fault     string
	}{
		{"nothing", partitiontest.Action{}, 200, "application/json", real, ""},
		{"JSON", partitiontest.Reply(503, `{"detail":"no","retryable":false}`), 503, "application/json", `{"detail":"no","retryable":false}`, "status 503"},
		{"text", partitiontest.Reply(500, "oops"), 500, "text/plain; charset=utf-8", "oops", "status 500"},
		{"no content", partitiontest.Reply(204, ""), 204, "", "", "status 204"},
		{"detail", partitiontest.Detail(429, "slow <down>"), 429, "application/json", `{"detail":"slow <down>"}`, "status 429"},
		{"HTML page", partitiontest.HTMLPage(504), 504, "text/html", "<h1>504 Gateway Timeout</h1>", "HTML page 504"},
		{"HTML with 200", partitiontest.HTMLPage(200), 200, "text/html", "<h1>200 OK</h1>", "HTML page 200"},
		{"empty", partitiontest.Empty(), 200, "application/json", "", "empty answer"},
		{"invalid JSON", partitiontest.InvalidJSON(), 200, "application/json", `[{"type": "Title"`, "invalid JSON"},
		{
			"type of its own",
			partitiontest.Chain(partitiontest.Header("Content-Type", "application/x-ndjson"), partitiontest.Reply(200, "{}")),
			200, "application/x-ndjson", "{}", "header, status 200",
		},
		{"short delay", partitiontest.Delay(time.Millisecond), 200, "application/json", real, "delay 1ms"},
		{"drip", partitiontest.Drip(40, time.Microsecond), 200, "application/json", real, "drip 40 bytes every 1µs"},
		{"gzip", partitiontest.Gzip(), 200, "application/json", real, "gzip"},
		{"own", partitiontest.Action{Name: "own", Wrap: func(real http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				req, _ := partitiontest.FromContext(r.Context())
				w.Header().Set("Content-Type", "text/x-own")
				_, _ = io.WriteString(w, req.Pages.String())
			})
		}}, 200, "text/x-own", "1-2", "own"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Options{})
			srv.Script(partitiontest.Fault{Do: tc.do})
			resp, body := mustPost(t, srv, pdf(2))
			require.Equal(t, tc.status, resp.StatusCode)
			require.Equal(t, tc.mediaType, resp.Header.Get("Content-Type"))
			require.Contains(t, body, tc.body)
			if tc.body == "" {
				require.Empty(t, body)
			}
			require.Equal(t, tc.fault, srv.Requests()[0].Fault)
			require.Equal(t, tc.status, srv.Requests()[0].Status)
		})
	}
}

func TestHeaders(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	srv.Script(partitiontest.Fault{Do: partitiontest.Chain(
		partitiontest.Header("Retry-After", "5", "X-Two", "2"), partitiontest.Detail(503, "busy"))})
	resp, body := mustPost(t, srv, notes())
	require.Equal(t, "5", resp.Header.Get("Retry-After"))
	require.Equal(t, "2", resp.Header.Get("X-Two"))
	require.Equal(t, int64(len(body)), resp.ContentLength, "announced, as by the real server")
	odd := []string{"Retry-After"}
	require.Panics(t, func() { partitiontest.Header(odd...) })
}

func TestGzipWithoutBeingAsked(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	srv.Script(partitiontest.Fault{Do: partitiontest.Chain(partitiontest.Gzip(), partitiontest.Detail(503, "busy"))})
	req := newRequest(t.Context(), srv, bytes.NewReader(form(notes())))
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := srv.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 503, resp.StatusCode)
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(resp.Body)
	require.NoError(t, err)
	body, err := io.ReadAll(z)
	require.NoError(t, err)
	require.Equal(t, "busy", detail(t, string(body)))
}

func TestRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := newServer(t, partitiontest.Options{})
		other := newServer(t, partitiontest.Options{})
		srv.Script(partitiontest.Fault{Do: partitiontest.Redirect(status, other.URL+"/general/v0/general")})
		client := *srv.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		resp, err := client.Do(newRequest(t.Context(), srv, bytes.NewReader(form(notes()))))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, status, resp.StatusCode)
		require.Equal(t, other.URL+"/general/v0/general", resp.Header.Get("Location"))
		require.Empty(t, other.Requests())
	}
}

func TestBrokenConnections(t *testing.T) {
	long := `[{"type":"Title","text":"twenty bytes and more"}]`
	for _, tc := range []struct {
		name     string
		do       partitiontest.Action
		answered bool // the header arrives
		body     string
		is       error
		status   int
	}{
		{"disconnect", partitiontest.Disconnect(), false, "", io.EOF, 0},
		{"reset", partitiontest.Reset(), false, "", syscall.ECONNRESET, 0},
		{"reset in the body", partitiontest.Chain(partitiontest.ResetAfter(20), partitiontest.Reply(200, long)), true, long[:20], syscall.ECONNRESET, 200},
		{"reset before the body", partitiontest.Chain(partitiontest.ResetAfter(0), partitiontest.Reply(503, long)), true, "", syscall.ECONNRESET, 503},
		{"truncated", partitiontest.Chain(partitiontest.Truncate(20), partitiontest.Reply(200, long)), true, long[:20], io.ErrUnexpectedEOF, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Options{})
			srv.Script(partitiontest.Fault{Do: tc.do})
			resp, err := srv.Client().Do(newRequest(t.Context(), srv, bytes.NewReader(form(notes()))))
			require.Equal(t, tc.status, srv.Requests()[0].Status)
			if !tc.answered {
				require.ErrorIs(t, err, tc.is)
				return
			}
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, tc.status, resp.StatusCode)
			require.Equal(t, int64(len(long)), resp.ContentLength)
			body, err := io.ReadAll(resp.Body)
			require.Equal(t, tc.body, string(body))
			require.ErrorIs(t, err, tc.is)
		})
	}
}

func TestStallSendsTheStart(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	srv.Script(partitiontest.Fault{Do: partitiontest.Stall(8)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := srv.Client().Do(newRequest(ctx, srv, bytes.NewReader(form(notes()))))
	require.NoError(t, err)
	defer resp.Body.Close()
	start := make([]byte, 8)
	_, err = io.ReadFull(resp.Body, start)
	require.NoError(t, err)
	require.Equal(t, `[{"type"`, string(start))
	cancel()
	_, err = resp.Body.Read(start)
	require.ErrorIs(t, err, context.Canceled)
}

// An early fault breaks the connection while the client is still sending.
func TestEarly(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	srv.Script(partitiontest.Fault{File: "report.pdf", Pages: split.PageRange{First: 3, Last: 4}, Attempt: 1, Early: true, Do: partitiontest.Reset()})
	sent := 0
	endless := readerFunc(func(p []byte) (int, error) { sent += len(p); return len(p), nil })
	head := form(plain("starting_page_number", "3"), file("report.pdf", "application/pdf", nil))
	head = head[:len(head)-len("\r\n--boundary--\r\n")]
	req := newRequest(t.Context(), srv, io.MultiReader(bytes.NewReader(head), endless))
	req.ContentLength = 1 << 40
	resp, err := srv.Client().Do(req)
	if err == nil {
		resp.Body.Close()
	}
	require.Error(t, err)
	require.Positive(t, sent)
	record := srv.Requests()[0]
	require.Equal(t, "report.pdf", record.File)
	require.Equal(t, "reset", record.Fault)
	require.Empty(t, record.SHA256)
	require.Zero(t, record.Size)

	resp, _ = mustPost(t, srv, plain("starting_page_number", "3"), pdf(2))
	require.Equal(t, 200, resp.StatusCode, "the second attempt")
	resp, _ = mustPost(t, srv, pdf(2))
	require.Equal(t, 200, resp.StatusCode, "other pages")
}

// A client that leaves in the middle of its upload is recorded with what is known.
func TestUploadBreaksOff(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	head := form(notes())
	req := newRequest(t.Context(), srv, io.MultiReader(bytes.NewReader(head[:len(head)-20]), readerFunc(func([]byte) (int, error) {
		return 0, errors.New("disk on fire")
	})))
	req.ContentLength = int64(len(head))
	resp, err := srv.Client().Do(req)
	if err == nil {
		resp.Body.Close()
	}
	require.ErrorContains(t, err, "disk on fire")
	require.Eventually(t, func() bool { return len(srv.Requests()) == 1 && srv.InFlight() == 0 }, 10*time.Second, time.Millisecond)
	require.Equal(t, "notes.txt", srv.Requests()[0].File)
	require.Empty(t, srv.Requests()[0].SHA256)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestWhichRequestsAFaultTakes(t *testing.T) {
	pages := func(first, last int) split.PageRange { return split.PageRange{First: first, Last: last} }
	chunk := func(name, first string, n int) []field {
		return []field{plain("starting_page_number", first), file(name, "application/pdf", partitiontest.NewPDF(n))}
	}
	a12, a34, b12, text := chunk("a.pdf", "1", 2), chunk("a.pdf", "3", 2), chunk("b.pdf", "1", 2), []field{notes()}
	for _, tc := range []struct {
		name  string
		fault partitiontest.Fault
		send  [][]field
		want  []bool // taken
	}{
		{"everything", partitiontest.Fault{}, [][]field{a12, text, a12}, []bool{true, true, true}},
		{"one file", partitiontest.Fault{File: "a.pdf"}, [][]field{a12, b12, text}, []bool{true, false, false}},
		{"a pattern", partitiontest.Fault{File: "*.pdf"}, [][]field{a12, b12, text}, []bool{true, true, false}},
		{"a page of a chunk", partitiontest.Fault{Pages: pages(4, 4)}, [][]field{a12, a34, text, pdfFields(5)}, []bool{false, true, false, true}},
		{"a range", partitiontest.Fault{Pages: pages(2, 3)}, [][]field{a12, a34, b12}, []bool{true, true, true}},
		{"first attempts", partitiontest.Fault{Attempt: 1}, [][]field{a12, a34, a12, a12, text, text}, []bool{true, true, false, false, true, false}},
		{"second attempts", partitiontest.Fault{Attempt: 2}, [][]field{a12, a12, a12}, []bool{false, true, false}},
		{"twice", partitiontest.Fault{Times: 2}, [][]field{a12, text, b12}, []bool{true, true, false}},
		{"all of it", partitiontest.Fault{File: "a*", Pages: pages(3, 3), Attempt: 2, Times: 1}, [][]field{a34, a12, a34, a34}, []bool{false, false, true, false}},
		{
			"own condition",
			partitiontest.Fault{Match: func(r partitiontest.Request) bool { return r.MediaType == "text/plain" }},
			[][]field{a12, text},
			[]bool{false, true},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Options{})
			tc.fault.Do = partitiontest.Reply(418, "")
			srv.Script(tc.fault)
			var taken []bool
			for _, fields := range tc.send {
				resp, _ := mustPost(t, srv, fields...)
				taken = append(taken, resp.StatusCode == 418)
			}
			require.Equal(t, tc.want, taken)
		})
	}
}

func pdfFields(pages int) []field { return []field{pdf(pages)} }

func TestFirstFaultOfTheScriptTakes(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	srv.Script(
		partitiontest.Fault{Name: "first", Times: 1, Do: partitiontest.Reply(500, "")},
		partitiontest.Fault{File: "other"},
	)
	srv.Script(partitiontest.Fault{Name: "second", Do: partitiontest.Reply(503, "")})
	for range 3 {
		mustPost(t, srv, notes())
	}
	var names []string
	for _, r := range srv.Requests() {
		names = append(names, r.Fault)
	}
	require.Equal(t, []string{"first", "second", "second"}, names)
	require.Panics(t, func() { srv.Script(partitiontest.Fault{File: "["}) })
}

package partitiontest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

func TestPages(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	resp, body := mustPost(t, srv, plain("starting_page_number", "5"), pdf(2))
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
	var elements []element.Element
	require.NoError(t, json.Unmarshal([]byte(body), &elements))
	require.Len(t, elements, 2)
	require.Equal(t, element.TypeNarrativeText, elements[0].Type)
	require.Equal(t, "page 5 of report.pdf", elements[0].Text)
	require.Equal(t, 5, elements[0].Metadata.PageNumber)
	require.Equal(t, "report.pdf", elements[0].Metadata.Filename)
	require.Equal(t, "application/pdf", elements[0].Metadata.Filetype)
	require.Equal(t, hash([]byte("report.pdf" + "page 5 of report.pdf" + "5" + "0"))[:32], elements[0].ID)
	require.Equal(t, "page 6 of report.pdf", elements[1].Text)

	_, body = mustPost(t, srv, notes())
	require.NoError(t, json.Unmarshal([]byte(body), &elements))
	require.Len(t, elements, 1)
	require.Equal(t, "all of notes.txt", elements[0].Text)
	require.Zero(t, elements[0].Metadata.PageNumber)
	require.Equal(t, hash([]byte("notes.txt" + "all of notes.txt" + "None" + "0"))[:32], elements[0].ID)
	require.Empty(t, srv.Violations())
}

func TestPagesOfChunksAreThePagesOfTheDocument(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	document := partitiontest.NewPDF(7)
	_, whole := mustPost(t, srv, file("report.pdf", "application/pdf", document))
	var want, got []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(whole), &want))
	opened, err := split.Open(t.Context(), bytes.NewReader(document), int64(len(document)), split.Options{})
	require.NoError(t, err)
	for _, r := range split.Plan(7, 10) {
		chunk, err := opened.Chunk(t.Context(), r)
		require.NoError(t, err)
		var content bytes.Buffer
		_, err = chunk.WriteTo(&content)
		require.NoError(t, err)
		first := r
		first.Last = first.First
		_, body := mustPost(t, srv, plain("starting_page_number", first.String()), file("report.pdf", "application/pdf", content.Bytes()))
		var part []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &part))
		got = append(got, part...)
	}
	require.Equal(t, want, got)
}

func TestPagesCSV(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	resp, body := mustPost(t, srv, plain("output_format", "text/csv"), pdf(2))
	require.Equal(t, "text/plain; charset=utf-8", resp.Header.Get("Content-Type"))
	lines := strings.Split(strings.TrimSpace(body), "\n")
	require.Len(t, lines, 3)
	require.Equal(t, "type,element_id,text,filename,filetype,languages,page_number", lines[0])
	require.True(t, strings.HasSuffix(lines[2], ",page 2 of report.pdf,report.pdf,application/pdf,['eng'],2"), lines[2])
}

func TestAPIAnswers(t *testing.T) {
	whole := partitiontest.NewPDF(3)
	for _, tc := range []struct {
		name   string
		fields []field
		status int
		body   string
	}{
		{"no form", nil, 422, `{"detail":[{"input":null,"loc":["body","files"],"msg":"Field required","type":"missing"}]}`},
		{"no file", []field{plain("strategy", "fast")}, 422, `{"detail":[{"input":null,"loc":["body","files"],"msg":"Field required","type":"missing"}]}`},
		{
			"number that is none",
			[]field{plain("combine_under_n_chars", "forty"), notes()},
			422, `{"detail":[{"input":"forty","loc":["body","combine_under_n_chars"],"msg":"Input should be a valid integer, unable to parse string as an integer","type":"int_parsing"}]}`,
		},
		{
			"output format that is none",
			[]field{plain("output_format", "text/xml"), notes()},
			422, `{"detail":[{"input":"text/xml","loc":["body","output_format"],"msg":"Input should be 'application/json' or 'text/csv'","type":"literal_error"}]}`,
		},
		{"half a PDF", []field{file("a.pdf", "application/pdf", whole[:60])}, 422, `File does not appear to be a valid PDF. Error: `},
		{"no PDF at all", []field{file("a.pdf", "application/pdf", []byte("hello"))}, 422, `File does not appear to be a valid PDF. Error: `},
		{"PDF by the form's word", []field{plain("content_type", "application/pdf"), notes()}, 422, `File does not appear to be a valid PDF. Error: `},
		{"type by the form's word", []field{plain("content_type", "text/html"), notes()}, 200, `"filetype":"text/html"`},
		{"a PDF of no stated type", []field{file("a", "application/octet-stream", whole)}, 200, `page 3 of a`},
		{"long field", []field{plain("encoding", strings.Repeat("x", 1<<20+1)), notes()}, 400, `{"detail":"Part exceeded maximum size of 1024KB."}`},
		{"part without a name", []field{{"Content-Disposition: form-data\r\n", "x"}, notes()}, 400, `{"detail":"There was an error parsing the body"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Options{})
			resp, body := mustPost(t, srv, tc.fields...)
			require.Equal(t, tc.status, resp.StatusCode, body)
			require.Contains(t, body, tc.body)
		})
	}
}

func TestPaths(t *testing.T) {
	srv := newServer(t, partitiontest.Options{Prefix: "/gateway"})
	host := strings.TrimSuffix(srv.URL, "/gateway")
	for _, tc := range []struct {
		method, url string
		status      int
		body        string
	}{
		{"GET", srv.URL + "/healthcheck", 200, `{"healthcheck":"HEALTHCHECK STATUS: EVERYTHING OK!"}`},
		{"GET", srv.URL + "/general/v0/general", 405, `{"detail":"Only POST requests are supported."}`},
		{"PUT", srv.URL + "/general/v0/general", 405, `{"detail":"Method Not Allowed"}`},
		{"POST", srv.URL + "/general/0.1.2/general", 422, `"Field required"`},
		{"POST", srv.URL + "/general/v0", 404, `{"detail":"Not Found"}`},
		{"POST", host + "/general/v0/general", 404, `{"detail":"Not Found"}`},
	} {
		t.Run(tc.method+" "+strings.TrimPrefix(tc.url, host), func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tc.method, tc.url, http.NoBody)
			require.NoError(t, err)
			resp, err := srv.Client().Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, tc.status, resp.StatusCode)
			require.Contains(t, string(body), tc.body)
		})
	}
	require.Len(t, srv.Requests(), 6, "every request is recorded")
	require.Equal(t, "/gateway/healthcheck", srv.Requests()[0].Path)
	require.Equal(t, 404, srv.Requests()[5].Status)
}

func TestAPIKey(t *testing.T) {
	srv := newServer(t, partitiontest.Options{APIKey: "right"})
	for _, tc := range []struct {
		key    string
		status int
		body   string
	}{
		{"right", 200, "all of notes.txt"},
		{"wrong", 401, `{"detail":"API key wrong is invalid"}`},
		{"", 401, `{"detail":"API key None is invalid"}`},
	} {
		req := newRequest(t.Context(), srv, bytes.NewReader(form(notes())))
		if tc.key != "" {
			req.Header.Set("unstructured-api-key", tc.key)
		}
		resp, err := srv.Client().Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, tc.status, resp.StatusCode)
		require.Contains(t, string(body), tc.body)
	}
}

func TestRecord(t *testing.T) {
	srv := newServer(t, partitiontest.Options{AllowFields: []string{"mine"}})
	srv.Script(partitiontest.Fault{Pages: split.PageRange{First: 12, Last: 12}, Attempt: 1, Do: partitiontest.Detail(502, "bad")})
	before := time.Now()
	document := partitiontest.NewPDF(3)
	send := func() {
		body := form(plain("languages[]", "eng"), plain("languages[]", "deu"), plain("starting_page_number", "11"), plain("mine", "1"),
			file("Ünï %22q%22 文档.pdf", "application/pdf; v=1", document))
		req := newRequest(t.Context(), srv, bytes.NewReader(body))
		req.Header.Set("X-Request-Id", "id-1")
		req.Header.Set("X-Tenant", "seven")
		resp, err := srv.Client().Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, int64(len(body)), srv.Requests()[0].ContentLength)
	}
	send()
	send()
	requests := srv.Requests()
	require.Len(t, requests, 2)
	first, second := requests[0], requests[1]
	require.WithinRange(t, first.Time, before, second.Time)
	require.Equal(t, "POST", first.Method)
	require.Equal(t, "/general/v0/general", first.Path)
	require.Equal(t, "seven", first.Header.Get("X-Tenant"))
	require.Equal(t, "id-1", first.RequestID)
	require.Equal(t, []string{"eng", "deu"}, first.Fields["languages[]"])
	require.Equal(t, "Ünï %22q%22 文档.pdf", first.File)
	require.Equal(t, "application/pdf", first.MediaType)
	require.Equal(t, int64(len(document)), first.Size)
	require.Equal(t, hash(document), first.SHA256)
	require.Equal(t, split.PageRange{First: 11, Last: 13}, first.Pages)
	require.Equal(t, 1, first.Attempt)
	require.Equal(t, "status 502", first.Fault)
	require.Equal(t, 502, first.Status)
	require.Equal(t, 2, second.Attempt)
	require.Equal(t, 200, second.Status)
	require.Empty(t, second.Fault)
	require.Empty(t, srv.Violations())
}

func TestAttemptsAreCountedForEachFileAndRange(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	mustPost(t, srv, pdf(2))
	mustPost(t, srv, plain("starting_page_number", "3"), pdf(2))
	mustPost(t, srv, pdf(4))
	mustPost(t, srv, pdf(2))
	mustPost(t, srv, notes())
	var attempts []int
	for _, r := range srv.Requests() {
		attempts = append(attempts, r.Attempt)
	}
	require.Equal(t, []int{1, 1, 1, 2, 1}, attempts)
}

func TestEngineGetsTheRequest(t *testing.T) {
	var seen *http.Request
	var values map[string][]string
	var content []byte
	var parsed partitiontest.Request
	engine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		parsed, _ = partitiontest.FromContext(r.Context())
		raw, _ := io.ReadAll(r.Body)
		if int64(len(raw)) != r.ContentLength {
			http.Error(w, "length", 500)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(raw))
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			http.Error(w, err.Error(), 500)
			return
		}
		values = r.MultipartForm.Value
		f, _ := r.MultipartForm.File["files"][0].Open()
		content, _ = io.ReadAll(f)
		_, _ = io.WriteString(w, "engine")
	})
	srv := newServer(t, partitiontest.Options{Engine: engine, Prefix: "/gateway"})
	_, body := mustPost(t, srv, plain("languages[]", "eng"), plain("languages[]", "deu"), notes())
	require.Equal(t, "engine", body)
	require.Equal(t, map[string][]string{"languages[]": {"eng", "deu"}}, values)
	require.Equal(t, "some notes", string(content))
	require.Equal(t, "/general/v0/general", seen.URL.Path)
	require.Equal(t, "notes.txt", parsed.File)
	_, ok := partitiontest.FromContext(t.Context())
	require.False(t, ok)
}

func TestInFlight(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	release := make(chan struct{})
	srv.Script(partitiontest.Fault{Do: partitiontest.Until(release)})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { _, _, _ = post(t.Context(), srv, notes()) })
	}
	require.Eventually(t, func() bool { return srv.InFlight() == 3 }, 10*time.Second, time.Millisecond)
	close(release)
	all.Wait()
	require.Zero(t, srv.InFlight())
	require.Equal(t, 3, srv.PeakInFlight())
}

// A client that sends the next request as soon as it has an answer must never be counted twice.
func TestPeakIsExact(t *testing.T) {
	big := strings.Repeat("x", 100_000)
	for name, answer := range map[string]partitiontest.Action{
		"small": partitiontest.Reply(200, "[]"),
		"large": partitiontest.Reply(200, big),
		"gzip":  partitiontest.Chain(partitiontest.Gzip(), partitiontest.Reply(200, big)),
		"drip":  partitiontest.Chain(partitiontest.Drip(50_000, 0), partitiontest.Reply(200, big)),
		"cut":   partitiontest.Truncate(5),
		"reset": partitiontest.Reset(),
	} {
		t.Run(name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Options{})
			srv.Script(partitiontest.Fault{Do: answer})
			for range 100 {
				_, _, _ = post(t.Context(), srv, notes())
			}
			require.Len(t, srv.Requests(), 100)
			require.Equal(t, 1, srv.PeakInFlight())
		})
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	for name, action := range map[string]partitiontest.Action{
		"hang": partitiontest.Hang(), "delay": partitiontest.Delay(time.Hour), "drip": partitiontest.Drip(1, time.Hour),
		"stall": partitiontest.Stall(3), "until": partitiontest.Until(nil),
	} {
		t.Run(name, func(t *testing.T) {
			srv := partitiontest.NewServer(partitiontest.Options{})
			srv.Script(partitiontest.Fault{Do: action})
			failed := make(chan error, 1)
			go func() {
				_, _, err := post(t.Context(), srv, notes())
				failed <- err
			}()
			require.Eventually(t, func() bool { r := srv.Requests(); return len(r) == 1 && r[0].Fault != "" }, 10*time.Second, time.Millisecond)
			start := time.Now()
			srv.Close()
			require.Less(t, time.Since(start), 5*time.Second)
			require.Error(t, <-failed)
			srv.Close() // again: nothing happens
		})
	}
}

func TestClientThatLeavesIsNoticed(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	srv.Script(partitiontest.Fault{Do: partitiontest.Hang()})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for srv.InFlight() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, _, err := post(ctx, srv, notes())
	require.Error(t, err)
	require.Eventually(t, func() bool { return srv.InFlight() == 0 }, 10*time.Second, time.Millisecond)
	require.Zero(t, srv.Requests()[0].Status)
}

func TestNoBoundary(t *testing.T) {
	srv := newServer(t, partitiontest.Options{})
	req := newRequest(t.Context(), srv, bytes.NewReader(form(notes())))
	req.Header.Set("Content-Type", "multipart/form-data")
	resp, err := srv.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 400, resp.StatusCode)
	require.Equal(t, "Missing boundary in multipart.", detail(t, string(body)))
}

func TestEncryptedPDF(t *testing.T) {
	if _, err := exec.LookPath("qpdf"); err != nil {
		t.Skip(err)
	}
	in, out := filepath.Join(t.TempDir(), "in.pdf"), filepath.Join(t.TempDir(), "out.pdf")
	require.NoError(t, os.WriteFile(in, partitiontest.NewPDF(2), 0o600))
	require.NoError(t, exec.CommandContext(t.Context(), "qpdf", "--encrypt", "user", "owner", "256", "--", in, out).Run())
	encrypted, err := os.ReadFile(out)
	require.NoError(t, err)
	srv := newServer(t, partitiontest.Options{})
	resp, body := mustPost(t, srv, file("a.pdf", "application/pdf", encrypted))
	require.Equal(t, 422, resp.StatusCode)
	require.Equal(t, "File is encrypted. Please decrypt it with password.", detail(t, body))
}

// A file that no engine needs passes through.
func TestLargeFileIsNotKept(t *testing.T) {
	const size = 64 << 20
	srv := newServer(t, partitiontest.Options{})
	start := form(file("large.txt", "text/plain", nil))
	end := []byte("\r\n--boundary--\r\n")
	start = start[:len(start)-len(end)]
	zeros := readerFunc(func(p []byte) (int, error) { clear(p); return len(p), nil })
	req := newRequest(t.Context(), srv, io.MultiReader(bytes.NewReader(start), io.LimitReader(zeros, size), bytes.NewReader(end)))
	req.ContentLength = int64(len(start) + size + len(end))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := srv.Client().Do(req)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, int64(size), srv.Requests()[0].Size)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

func TestLargeAnswers(t *testing.T) {
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 3 << 20} {
		want := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		written := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for b := []byte(want); len(b) > 0; b = b[min(len(b), 100_000):] {
				_, _ = w.Write(b[:min(len(b), 100_000)])
			}
		})
		announced := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(size))
			written(w, r)
		})
		for name, o := range map[string]partitiontest.Options{"written": {Engine: written}, "announced": {Engine: announced}, "reply": {}} {
			srv := newServer(t, o)
			if name == "reply" {
				srv.Script(partitiontest.Fault{Do: partitiontest.Reply(200, want)})
			}
			resp, body := mustPost(t, srv, notes())
			require.Equal(t, int64(size), resp.ContentLength, name)
			require.True(t, body == want, "%s %d", name, size)
		}
	}
}

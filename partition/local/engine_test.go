package local

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
)

func TestRoutes(t *testing.T) {
	tests := []struct {
		method, path string
		status       int
		body, allow  string
	}{
		{"GET", "/healthcheck", 200, `{"healthcheck":"HEALTHCHECK STATUS: EVERYTHING OK!"}`, ""},
		{"POST", "/healthcheck", 405, `{"detail":"Method Not Allowed"}`, "GET"},
		{"GET", "/general/v0/general", 405, `{"detail":"Only POST requests are supported."}`, ""},
		{"GET", "/general/0.1.2/general", 405, `{"detail":"Only POST requests are supported."}`, ""},
		{"PUT", "/general/v0/general", 405, `{"detail":"Method Not Allowed"}`, "POST"},
		{"POST", "/general/v1/general", 404, `{"detail":"Not Found"}`, ""},
		{"GET", "/", 404, `{"detail":"Not Found"}`, ""},
		{"POST", "/general/v0/general/", 307, "", ""},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			w := httptest.NewRecorder()
			sharedEngine().ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
			require.Equal(t, test.status, w.Code)
			require.Equal(t, test.body, w.Body.String())
			require.Equal(t, test.allow, w.Header().Get("Allow"))
		})
	}
}

func TestNegativeOptions(t *testing.T) {
	for _, o := range []Options{{MaxBody: -1}, {Timeout: -1}, {Concurrency: -1}} {
		_, err := New(o)
		require.Error(t, err)
	}
}

func TestName(t *testing.T) {
	e, err := New(Options{Version: "1.2.0"})
	require.NoError(t, err)
	defer e.Close()
	require.Equal(t, "quire-local 1.2.0 (embedded engine, strategy fast)", e.Name())
	require.Equal(t, "quire-local (embedded engine, strategy fast)", sharedEngine().Name())
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest("GET", "/healthcheck", nil))
	require.Equal(t, "quire-local/1.2.0", w.Header().Get("Server"))
}

func TestAutoMeansFastAndTheLogSaysSo(t *testing.T) {
	var log strings.Builder
	e, err := New(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	defer e.Close()
	answerOf(e, multipartRequest(t, []string{"strategy", "fast"}, note))
	require.Empty(t, log.String())
	answerOf(e, multipartRequest(t, nil, note))
	require.Contains(t, log.String(), "strategy auto means fast")
}

func TestCloseTwiceAndAfterwards(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
	status, body := answerOf(e, multipartRequest(t, nil, note))
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, `{"detail":"The engine is shutting down."}`, body)
}

func TestCloseEndsWhatWaits(t *testing.T) {
	e, err := New(Options{Concurrency: 1})
	require.NoError(t, err)
	e.slots <- struct{}{} // as if another request were worked on
	var status int
	var answered sync.WaitGroup
	answered.Go(func() { status, _ = answerOf(e, multipartRequest(t, nil, note)) })
	require.NoError(t, e.Close())
	answered.Wait()
	require.Equal(t, http.StatusServiceUnavailable, status)
}

func TestRequestsWaitForTheirTurn(t *testing.T) {
	e, err := New(Options{Concurrency: 1})
	require.NoError(t, err)
	defer e.Close()
	e.slots <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		answerOf(e, multipartRequest(t, nil, note).WithContext(ctx))
	})
	<-e.slots
	status, _ := answerOf(e, multipartRequest(t, nil, note))
	require.Equal(t, http.StatusOK, status)
}

func TestTimeoutStopsAPDFInTheMiddle(t *testing.T) {
	runs := make([]textRun, 3000)
	for i := range runs {
		runs[i] = textRun{72, float64(i % 700), 8, strings.Repeat("word ", 40)}
	}
	pages := make([][]textRun, 40)
	for i := range pages {
		pages[i] = runs
	}
	slow := filePart{name: "slow.pdf", contentType: "application/pdf", data: testPDF("", pages...)}
	elementsOf(t, filePart{name: "x.pdf", contentType: "application/pdf", data: testPDF("", []textRun{{72, 400, 12, "x"}})})

	e := &Engine{
		options: Options{Timeout: 100 * time.Millisecond, MaxBody: DefaultMaxBody}, log: slog.New(slog.DiscardHandler),
		slots: make(chan struct{}, 1), bodies: bodies{DefaultMaxBody, semaphore.NewWeighted(DefaultMaxBody)}, memory: newMemoryLimit(), pdf: sharedEngine().pdf, stopping: t.Context(),
	}
	start := time.Now()
	status, body := answerOf(e, multipartRequest(t, nil, slow))
	require.Equal(t, http.StatusGatewayTimeout, status, body)
	require.Equal(t, `{"detail":"Partitioning took longer than 100ms.","retryable":false}`, body)
	require.Less(t, time.Since(start), 5*time.Second)

	// The reader is whole afterwards.
	e.options.Timeout = time.Minute
	status, _ = answerOf(e, multipartRequest(t, nil, filePart{"x.pdf", "application/pdf", testPDF("", []textRun{{72, 400, 12, "x"}})}))
	require.Equal(t, http.StatusOK, status)
}

func TestPanicBecomes500(t *testing.T) {
	const broken = "text/x-rst" // a type that the API knows and this engine does not read
	readers[broken] = func(context.Context, *Engine, *document) error { panic("boom") }
	defer delete(readers, broken)
	status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"x.rst", broken, []byte("x")}))
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, `{"detail":"Internal Server Error","retryable":false}`, body)
}

func TestCacheThatOthersMayWriteIsNotUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o777))
	var log strings.Builder
	require.Nil(t, openCache(dir, slog.New(slog.NewTextHandler(&log, nil))))
	require.Contains(t, log.String(), "other users may write to it")
	require.Nil(t, openCache("", slog.New(slog.DiscardHandler)))

	made := filepath.Join(t.TempDir(), "a", "b")
	cache := openCache(made, slog.New(slog.DiscardHandler))
	require.NotNil(t, cache)
	require.NoError(t, cache.Close(t.Context()))
	info, err := os.Stat(made)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestTheSandboxHasNoFiles(t *testing.T) {
	_, err := noFiles{}.Open("etc/passwd")
	require.ErrorIs(t, err, os.ErrNotExist)
}

package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// The defaults of [Options].
const (
	DefaultMaxBody = 512 << 20
	DefaultTimeout = 10 * time.Minute
)

// Options are the settings of an [Engine]. The zero value is usable.
type Options struct {
	// APIKey is what the header unstructured-api-key must be. Empty means that no key is checked.
	APIKey string

	// MaxBody limits the bytes of a request's body, and of what a gzip file in it unpacks to; more is answered with 413.
	// Zero means [DefaultMaxBody].
	MaxBody int64

	// Timeout limits the work on one request, without the upload and without the wait for its turn; more is answered with 504 and
	// a verdict that a repetition is of no use, a second later at most. Zero means [DefaultTimeout].
	Timeout time.Duration

	// Concurrency is how many requests are worked on at once, among them those that were answered with 504 and whose work has not
	// yet stopped; others wait. Zero means the number of processors.
	Concurrency int

	// CacheDir is where the compiled PDF reader is kept between runs; without it the first PDF of a process costs some seconds.
	// It is made with mode 0700; a directory that others may write is not used, since it holds machine code. Empty means
	// quire/wazero below the user's cache directory. An unusable directory is logged, and there is no cache then.
	CacheDir string

	// Logger takes what the engine has to say. Nil means silence.
	Logger *slog.Logger

	// Version is shown in the header Server and in [Engine.Name].
	Version string
}

// An Engine partitions documents. Its methods may be called concurrently.
type Engine struct {
	options Options
	log     *slog.Logger
	slots   chan struct{}
	memory  *memoryBudget
	pdf     *pdfRuntime

	stopping context.Context // ends when Close is called
	stop     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// New returns an engine. It starts nothing: the PDF reader is loaded when the first PDF comes. Negative options are errors. The
// caller closes the engine.
func New(o Options) (*Engine, error) {
	if o.MaxBody < 0 || o.Timeout < 0 || o.Concurrency < 0 {
		return nil, fmt.Errorf("local engine: negative limit: body %d, timeout %s, concurrency %d", o.MaxBody, o.Timeout, o.Concurrency)
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Concurrency == 0 {
		o.Concurrency = runtime.NumCPU()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.CacheDir == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			o.CacheDir = filepath.Join(dir, "quire", "wazero")
		}
	}
	e := &Engine{options: o, log: o.Logger, slots: make(chan struct{}, o.Concurrency), memory: newMemoryBudget()}
	e.pdf = &pdfRuntime{cacheDir: o.CacheDir, log: o.Logger, budget: e.memory}
	e.stopping, e.stop = context.WithCancel(context.Background())
	return e, nil
}

// Close ends running requests with 503, waits until they are answered, which takes a second at most where the work on one does
// not stop at once, and frees the PDF reader. Later requests get 503. Calling it again does nothing.
func (e *Engine) Close() error {
	e.mu.Lock()
	was := e.closed
	e.closed = true
	e.mu.Unlock()
	if was {
		return nil
	}
	e.stop()
	e.running.Wait()
	return e.pdf.close()
}

// Name says what partitions, for outputs that tell what produced them: "quire-local 1.2.0 (embedded engine, strategy fast)".
func (e *Engine) Name() string {
	return strings.TrimSpace("quire-local "+e.options.Version) + " (embedded engine, strategy fast)"
}

// ServeHTTP answers the API's requests: POST /general/v0/general, and GET /healthcheck.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Server", strings.TrimSuffix("quire-local/"+e.options.Version, "/"))
	defer func() {
		switch thrown := recover(); thrown {
		case nil:
		case http.ErrAbortHandler:
			panic(thrown)
		default:
			writeFailure(w, e.panicked(thrown))
		}
	}()
	switch path := strings.TrimSuffix(r.URL.Path, "/"); path {
	case partitionPath, partitionAlias, healthPath:
		if path != r.URL.Path {
			w.Header().Set("Location", path)
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		e.route(w, r)
	default:
		writeFailure(w, &failure{status: http.StatusNotFound, detail: "Not Found"})
	}
}

const (
	partitionPath  = "/general/v0/general"
	partitionAlias = "/general/0.1.2/general"
	healthPath     = "/healthcheck"
)

func (e *Engine) route(w http.ResponseWriter, r *http.Request) {
	allowed := http.MethodPost
	if r.URL.Path == healthPath {
		allowed = http.MethodGet
	}
	switch {
	case r.Method == allowed && allowed == http.MethodGet:
		writeJSON(w, http.StatusOK, map[string]string{"healthcheck": "HEALTHCHECK STATUS: EVERYTHING OK!"})
	case r.Method == allowed:
		e.servePartition(w, r)
	case r.Method == http.MethodGet:
		writeFailure(w, &failure{status: http.StatusMethodNotAllowed, detail: "Only POST requests are supported."})
	default:
		w.Header().Set("Allow", allowed)
		writeFailure(w, &failure{status: http.StatusMethodNotAllowed, detail: "Method Not Allowed"})
	}
}

func (e *Engine) servePartition(w http.ResponseWriter, r *http.Request) {
	if !e.enter() {
		writeFailure(w, errClosed)
		return
	}
	defer e.running.Done()
	answer, err := e.answer(w, r)
	switch {
	case err == nil:
		answer.send(w)
	case r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // nobody listens any more, and an empty 200 would be a lie
	default:
		writeFailure(w, e.failureOf(err))
	}
}

// enter counts a request in, unless the engine is closed.
func (e *Engine) enter() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.running.Add(1)
	}
	return !e.closed
}

var (
	errClosed  = &failure{status: http.StatusServiceUnavailable, detail: "The engine is shutting down."}
	errTimeout = errors.New("work on the request timed out")
)

// answer takes the request in, waits for its turn and partitions.
func (e *Engine) answer(w http.ResponseWriter, r *http.Request) (*answer, error) {
	f, err := readForm(w, r, e.options.MaxBody)
	if err != nil {
		return nil, err
	}
	req, err := e.check(f, r)
	if err != nil {
		f.close()
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(e.stopping, func() { cancel(errClosed) })()
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		f.close()
		return nil, context.Cause(ctx)
	}
	timed, done := context.WithTimeoutCause(ctx, e.options.Timeout, errTimeout)
	defer done()
	return e.work(timed, f, req)
}

// failureOf is how the API says err.
func (e *Engine) failureOf(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, errTimeout):
		final := false
		return &failure{
			status:    http.StatusGatewayTimeout,
			detail:    fmt.Sprintf("Partitioning took longer than %s.", e.options.Timeout),
			retryable: &final,
		}
	}
	return &failure{status: http.StatusInternalServerError, detail: err.Error()}
}

package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// The defaults of [Options].
const (
	DefaultMaxBody = 512 << 20
	DefaultTimeout = 10 * time.Minute
)

// Options are the settings of an [Engine]. The zero value is usable.
type Options struct {
	// APIKey is the required value of the header unstructured-api-key. If it is empty, the key is
	// not checked.
	APIKey string

	// MaxBody limits the bytes of a request's body, and separately of the content of a gzip file in
	// it. Anything longer gets 413. Zero means [DefaultMaxBody].
	MaxBody int64

	// MaxBodies limits the bytes of the bodies of all requests that are being read or processed.
	// Further requests wait unread. A request without a length counts as MaxBody. Zero means twice
	// MaxBody; it must not be less than MaxBody.
	MaxBodies int64

	// Timeout limits the upload of a request, and separately the work on it. The wait for a slot of
	// Concurrency does not count. If the upload takes longer, the request gets 408; if the work
	// takes longer, it gets 504 with "retryable": false, at most a second late. Zero means
	// [DefaultTimeout].
	Timeout time.Duration

	// Concurrency is how many requests are processed at once; others wait. A request that got 504
	// counts until its work has ended. Zero means the number of processors.
	Concurrency int

	// CacheDir is the directory that keeps the compiled PDF reader between runs. Without it the
	// first PDF of a process takes some seconds more. It is made with mode 0700. Because it holds
	// machine code, a directory that others may write to is not used. Empty means quire/wazero in
	// the user's cache directory. Nor is one used if it, a directory above it or a file in it belongs to
	// anyone but this user and root: see [cache.CheckOwners]. If the directory cannot be used, the engine logs that and caches
	// nothing.
	CacheDir string

	// Logger gets the engine's messages. Nil discards them.
	Logger *slog.Logger

	// Version is shown in the header Server and in [Engine.Name].
	Version string
}

// An Engine partitions documents. Its methods may be called concurrently.
type Engine struct {
	options Options
	log     *slog.Logger
	slots   chan struct{}
	bodies  bodies
	memory  *memoryLimit
	pdf     *pdfRuntime

	stopping context.Context // ends when Close is called
	stop     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// New returns an engine. It loads the PDF reader only when the first PDF arrives. Negative options
// are errors. The caller closes the engine.
func New(o Options) (*Engine, error) {
	if o.MaxBody < 0 || o.MaxBodies < 0 || o.Timeout < 0 || o.Concurrency < 0 {
		return nil, fmt.Errorf("local engine: negative limit: body %d, all bodies %d, timeout %s, concurrency %d",
			o.MaxBody, o.MaxBodies, o.Timeout, o.Concurrency)
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxBodies == 0 {
		o.MaxBodies = o.MaxBody + min(o.MaxBody, math.MaxInt64-o.MaxBody)
	}
	if o.MaxBodies < o.MaxBody {
		return nil, fmt.Errorf("local engine: the limit for all bodies (%d) is below that for one (%d)", o.MaxBodies, o.MaxBody)
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Concurrency == 0 {
		o.Concurrency = runtime.NumCPU()
	}
	if o.Logger != nil && o.Logger.Handler() == nil {
		return nil, errors.New("local engine: the logger has no handler: it was not made by slog.New")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.CacheDir == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			o.CacheDir = filepath.Join(dir, "quire", "wazero")
		}
	}
	e := &Engine{options: o, log: o.Logger, slots: make(chan struct{}, o.Concurrency), memory: newMemoryLimit()}
	e.pdf = &pdfRuntime{cacheDir: o.CacheDir, log: o.Logger, limit: e.memory}
	e.bodies = bodies{most: o.MaxBody, total: semaphore.NewWeighted(o.MaxBodies)}
	e.stopping, e.stop = context.WithCancel(context.Background())
	return e, nil
}

// Close ends running requests with 503, waits until they are answered (at most a second if work
// does not stop at once) and frees the PDF reader. Later requests get 503. Further calls do
// nothing.
func (e *Engine) Close() error {
	if e == nil || e.stop == nil {
		return nil
	}
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

// Name returns the engine's name and version, such as "quire-local 1.2.0 (embedded engine, strategy
// fast)". Outputs can show it.
func (e *Engine) Name() string {
	return strings.TrimSpace("quire-local "+e.options.Version) + " (embedded engine, strategy fast)"
}

// ServeHTTP answers the API's requests: POST /general/v0/general, and GET /healthcheck.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e == nil || e.slots == nil {
		writeFailure(w, errNoEngine)
		return
	}
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
	if f := e.refuse(r); f != nil {
		refuseUnread(w, f)
		return
	}
	answer, err := e.answer(w, r)
	switch {
	case err == nil:
		answer.send(w)
	case r.Context().Err() != nil && !errors.Is(err, errSlowBody):
		panic(http.ErrAbortHandler) // the client is gone, and an empty 200 would be false
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
	errClosed   = &failure{status: http.StatusServiceUnavailable, detail: "The engine is shutting down."}
	errNoEngine = &failure{status: http.StatusInternalServerError, detail: "The engine was not made by New."}
	errTimeout  = errors.New("work on the request timed out")
)

// refuse looks at a request's headers: what can be refused by them is refused before the body is
// read.
func (e *Engine) refuse(r *http.Request) *failure {
	switch {
	case !e.authorized(r):
		return &failure{status: http.StatusUnauthorized, detail: unauthorized(r)}
	case r.ContentLength > e.options.MaxBody:
		return tooLarge(e.options.MaxBody)
	}
	return nil
}

// answer takes the request in, waits for its turn and partitions.
func (e *Engine) answer(w http.ResponseWriter, r *http.Request) (*answer, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(e.stopping, func() { cancel(errClosed) })()
	release, err := e.bodies.hold(ctx, r)
	if err != nil {
		return nil, err
	}
	f, err := readForm(w, r, e.options)
	if err != nil {
		release()
		return nil, err
	}
	f.release = release
	req, err := e.check(f, r)
	if err != nil {
		f.close()
		return nil, err
	}
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

// failureOf is err as the API says it.
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

package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// RoundTripper returns a transport that calls the engine in this process, without a socket. Bodies
// are streamed both ways. The work ends soon after the request's context ends or the response's
// body is closed. A panic in the engine becomes an error of the request.
func (e *Engine) RoundTripper() http.RoundTripper { return handlerTransport{e} }

// handlerTransport is a RoundTripper around any handler.
type handlerTransport struct{ handler http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	body := &requestBody{ReadCloser: r.Body}
	if r.Body == nil {
		body.ReadCloser = http.NoBody
	}
	closeBody := sync.OnceFunc(func() { body.Close() })
	if err := context.Cause(r.Context()); err != nil {
		closeBody()
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	reader, writer := io.Pipe()
	w := &pipeWriter{header: http.Header{}, body: writer, started: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { // frees a handler that waits for the request's bytes or for a reader of its answer
		closeBody()
		writer.CloseWithError(context.Cause(ctx))
	})
	served := r.Clone(ctx)
	served.Body = body
	served.RequestURI = r.URL.RequestURI()
	served.RemoteAddr = "in-process"
	if served.Host == "" {
		served.Host = r.URL.Host
	}
	go func() {
		defer cancel(nil)
		defer closeBody()
		err := serve(t.handler, w, served)
		if stop() {
			writer.CloseWithError(err) // nil is the end of the answer
		}
		if ended := context.Cause(r.Context()); ended != nil {
			err = ended // a handler that gave up wrote nothing, which is no empty 200
		}
		w.start(http.StatusOK, err)
	}()
	select {
	case <-w.started:
	case <-ctx.Done():
		select {
		case <-w.started: // the handler's own end, not the caller's
		default:
			if err := context.Cause(r.Context()); err != nil {
				return nil, err
			}
			<-w.started // cancelled by the end of the handler, which starts the answer at last
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	if failed := body.failed.Load(); failed != nil { // whatever the handler made of half a request
		cancel(nil)
		_ = reader.Close() // nobody reads it
		return nil, *failed
	}
	return w.response(r, &responseBody{reader, cancel}), nil
}

// A requestBody remembers the error with which reading it failed.
type requestBody struct {
	io.ReadCloser
	failed atomic.Pointer[error]
}

func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// serve calls the handler and makes an error of its panic.
func serve(h http.Handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			var is bool
			if err, is = thrown.(error); !is || !errors.Is(err, http.ErrAbortHandler) {
				err = fmt.Errorf("handler: panic: %v", thrown)
			}
		}
	}()
	h.ServeHTTP(w, r)
	return nil
}

// A pipeWriter is the ResponseWriter of one request. Only the handler's goroutine uses it until
// started is closed.
type pipeWriter struct {
	header  http.Header
	body    *io.PipeWriter
	once    sync.Once
	started chan struct{}

	status int
	sent   http.Header // as it was when the answer started
	err    error       // instead of an answer
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	if status >= 200 { // informational ones are of no use without a wire
		w.start(status, nil)
	}
}

func (w *pipeWriter) Write(p []byte) (int, error) {
	w.start(http.StatusOK, nil)
	return w.body.Write(p)
}

func (w *pipeWriter) start(status int, err error) {
	w.once.Do(func() {
		w.status, w.sent, w.err = status, w.header.Clone(), err
		close(w.started)
	})
}

func (w *pipeWriter) response(r *http.Request, body io.ReadCloser) *http.Response {
	length := int64(-1)
	if _, err := fmt.Sscan(w.sent.Get("Content-Length"), &length); err != nil {
		length = -1
	}
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          body,
		ContentLength: length,
		Request:       r,
	}
}

// responseBody ends the handler's work when it is closed.
type responseBody struct {
	*io.PipeReader
	cancel context.CancelCauseFunc
}

func (b *responseBody) Close() error {
	b.cancel(nil)
	return b.PipeReader.Close()
}

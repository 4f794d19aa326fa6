package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// An unreadBody fails the test when it is read.
type unreadBody struct{ t *testing.T }

func (b unreadBody) Read([]byte) (int, error) {
	b.t.Error("the body was read")
	return 0, io.EOF
}

func TestE3KeyAndLengthComeBeforeTheBody(t *testing.T) {
	e, err := New(Options{APIKey: "right", MaxBody: 1000})
	require.NoError(t, err)
	defer e.Close()
	tests := []struct {
		name, key string
		length    int64
		status    int
		body      string
	}{
		{"no key", "", 500, http.StatusUnauthorized, `{"detail":"API key None is invalid"}`},
		{"wrong key", "wrong", -1, http.StatusUnauthorized, `{"detail":"API key is invalid"}`},
		{"too long", "right", 1001, http.StatusRequestEntityTooLarge, `{"detail":"The request is larger than the limit of 1000 bytes."}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, partitionPath, unreadBody{t})
			r.ContentLength = test.length
			r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			if test.key != "" {
				r.Header.Set(keyHeader, test.key)
			}
			status, body := answerOf(e, r)
			require.Equal(t, test.status, status)
			require.Equal(t, test.body, body)
		})
	}
}

// pipeListener hands out one end of a pipe for each dial.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// served runs test in a bubble with a server of the engine.
func served(t *testing.T, o Options, test func(t *testing.T, l *pipeListener)) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(o)
		require.NoError(t, err)
		l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		server := &http.Server{Handler: e}
		var ended sync.WaitGroup
		ended.Go(func() { server.Serve(l) })
		test(t, l)
		require.NoError(t, server.Close())
		ended.Wait()
		require.NoError(t, e.Close())
	})
}

const formHead = "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n"

// post sends a form whose file is block, times times with a pause after each, and returns the
// answer and the time that it took.
func post(t *testing.T, conn net.Conn, block string, times int, pause time.Duration) (*http.Response, string, time.Duration) {
	t.Helper()
	const formEnd = "\r\n--b--\r\n"
	start := time.Now()
	go func() {
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s",
			partitionPath, len(formHead)+times*len(block)+len(formEnd), formHead)
		for range times {
			if _, err := io.WriteString(conn, block); err != nil {
				return
			}
			time.Sleep(pause)
		}
		io.WriteString(conn, formEnd)
	}()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	took := time.Since(start)
	return response, readAll(t, response.Body), took
}

func TestE3SlowSenderIsCutOff(t *testing.T) {
	tests := []struct {
		name    string
		block   string
		times   int
		pause   time.Duration
		timeout time.Duration
		status  int
		took    time.Duration
	}{
		{"silent", "a", 2, time.Hour, 0, http.StatusRequestTimeout, bodyGrace},
		{"a byte a second", "a", 100, time.Second, 0, http.StatusRequestTimeout, bodyGrace},
		{"10 KiB a second", strings.Repeat("a", 10<<10), 100, time.Second, 0, http.StatusOK, 100 * time.Second},
		{"beyond the time for a request", strings.Repeat("a", 10<<10), 100, time.Second, 45 * time.Second, http.StatusRequestTimeout, 45 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			served(t, Options{Timeout: test.timeout}, func(t *testing.T, l *pipeListener) {
				conn := l.dial()
				response, body, took := post(t, conn, test.block, test.times, test.pause)
				conn.Close()
				require.Equal(t, test.status, response.StatusCode, body)
				require.Equal(t, test.took, took.Truncate(time.Second))
				if test.status == http.StatusRequestTimeout {
					require.Equal(t, `{"detail":"The request's body came too slowly."}`, body)
				}
				time.Sleep(2 * time.Hour) // until the sender has noticed
			})
		})
	}
}

// The limit for a body's time is no limit for the work on it, nor for the next request on the
// connection.
func TestE3ConnectionLivesOnAfterABody(t *testing.T) {
	served(t, Options{}, func(t *testing.T, l *pipeListener) {
		conn := l.dial()
		defer conn.Close()
		for range 2 {
			response, body, _ := post(t, conn, "We are here.", 1, 0)
			require.Equal(t, http.StatusOK, response.StatusCode, body)
			time.Sleep(time.Hour)
		}
	})
}

func TestE3BodiesTogetherAreBounded(t *testing.T) {
	withStubborn(t, func(t *testing.T, file filePart, release chan struct{}) {
		request := func() *http.Request { return multipartRequest(t, nil, file) }
		length := request().ContentLength
		e, err := New(Options{Concurrency: 8, MaxBody: length, MaxBodies: 2*length + length/2})
		require.NoError(t, err)
		var answered sync.WaitGroup
		for range 2 {
			answered.Go(func() { answerOf(e, request()) })
		}
		synctest.Wait()
		third := request()
		read := false
		third.Body = io.NopCloser(io.TeeReader(third.Body, writerFunc(func() { read = true })))
		answered.Go(func() { answerOf(e, third) })
		ctx, cancel := context.WithCancelCause(t.Context())
		answered.Go(func() {
			require.PanicsWithValue(t, http.ErrAbortHandler, func() {
				fourth := request().WithContext(ctx)
				fourth.Body = io.NopCloser(unreadBody{t})
				answerOf(e, fourth)
			})
		})
		synctest.Wait()
		require.False(t, read, "there is room for two")
		cancel(errors.New("gone"))
		release <- struct{}{}
		synctest.Wait()
		require.True(t, read)
		close(release)
		answered.Wait()
		require.NoError(t, e.Close())
	})
}

// writerFunc is called when something is written.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestAllBodiesMustBeRoomForOne(t *testing.T) {
	_, err := New(Options{MaxBody: 10, MaxBodies: 9})
	require.EqualError(t, err, "local engine: the limit for all bodies (9) is below that for one (10)")
}

// What a form holds in memory is bounded for the form, not for each of its fields and files.
func TestE3FormsTakeLittleMemory(t *testing.T) {
	var fields []string
	for i := range 5 {
		fields = append(fields, fmt.Sprint("field", i), strings.Repeat("x", maxFieldBytes/2))
	}
	status, body := answerOf(sharedEngine(), multipartRequest(t, fields, note))
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, `{"detail":"Fields exceeded maximum size of 2048KB together."}`, body)

	files := make([]filePart, 10)
	for i := range files {
		files[i] = filePart{fmt.Sprint(i, ".txt"), "text/plain", []byte(strings.Repeat(fmt.Sprint(i), spoolBytes/4))}
	}
	r := multipartRequest(t, nil, files...)
	f, err := readForm(httptest.NewRecorder(), r, Options{MaxBody: DefaultMaxBody, Timeout: time.Minute})
	require.NoError(t, err)
	defer f.close()
	require.Len(t, f.files, 10)
	require.Greater(t, f.content.Size(), int64(spoolBytes), "so it is in a file")
	for i, u := range f.files {
		require.Equal(t, string(files[i].data), readAll(t, u))
	}
}

package local

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func send(t *testing.T, ctx context.Context, h http.HandlerFunc, body io.Reader) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine/x?y=1", body)
	require.NoError(t, err)
	return handlerTransport{h}.RoundTrip(r)
}

func TestTransportStreamsBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pr, pw := io.Pipe()
		r, err := send(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
			if r.Host != "engine" || r.RequestURI != "/x?y=1" {
				panic("unexpected request")
			}
			w.Header().Set("X-Before", "1")
			w.WriteHeader(http.StatusAccepted)
			w.Header().Set("X-After", "1")
			io.Copy(w, r.Body) // echoes while the request is being written
		}, pr)
		require.NoError(t, err)
		require.Equal(t, "202 Accepted", r.Status)
		require.Equal(t, http.Header{"X-Before": {"1"}}, r.Header)
		require.EqualValues(t, -1, r.ContentLength)
		for _, piece := range []string{"one", "two"} {
			go pw.Write([]byte(piece))
			got := make([]byte, len(piece))
			_, err = io.ReadFull(r.Body, got)
			require.NoError(t, err)
			require.Equal(t, piece, string(got))
		}
		pw.Close()
		require.Empty(t, readAll(t, r.Body))
		require.NoError(t, r.Body.Close())
	})
}

func TestTransportWithoutAWord(t *testing.T) {
	r, err := send(t, t.Context(), func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "0") }, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Zero(t, r.ContentLength)
	require.Empty(t, readAll(t, r.Body))
}

func TestTransportPanics(t *testing.T) {
	_, err := send(t, t.Context(), func(http.ResponseWriter, *http.Request) { panic("boom") }, nil)
	require.EqualError(t, err, "handler: panic: boom")

	r, err := send(t, t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic(http.ErrAbortHandler)
	}, nil)
	require.NoError(t, err)
	got, err := io.ReadAll(r.Body)
	require.Equal(t, "half", string(got))
	require.ErrorIs(t, err, http.ErrAbortHandler)
}

func TestTransportCancelledBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		pr, _ := io.Pipe() // never written to
		var readErr error
		go func() {
			synctest.Wait()
			cancel(why)
		}()
		_, err := send(t, ctx, func(_ http.ResponseWriter, r *http.Request) {
			_, readErr = r.Body.Read(make([]byte, 1))
			<-r.Context().Done()
		}, pr)
		require.ErrorIs(t, err, why)
		synctest.Wait()
		require.ErrorIs(t, readErr, io.ErrClosedPipe)

		_, err = send(t, ctx, func(http.ResponseWriter, *http.Request) { panic("not called") }, nil)
		require.ErrorIs(t, err, why)
	})
}

func TestTransportCancelledInTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		endless := func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, "more "); err != nil {
					return
				}
			}
		}
		r, err := send(t, ctx, endless, strings.NewReader("x"))
		require.NoError(t, err)
		_, err = io.ReadFull(r.Body, make([]byte, 12))
		require.NoError(t, err)
		cancel()
		_, err = io.Copy(io.Discard, r.Body)
		require.ErrorIs(t, err, context.Canceled)

		r, err = send(t, t.Context(), endless, nil)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close()) // ends the handler
	})
}

func TestEngineInProcess(t *testing.T) {
	r := multipartRequest(t, []string{"strategy", "fast"}, note)
	r.RequestURI = ""
	r.URL.Scheme, r.URL.Host = "http", "engine"
	client := &http.Client{Transport: sharedEngine().RoundTripper()}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.Positive(t, answer.ContentLength)
	require.Contains(t, readAll(t, answer.Body), "We are here.")
}

func TestEngineInProcessCancelledWhileItWaits(t *testing.T) {
	e, err := New(Options{Concurrency: 1})
	require.NoError(t, err)
	defer e.Close()
	e.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.RoundTripper().RoundTrip(multipartRequest(t, nil, note).WithContext(ctx))
	require.ErrorIs(t, err, context.Canceled)
}

// A request whose body cannot be read to its end fails with that, as on a connection, whatever the
// handler answers.
func TestA5TransportBodyFails(t *testing.T) {
	changed := errors.New("the file has changed")
	_, err := send(t, t.Context(), func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		http.Error(w, err.Error(), http.StatusBadRequest)
	}, io.MultiReader(strings.NewReader("half"), iotest.ErrReader(changed)))
	require.ErrorIs(t, err, changed)
}

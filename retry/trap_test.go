package retry_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// quick is the agent's policy with waits of a millisecond, for real sockets.
func quick(t testing.TB) *retry.Policy {
	p := preset(t, "agent")
	p.Backoff = retry.Backoff{Initial: time.Millisecond}
	return p
}

// counted is a real server that counts its connections.
func counted(t testing.TB, h http.HandlerFunc) (url string, conns *atomic.Int64) {
	conns = new(atomic.Int64)
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, conns
}

// A thousand calls that are refused with bodies of 60 kB use one connection per worker: bodies are
// drained, and giving up does not purge the pool.
func TestFailingCallsKeepTheirConnections(t *testing.T) {
	const workers, calls = 4, 1000
	body := bytes.Repeat([]byte("x"), 60_000)
	var first sync.WaitGroup // the transport dials once too often where connections are still being made
	first.Add(workers)
	url, conns := counted(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/first" {
			first.Done()
			first.Wait()
			return
		}
		w.WriteHeader(429)
		w.Write(body)
	})
	tr := retry.NewTransport()
	defer tr.CloseIdleConnections()
	p := quick(t)
	p.Budget.Attempts = 2
	c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: p}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", url+"/first", nil)})
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			for range calls / workers {
				resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("POST", url, []byte("request"))})
				if err != nil || resp.StatusCode != 429 {
					t.Error(resp, err)
					return
				}
				n, err := io.Copy(io.Discard, resp.Body)
				if err != nil || n != int64(len(body)) {
					t.Error(n, err)
				}
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, workers, conns.Load())
}

// A call that gives up on a transport error leaves the pool alone, too.
func TestGivingUpKeepsThePool(t *testing.T) {
	url, conns := counted(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/html" {
			io.WriteString(w, "<html>")
		}
	})
	tr := retry.NewTransport()
	defer tr.CloseIdleConnections()
	p := quick(t)
	c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: p}
	for i := range 40 {
		call := retry.Call{Request: newRequest("GET", url, nil)}
		if i%2 == 0 {
			call.Request.URL.Path = "/html"
			call.Accept = func(*http.Response) error { return retry.Decode(errors.New("not a list")) }
		}
		resp, _, err := c.Do(t.Context(), call)
		require.Equal(t, i%2 == 0, err != nil)
		if resp != nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	require.EqualValues(t, 1, conns.Load())
}

// Retried error bodies around the library's own drain limit of 4,096 bytes use one connection.
func TestDrain(t *testing.T) {
	for _, size := range []int{0, 4096, 4097, 65_535, 65_536} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			url, conns := counted(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(429)
				w.Write(make([]byte, size))
			})
			tr := retry.NewTransport()
			defer tr.CloseIdleConnections()
			c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: quick(t)}
			resp, trace, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", url, nil)})
			require.NoError(t, err)
			require.Len(t, trace.Attempts, 4)
			n, err := io.Copy(io.Discard, resp.Body)
			require.NoError(t, err)
			require.EqualValues(t, size, n)
			resp.Body.Close()
			require.EqualValues(t, 1, conns.Load())
		})
	}
}

// A body from disk goes out byte for byte on every attempt, with its length, without being copied
// and without a descriptor left open.
func TestBodyFromDisk(t *testing.T) {
	const size = 32 << 20
	path := filepath.Join(t.TempDir(), "body")
	want := bytes.Repeat([]byte("0123456789abcdef"), size/16)
	require.NoError(t, os.WriteFile(path, want, 0o600))
	var attempts atomic.Int64
	url, _ := counted(t, func(w http.ResponseWriter, r *http.Request) {
		buf, seen, equal := make([]byte, 32<<10), 0, true
		for {
			n, err := r.Body.Read(buf)
			equal = equal && bytes.Equal(buf[:n], want[seen:seen+n])
			if seen += n; err != nil {
				break
			}
		}
		if !equal || seen != size || r.ContentLength != size {
			w.WriteHeader(400)
		} else if attempts.Add(1) < 4 {
			w.WriteHeader(503)
		}
	})
	tr := retry.NewTransport()
	defer tr.CloseIdleConnections()
	var open, opens atomic.Int64
	c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: quick(t)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, trace, err := c.Do(t.Context(), retry.Call{Request: fileRequest(url, size, func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err == nil {
			open.Add(1)
			opens.Add(1)
		}
		return &closing{f, &open}, err
	})})
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, 200, resp.StatusCode)
	require.EqualValues(t, 4, opens.Load())
	require.EqualValues(t, 0, open.Load())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
	for _, a := range trace.Attempts {
		require.EqualValues(t, size, a.BytesSent)
	}
}

// fileRequest is a request with a body that is opened anew for each attempt.
func fileRequest(url string, size int64, open func() (io.ReadCloser, error)) *http.Request {
	r := newRequest("POST", url, nil)
	r.Body, r.GetBody, r.ContentLength = nil, open, size
	return r
}

// reading counts the bytes that are read.
type reading struct {
	io.ReadCloser
	bytes *int
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	*r.bytes += n
	return n, err
}

type closing struct {
	io.ReadCloser
	open *atomic.Int64
}

func (c *closing) Close() error {
	c.open.Add(-1)
	return c.ReadCloser.Close()
}

// A server that answers before it has read the upload: each attempt has a reader of its own, so
// that the old write loop and the new one do not meet.
func TestEarlyAnswer(t *testing.T) {
	url, _ := counted(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.WriteHeader(503)
	})
	tr := retry.NewTransport()
	defer tr.CloseIdleConnections()
	c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: quick(t)}
	p := c.Policy
	for i := range p.Rules {
		p.Rules[i].When.Kind = nil
	}
	p.Default = retry.Retry
	data := make([]byte, 4<<20)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			resp, trace, _ := c.Do(t.Context(), retry.Call{Request: newRequest("POST", url, data)})
			if resp != nil {
				resp.Body.Close()
			}
			if len(trace.Attempts) != 4 {
				t.Error(trace)
			}
		})
	}
	wg.Wait()
}

// A body that is not as long as it says is a mistake of the program.
func TestWrongLength(t *testing.T) {
	for _, c := range []struct {
		name string
		len  int64
		want retry.Kind
	}{{"too short", 10, retry.KindLength}, {"too long", 3, retry.KindLength}, {"right", 5, ""}, {"unknown", -1, ""}} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []reply{{status: 200}}, func(t *testing.T, s *server) {
				call := post("12345")
				call.Request.ContentLength = c.len
				o := s.do(t.Context(), s.client("unstructured-python", 0.5), call)
				require.Equal(t, []retry.Kind{c.want}, kinds(o.trace))
				if c.want != "" {
					require.Error(t, o.err)
				} else {
					require.NoError(t, o.err)
					require.Equal(t, "12345", s.sent[0].body)
				}
			})
		})
	}
}

func TestBodyOnce(t *testing.T) {
	once := func(s string) (retry.Call, *int) {
		read := new(int)
		call := post(s)
		call.Request.Body = &reading{call.Request.Body, read}
		call.Request.GetBody = nil
		return call, read
	}
	t.Run("sent once", func(t *testing.T) {
		bubble(t, []reply{{status: 503, body: "busy"}}, func(t *testing.T, s *server) {
			call, read := once("pipe")
			o := s.do(t.Context(), s.client("unstructured", 1), call)
			require.NoError(t, o.err)
			require.Equal(t, "busy", o.body)
			require.Equal(t, "body_not_replayable", o.trace.Stop)
			require.Equal(t, len("pipe"), *read)
		})
	})
	t.Run("the error says so", func(t *testing.T) {
		bubble(t, []reply{{fault: "reset"}}, func(t *testing.T, s *server) {
			call, _ := once("pipe")
			o := s.do(t.Context(), s.client("unstructured", 1), call)
			require.EqualError(t, o.err, "1 attempt in 0s, stopped by body not replayable: EOF")
		})
	})
	t.Run("not opened without a connection", func(t *testing.T) {
		bubble(t, []reply{{fault: "dial"}, {fault: "dial"}, {status: 200}}, func(t *testing.T, s *server) {
			call, read := once("pipe")
			o := s.do(t.Context(), s.client("unstructured", 1), call)
			require.NoError(t, o.err)
			require.Equal(t, []float64{0, 1, 3}, s.seconds())
			require.Equal(t, "pipe", s.sent[2].body)
			require.Equal(t, len("pipe"), *read)
		})
	})
	t.Run("cannot be opened", func(t *testing.T) {
		bubble(t, []reply{{status: 200}}, func(t *testing.T, s *server) {
			call := post("x")
			call.Request.GetBody = func() (io.ReadCloser, error) { return nil, os.ErrNotExist }
			o := s.do(t.Context(), s.client("unstructured", 1), call)
			require.ErrorIs(t, o.err, os.ErrNotExist)
			require.Equal(t, []retry.Kind{retry.KindBody}, kinds(o.trace))
		})
	})
}

// A body that trickles does not hold the decision up for longer than the peek's two seconds, and
// none of it is lost.
func TestTricklingErrorBody(t *testing.T) {
	trickle := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(503)
		for i := range 10 {
			fmt.Fprintf(w, "%d", i)
			http.NewResponseController(w).Flush()
			time.Sleep(time.Second)
		}
	}
	bubble(t, nil, func(t *testing.T, s *server) {
		s.handler = trickle
		c := s.client("unstructured", 1)
		c.Policy.Rules = append([]retry.Rule{c.Policy.Rules[0]}, c.Policy.Rules[9]) // 503 is returned
		o := s.do(t.Context(), c, post("x"))
		require.NoError(t, o.err)
		require.Equal(t, 2*time.Second, o.at)
		require.Equal(t, "0123456789", o.body)
	})
	bubble(t, nil, func(t *testing.T, s *server) {
		s.handler = trickle
		c := s.client("agent", 1)
		o := s.do(t.Context(), c, post("x"))
		require.NoError(t, o.err)
		require.Equal(t, []float64{0, 3, 7, 13}, s.seconds()) // 2 s of peek before waits of 1, 2 and 4
		require.Equal(t, "0123456789", o.body)
	})
}

// A stream is not read: the status decides, and what the server goes on to write reaches the
// caller.
func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		stream     bool
		status     int
		sent       int
	}{
		{"declared by the call", "application/json", true, 503, 4},
		{"event stream", "text/event-stream; charset=utf-8", false, 503, 4},
		{"good", "text/event-stream", false, 200, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, []reply{{status: c.status, header: "Content-Type: " + c.kind, body: `{"retryable":false,"partial":true}`, fault: "stall"}}, func(t *testing.T, s *server) {
				call := post("x")
				call.Stream = c.stream
				call.Accept = func(*http.Response) error {
					if c.stream {
						t.Error("accept was called")
					}
					return nil
				}
				client := s.client("search-api", 1)
				if !c.stream {
					call.Accept = nil
				}
				resp, _, err := client.Do(t.Context(), call)
				require.NoError(t, err)
				require.Len(t, s.sent, c.sent)
				b := make([]byte, 100)
				n, err := io.ReadAtLeast(resp.Body, b, 34)
				require.NoError(t, err)
				require.Equal(t, `{"retryable":false,"partial":true}`, string(b[:n]))
				resp.Body.Close()
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// Redirects are the HTTP client's business; one that it refuses is final.
func TestRedirects(t *testing.T) {
	bubble(t, []reply{{status: 307, header: "Location: http://elsewhere/"}}, func(t *testing.T, s *server) {
		c := s.client("unstructured", 1)
		refused := errors.New("redirect to elsewhere refused")
		c.HTTP.CheckRedirect = func(*http.Request, []*http.Request) error { return refused }
		o := s.do(t.Context(), c, post("x"))
		require.ErrorIs(t, o.err, refused)
		require.Equal(t, []retry.Kind{retry.KindRedirect}, kinds(o.trace))
		require.EqualError(t, o.err, "1 attempt in 0s, stopped by permanent error, last status 307: redirect to elsewhere refused")
	})
	bubble(t, []reply{{status: 307, header: "Location: /moved"}, {status: 500}, {status: 307, header: "Location: /moved"}, {status: 200}}, func(t *testing.T, s *server) {
		o := s.do(t.Context(), s.client("unstructured", 1), post("x"))
		require.NoError(t, o.err)
		require.Equal(t, []float64{0, 0, 1, 1}, s.seconds())
		require.Equal(t, "x", s.sent[3].body)
		require.Len(t, o.trace.Attempts, 2)
	})
}

// What a caller must not be told: headers, and the query of the URL.
func TestErrorsTellNoSecrets(t *testing.T) {
	bubble(t, []reply{{fault: "reset"}}, func(t *testing.T, s *server) {
		call := post("x")
		call.Request.URL.RawQuery = "key=hush"
		call.Request.Header = http.Header{"Unstructured-Api-Key": {"hush"}}
		o := s.do(t.Context(), s.client("unstructured", 1), call)
		require.Error(t, o.err)
		require.NotContains(t, o.err.Error(), "hush")
	})
	c := new(retry.Client)
	for _, u := range []*url.URL{
		{Scheme: "ftp", Host: "host", RawQuery: "key=hush"},
		{Path: "/general", RawQuery: "key=hush"},
		nil,
	} {
		_, trace, err := c.Do(t.Context(), retry.Call{Request: &http.Request{URL: u}})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hush")
		require.LessOrEqual(t, len(trace.Attempts), 1)
	}
	_, _, err := c.Do(t.Context(), retry.Call{})
	require.EqualError(t, err, "no attempt in 0s, stopped by permanent error: the call has no request, or no URL")
	request := newRequest("GET", "http://127.0.0.1/", nil)
	request.Method = "BAD METHOD"
	_, trace, err := c.Do(t.Context(), retry.Call{Request: request})
	require.ErrorContains(t, err, `stopped by permanent error: net/http: invalid method "BAD METHOD"`)
	require.Equal(t, []retry.Kind{retry.KindInvalid}, kinds(trace))
	e := retry.NewError(errors.New("a\x1b[31mred\nline"))
	require.EqualError(t, e, `no attempt in 0s: a\x1b[31mred\nline`)
}

// Kinds of errors on real sockets.
func TestKinds(t *testing.T) {
	tlsServer := httptest.NewTLSServer(http.NotFoundHandler())
	defer tlsServer.Close()
	tlsServer.Config.ErrorLog = quiet
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	tr := retry.NewTransport()
	tr.Proxy = nil
	defer tr.CloseIdleConnections()
	resolver := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no resolver")
	}}
	tr.DialContext = (&net.Dialer{Resolver: resolver}).DialContext
	p := quick(t)
	c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: p}
	for _, x := range []struct {
		name, url string
		want      retry.Kind
	}{
		{"refused", gone.URL, retry.KindDial},
		{"no name", "http://no.such.host.invalid/", retry.KindDNS},
		{"unknown authority", tlsServer.URL, retry.KindTLS},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), retry.KindTLS},
		{"scheme", "ftp://127.0.0.1/", retry.KindInvalid},
		{"host", "http:///x", retry.KindInvalid},
	} {
		t.Run(x.name, func(t *testing.T) {
			_, trace, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", x.url, nil)})
			require.Error(t, err)
			require.Equal(t, []retry.Kind{x.want}, kinds(trace), "%v", err)
		})
	}
	t.Run("client time-out", func(t *testing.T) {
		hang := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
		defer s.Close()
		defer close(hang)
		c := &retry.Client{HTTP: &http.Client{Transport: tr, Timeout: 10 * time.Millisecond}, Policy: p}
		_, trace, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", s.URL, nil)})
		require.Error(t, err)
		require.Equal(t, []retry.Kind{retry.KindTimeout}, kinds(trace), "%v", err)
	})
	t.Run("TLS", func(t *testing.T) {
		c := &retry.Client{HTTP: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}, Policy: p}
		resp, _, err := c.Do(t.Context(), retry.Call{Request: newRequest("GET", tlsServer.URL, nil)})
		require.NoError(t, err)
		resp.Body.Close()
		c.HTTP.CloseIdleConnections()
	})
}

// HTTP/2: retries on one connection, with the header cloned for each attempt.
func TestHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		protocols := new(http.Protocols)
		protocols.SetUnencryptedHTTP2(true)
		lis := newPipeListener()
		n := 0
		srv := &http.Server{Protocols: protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			if n++; n < 3 || string(b) != "document" || r.ProtoMajor != 2 {
				w.WriteHeader(503)
				w.Write(make([]byte, 60_000))
			}
		})}
		go srv.Serve(lis)
		tr := &http.Transport{DialContext: lis.DialContext, Protocols: protocols}
		start := time.Now()
		p, _ := retry.Preset("unstructured-python")
		c := &retry.Client{HTTP: &http.Client{Transport: tr}, Policy: p}
		c.SetRandom(func() float64 { return 0 })
		resp, trace, err := c.Do(t.Context(), post("document"))
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
		resp.Body.Close()
		require.Equal(t, time.Minute, time.Since(start))
		require.EqualValues(t, len("document"), trace.Attempts[0].BytesSent)
		require.Equal(t, 1, lis.dials)
		tr.CloseIdleConnections()
		srv.Close()
	})
}

package retry_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

// peer is what a server knows of one connection.
type peer struct{ failed, answered atomic.Int64 }

type peerKey struct{}

// onPeers is a server whose handler knows the request's connection.
func onPeers(t *testing.T, secure, http2 bool, h func(w http.ResponseWriter, r *http.Request, p *peer)) (*httptest.Server, *http.Transport) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		h(w, r, r.Context().Value(peerKey{}).(*peer))
	}))
	s.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, peerKey{}, new(peer))
	}
	s.EnableHTTP2 = http2
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	tr := retry.NewTransport()
	if secure {
		tr.TLSClientConfig = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	}
	t.Cleanup(tr.CloseIdleConnections)
	return s, tr
}

// sendsOnce is a client that repeats nothing.
func sendsOnce(t *testing.T, tr *http.Transport) *http.Client {
	once, err := retry.Parse([]byte(`{"name": "once", "rules": [], "default": "return"}`))
	require.NoError(t, err)
	return &http.Client{Transport: (&retry.Client{HTTP: &http.Client{Transport: tr}, Policy: once}).RoundTripper(nil)}
}

// No request comes on a connection that has answered with a 5xx, whatever the answer's body, with
// other calls waiting for a connection; and every attempt is seen once.
func TestD2NoConnectionIsUsedAfterA5xx(t *testing.T) {
	const workers, calls = 8, 40
	for name, c := range map[string]struct {
		secure bool
		body   int
		status int
	}{
		"500 without a body":     {false, 0, 500},
		"500":                    {false, 20, 500},
		"503, longer than peeks": {false, 100_000, 503},
		"599 over TLS":           {true, 20, 599},
		"502 over TLS, no body":  {true, 0, 502},
	} {
		t.Run(name, func(t *testing.T) {
			var again, requests atomic.Int64
			s, tr := onPeers(t, c.secure, false, func(w http.ResponseWriter, r *http.Request, p *peer) {
				requests.Add(1)
				again.Add(p.failed.Load())
				if n, _ := strconv.Atoi(r.URL.RawQuery); n%2 == 0 {
					return
				}
				p.failed.Store(1)
				w.WriteHeader(c.status)
				w.Write(make([]byte, c.body))
			})
			tr.MaxConnsPerHost = workers / 2 // the next request waits for the connection of the one before
			client := sendsOnce(t, tr)
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for i := range calls {
						resp, err := client.Post(s.URL+"?"+strconv.Itoa(i), "text/plain", strings.NewReader("request"))
						if err != nil {
							t.Error(err)
							return
						}
						if n, err := io.Copy(io.Discard, resp.Body); err != nil || i%2 != 0 && n != int64(c.body) {
							t.Error(n, err)
						}
						resp.Body.Close()
					}
				})
			}
			all.Wait()
			require.Zero(t, again.Load())
			require.EqualValues(t, workers*calls, requests.Load())
		})
	}
}

// Any other answer leaves the connection in use, and HTTP/2 shares its own whatever the answer.
func TestD2OtherConnectionsStay(t *testing.T) {
	for name, c := range map[string]struct {
		http2  bool
		status int
	}{
		"400": {false, 400}, "429": {false, 429}, "499": {false, 499}, "500 on HTTP/2": {true, 500},
	} {
		t.Run(name, func(t *testing.T) {
			most := new(atomic.Int64)
			s, tr := onPeers(t, c.http2, c.http2, func(w http.ResponseWriter, _ *http.Request, p *peer) {
				most.Store(max(most.Load(), p.answered.Add(1)))
				w.WriteHeader(c.status)
				io.WriteString(w, "no")
			})
			client := sendsOnce(t, tr)
			for range 5 {
				resp, err := client.Post(s.URL, "text/plain", strings.NewReader("request"))
				require.NoError(t, err)
				require.Equal(t, c.http2, resp.ProtoMajor == 2)
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			require.EqualValues(t, 5, most.Load())
		})
	}
}

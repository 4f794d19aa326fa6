package cmd_test

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// An answering server has what it is told for /healthcheck, and one element for every document.
type answering struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func newAnswering(t *testing.T, start func(http.Handler) *httptest.Server, health http.HandlerFunc) *answering {
	s := &answering{}
	s.Server = start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		if strings.HasSuffix(r.URL.Path, "/healthcheck") {
			health(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`[{"type":"Title","element_id":"1","text":"A short note","metadata":{}}]`))
	}))
	t.Cleanup(s.Close)
	return s
}

// arrived are the requests so far.
func (s *answering) arrived() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *answering) doctor(t *testing.T, args ...string) (code int, stdout string) {
	var out, stderr bytes.Buffer
	env := []string{"UNSTRUCTURED_API_URL=" + s.URL, "UNSTRUCTURED_API_KEY=the-key-0123456789"}
	code = cmd.Main(append([]string{"doctor", "--cache-dir", filepath.Join(t.TempDir(), "cache")}, args...), env, nil, &out, &stderr)
	require.NotContains(t, out.String()+stderr.String(), "the-key")
	return code, out.String()
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func TestDoctorHealth(t *testing.T) {
	for name, test := range map[string]struct {
		health http.HandlerFunc
		code   int
		says   string
		sent   int
	}{
		"well":       {status(200, `{"healthcheck":"OK"}`), 0, "ok    health: http://127.0.0.1:", 2},
		"none":       {status(404, `{"detail":"Not Found"}`), 0, "warn  health: no health check at ", 2},
		"not by GET": {status(405, ``), 0, "warn  health: no health check at ", 2},
		"guarded":    {status(401, `{}`), 0, "/healthcheck: 401 Unauthorized; the health check is sent without the key", 2},
		"login page": {status(200, "\n<!DOCTYPE html>"), 0, "200 OK, but it is an HTML page; is this the URL of a partition API?", 2},
		"teapot":     {status(418, ``), 0, "warn  health: http://127.0.0.1:", 2},
		"unwell":     {status(503, `{}`), 6, "FAIL  health: http://127.0.0.1:", 2},
		"moved": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://somebody:secret@elsewhere.invalid/healthcheck?token=secret", http.StatusMovedPermanently)
		}, 1, "refused a redirect to https://elsewhere.invalid/healthcheck; use the URL that it leads to\nwarn  document: not sent", 1},
		"moved nowhere": {status(302, ``), 1, "refused a redirect to nowhere; use the URL that it leads to", 1},
		"cut off": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, 6, "FAIL  health: http://127.0.0.1:", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAnswering(t, httptest.NewServer, test.health)
			code, stdout := s.doctor(t)
			require.Equal(t, test.code, code, stdout)
			require.Contains(t, stdout, test.says)
			require.NotContains(t, stdout, "secret")
			require.Len(t, s.arrived(), test.sent)
			if test.sent == 2 {
				require.Contains(t, stdout, "ok    document: 1 element in ")
			}
		})
	}
}

// The key goes with the document alone; what a gateway wants goes with both.
func TestDoctorHeaders(t *testing.T) {
	s := newAnswering(t, httptest.NewServer, status(200, `{}`))
	code, stdout := s.doctor(t, "--header", "X-Tenant: 7", "--url", strings.Replace(s.URL, "://", "://user:word@", 1)+"/gateway/")
	require.Equal(t, 0, code, stdout)
	require.NotContains(t, stdout, "word")
	requests := s.arrived()
	require.Len(t, requests, 2)
	health, document := requests[0], requests[1]
	require.Equal(t, "/gateway/healthcheck", health.URL.Path)
	require.Equal(t, "/gateway/general/v0/general", document.URL.Path)
	require.Empty(t, health.Header.Get("Unstructured-Api-Key"))
	require.Equal(t, "the-key-0123456789", document.Header.Get("Unstructured-Api-Key"))
	for _, r := range requests {
		require.Equal(t, "7", r.Header.Get("X-Tenant"))
		_, password, _ := r.BasicAuth()
		require.Equal(t, "word", password)
		require.Contains(t, r.UserAgent(), "quire/")
	}
}

// What an unreadable answer repeats of the request does not show, neither a header nor the URL's
// credentials.
func TestE4DoctorEchoedSecrets(t *testing.T) {
	for _, header := range []string{"X-Gateway-Token", "Authorization"} {
		s := newAnswering(t, httptest.NewServer, func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n"+r.Header.Get(header)+"\r\n\r\n")
				_ = conn.Close()
			}
		})
		code, stdout := s.doctor(t, "--header", "X-Gateway-Token: t0ken-of-the-gateway", "--url", strings.Replace(s.URL, "://", "://user:passw0rd-of-the-url@", 1))
		require.Equal(t, 6, code, stdout)
		require.Contains(t, stdout, "[redacted]")
		require.NotContains(t, stdout, "t0ken")
		require.NotContains(t, stdout, base64.StdEncoding.EncodeToString([]byte("user:passw0rd"))[:12])
	}
}

// An authority that nobody knows is named as such, and trusted with --ca-file, by both requests.
func TestDoctorTLS(t *testing.T) {
	s := newAnswering(t, httptest.NewTLSServer, status(200, `{}`))
	code, stdout := s.doctor(t)
	require.Equal(t, 6, code)
	require.Contains(t, stdout, "FAIL  health: "+s.URL+"/healthcheck: tls: failed to verify certificate: x509:")
	require.Contains(t, stdout, "; trust the authority of the certificate with --ca-file\nwarn  document: not sent\n")
	file := filepath.Join(t.TempDir(), "authority.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, block, 0o600))
	code, stdout = s.doctor(t, "--ca-file", file)
	require.Equal(t, 0, code, stdout)
	require.NotContains(t, stdout, "warn")
	code, stdout = s.doctor(t, "--url", strings.Replace(s.URL, "https:", "http:", 1), "--no-document")
	require.Equal(t, 0, code, stdout)
	require.Contains(t, stdout, "warn  health: http://127.0.0.1:")
	plain := newAnswering(t, httptest.NewServer, status(200, `{}`))
	code, stdout = plain.doctor(t, "--url", strings.Replace(plain.URL, "http:", "https:", 1))
	require.Equal(t, 6, code)
	require.Contains(t, stdout, "the server does not use TLS: should the URL be http:// instead of https://?")
}

// A document without an answer is given up after the flags' time, whatever retries are owed.
func TestDoctorDocumentWaits(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	s.Script(partitiontest.Fault{Do: partitiontest.Hang()})
	var stdout, stderr bytes.Buffer
	code := cmd.Main([]string{
		"doctor", "--url", s.URL, "--cache-dir", filepath.Join(t.TempDir(), "cache"), "--retry-elapsed", "300ms", "--timeout", "200ms",
	}, nil, nil, &stdout, &stderr)
	require.Equal(t, 6, code)
	require.Regexp(t, `(?m)^FAIL  document: note.txt: .*no answer within `, stdout.String()) // of the attempt or of all, whichever ends first
}

// No step waits for long, and an interrupt ends the waiting.
func TestDoctorWaits(t *testing.T) {
	arrived := make(chan struct{}, 1)
	s := newAnswering(t, httptest.NewServer, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	code, stdout := s.doctor(t, "--timeout", "1s")
	require.Equal(t, 6, code)
	require.Contains(t, stdout, "/healthcheck: no answer within 1s; does a firewall or a proxy block it?\n")
	<-arrived
	go func() {
		<-arrived
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	}()
	code, stdout = s.doctor(t)
	require.Equal(t, 130, code)
	require.Contains(t, stdout, "/healthcheck: interrupted\nwarn  document: not sent\n")
}

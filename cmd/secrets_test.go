package cmd_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
)

// echoedParts are answers that repeat a secret where they cannot be read, or as an error's words.
var echoedParts = map[string]string{
	"status line": "HTTP/1.1 %s\r\n\r\n",
	"header":      "HTTP/1.1 200 OK\r\n%s\r\n\r\n",
	"length":      "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n",
	"location":    "HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/%s\r\nContent-Length: 0\r\n\r\n",
	"error":       "HTTP/1.1 422 %s\r\nConnection: close\r\n\r\n{\"detail\": \"%[1]s\"}",
	"HTML":        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html><title>%s</title>",
	"object":      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"%s\": 1}",
	"broken off":  "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n[{\"type\": \"Title\", \"text\": \"%s",
}

// serveEcho answers each request with the pattern, and with the secret that pick takes from it in it.
func serveEcho(t *testing.T, pattern string, pick func(*http.Request) string) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	answer := func(conn net.Conn) {
		defer conn.Close()
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		secret := pick(request)
		_, _ = io.Copy(io.Discard, request.Body)
		_, _ = fmt.Fprintf(conn, pattern, secret)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
	return listener.Addr().String()
}

// A secret that the server repeats shows on no screen, and in no file that a run leaves: lists, report, summary, journal, cache.
func TestE4RunsShowNoSecret(t *testing.T) {
	const key, password, token = "sk-0a1b2c3d4e5f60718293a4b5c6d7e8f9", "url-passw0rd-71", "gateway-t0ken-93"
	basic := base64.StdEncoding.EncodeToString([]byte("gate:" + password))
	secrets := map[string]func(*http.Request) string{
		"key":         func(r *http.Request) string { return r.Header.Get("Unstructured-Api-Key") },
		"credentials": func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ") },
		"header":      func(r *http.Request) string { return r.Header.Get("X-Gateway-Token") },
		"query":       func(r *http.Request) string { return r.URL.RawQuery },
	}
	shown := []string{key[3:15], "passw0rd", "t0ken-93", basic[8:20]}
	for part, pattern := range echoedParts {
		for name, pick := range secrets {
			t.Run(part+"/"+name, func(t *testing.T) {
				t.Parallel()
				host := serveEcho(t, pattern, pick)
				dir := t.TempDir()
				in := func(name string) string { return filepath.Join(dir, name) }
				require.NoError(t, os.Mkdir(in("docs"), 0o700))
				require.NoError(t, os.WriteFile(in("docs/a.txt"), []byte("One."), 0o600))
				require.NoError(t, os.WriteFile(in("docs/b.txt"), []byte("Two."), 0o600))
				keyFile := filepath.Join(t.TempDir(), "key")
				require.NoError(t, os.WriteFile(keyFile, []byte(key), 0o600))
				var stdout, stderr bytes.Buffer
				code := cmd.Main([]string{
					"partition", in("docs"), "-o", in("out"), "-v", "--progress", "plain",
					"--url", "http://gate:" + password + "@" + host + "/?token=" + token, "--api-key-file", keyFile,
					"--header", "X-Gateway-Token: " + token, "--cache-dir", in("cache"), "--retry-attempts", "2", "--retry-initial", "1ms",
					"--summary", in("summary.json"), "--report", in("report.html"), "--failed", in("failed.jsonl"),
				}, nil, nil, &stdout, &stderr)
				require.NotZero(t, code)
				require.Contains(t, stderr.String(), "a.txt")
				written := map[string]string{"standard output": stdout.String(), "standard error": stderr.String()}
				require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() {
						return err
					}
					data, err := os.ReadFile(path)
					written[path] = path + string(data)
					return err
				}))
				require.Contains(t, written, in("failed.jsonl"))
				require.Contains(t, written, in("report.html"))
				for where, text := range written {
					for _, part := range shown {
						require.NotContains(t, strings.ToLower(text), strings.ToLower(part), where)
					}
				}
			})
		}
	}
}

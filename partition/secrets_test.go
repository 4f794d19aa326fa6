package partition_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
)

const (
	secretKey      = "sk-0a1b2c3d4e5f60718293a4b5c6d7e8f9"
	secretPassword = "url-passw0rd-71"
	secretToken    = "gateway-t0ken-93"
	secretAuth     = `{"type": "service_account", "private_key_id": "99887766554433221100aabbccddeeff"}`
)

// secretRuns are parts of the secrets, as they are and as a header has them.
func secretRuns() []string {
	basic := base64.StdEncoding.EncodeToString([]byte("gate:" + secretPassword))
	return []string{secretKey[3:15], "passw0rd", "t0ken-93", "99887766", basic[8:20]}
}

func requireNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, run := range secretRuns() {
		require.NotContains(t, strings.ToLower(text), strings.ToLower(run), where)
	}
}

// echoes are answers that repeat what they were sent where an answer cannot be read.
var echoes = map[string]string{
	"status line":       "HTTP/1.1 %s\r\n\r\n",
	"protocol":          "%s 200 OK\r\n\r\n",
	"header":            "HTTP/1.1 200 OK\r\n%s\r\n\r\n",
	"length":            "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n",
	"two lengths":       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: %s\r\n\r\n",
	"transfer encoding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n",
	"location":          "HTTP/1.1 302 Found\r\nLocation: http://[%s\r\nContent-Length: 0\r\n\r\n",
	"good location":     "HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/%s?%[1]s\r\nContent-Length: 0\r\n\r\n",
	"chunk length":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\n",
	"trailer":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n0\r\n%s\r\n\r\n",
	"gzip":              "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n%.9s",
	"error":             "HTTP/1.1 422 %s\r\nConnection: close\r\n\r\n{\"detail\": \"%[1]s\"}",
	"HTML":              "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html><title>%s</title>",
	"object":            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"%s\": 1}",
	"element":           "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[\"%s\"]",
}

// echoServer answers every connection with what pattern makes of the secrets.
func echoServer(t *testing.T, pattern, secret string) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				request, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				buf := make([]byte, 64<<10)
				for request.Body != nil {
					if _, err := request.Body.Read(buf); err != nil {
						break
					}
				}
				_, _ = fmt.Fprintf(conn, pattern, secret)
			}()
		}
	}()
	return listener.Addr().String()
}

// everyError is what an error and all that it wraps show.
func everyError(err error) string {
	if err == nil {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%v %+v %#v %s %q", err, err, err, err, err)
	if data, err := json.Marshal(err); err == nil {
		text.Write(data)
	}
	switch wraps := err.(type) { //nolint:errorlint // the tree is walked here
	case interface{ Unwrap() error }:
		text.WriteString(everyError(wraps.Unwrap()))
	case interface{ Unwrap() []error }:
		for _, wrapped := range wraps.Unwrap() {
			text.WriteString(everyError(wrapped))
		}
	}
	if api := (*partition.APIError)(nil); errors.As(err, &api) {
		fmt.Fprintf(&text, "%s %s %+v", api.Detail, api.Body, *api)
	}
	return text.String()
}

// A secret that an answer repeats shows nowhere, in whichever part of the answer it is.
func TestE4EchoedSecrets(t *testing.T) {
	for part, pattern := range echoes {
		for name, secret := range map[string]string{
			"key": secretKey, "password": secretPassword, "token": secretToken, "parameter": secretAuth,
			"credentials": base64.StdEncoding.EncodeToString([]byte("gate:" + secretPassword)),
		} {
			t.Run(part+"/"+name, func(t *testing.T) {
				t.Parallel()
				var mu sync.Mutex
				var log bytes.Buffer
				host := echoServer(t, pattern, secret)
				policy, ok := retry.Preset("unstructured")
				require.True(t, ok)
				policy.Budget.Attempts = 1
				client, err := partition.New(
					partition.WithBaseURL("http://gate:"+secretPassword+"@"+host+"/?api_token="+secretToken), partition.WithAPIKey(secretKey),
					partition.WithHeader("X-Signature", secretToken), partition.WithRetryPolicy(policy),
					partition.WithLogger(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
					partition.WithObserver(func(_ context.Context, e partition.Event) {
						mu.Lock()
						defer mu.Unlock()
						fmt.Fprintf(&log, "%v %+v %s %s\n", e, e, everyError(e.Err), everyError(e.Attempt.Err))
					}),
				)
				require.NoError(t, err)
				params := partition.Params{ContextualAuth: secretAuth, Split: partition.Split{Password: secretPassword}}
				document := partition.FromReaderAt("a.txt", strings.NewReader("text"), 4)
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				stream := client.Stream(ctx, document, params)
				for _, err = range stream.All() {
				}
				require.Error(t, err)
				report := stream.Report()
				requireNoSecret(t, "log and events", log.String())
				requireNoSecret(t, "error", everyError(err))
				requireNoSecret(t, "report", fmt.Sprintf("%+v", report))
				for _, c := range report.Chunks {
					requireNoSecret(t, "report's error", everyError(c.Err))
					for _, attempt := range c.Trace.Attempts {
						requireNoSecret(t, "attempt", everyError(attempt.Err))
					}
				}
				require.Contains(t, everyError(err), host)
			})
		}
	}
}

// The values that hold secrets do not show them, however they are printed.
func TestE4PrintedValues(t *testing.T) {
	t.Setenv("UNSTRUCTURED_API_KEY", secretKey)
	client, err := partition.New(partition.WithBaseURL("http://gate:"+secretPassword+"@127.0.0.1:1/?api_token="+secretToken),
		partition.WithHeader("X-Signature", secretToken))
	require.NoError(t, err)
	params := partition.Params{ContextualAuth: secretAuth, Split: partition.Split{Password: secretPassword}}
	document := partition.FromReaderAt("a.txt", strings.NewReader("text"), 4)
	policy, ok := retry.Preset("unstructured")
	require.True(t, ok)
	for name, value := range map[string]any{
		"client": client, "parameters": params, "parameters' address": &params, "stream": client.Stream(t.Context(), document, params),
		"policy": policy, "document": document, "in a struct": struct{ C *partition.Client }{client},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			requireNoSecret(t, name+" "+verb, fmt.Sprintf(verb, value))
		}
		data, err := json.Marshal(value)
		if err == nil {
			requireNoSecret(t, name+" as JSON", string(data))
		}
	}
	require.Equal(t, "partition.Client(http://127.0.0.1:1/general/v0/general)", fmt.Sprintf("%+v", client))
}

// No secret is too short or too odd to be had.
func TestB1SecretsOfEveryLength(t *testing.T) {
	for _, key := range []string{"x", "1", "te", "text", "key", strings.Repeat("k", 7), strings.Repeat("0a", 2048)} {
		server := partitiontest.NewServer(partitiontest.Options{})
		defer server.Close()
		server.Script(partitiontest.Fault{Do: partitiontest.Reply(400, `{"detail": "File type text/`+key+` is not supported."}`)})
		client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithHTTPClient(server.Client()), partition.WithAPIKey(key),
			partition.WithHeader("X-Max-Tokens", "8"))
		require.NoError(t, err)
		_, err = client.Partition(t.Context(), partition.FromReaderAt("a.txt", strings.NewReader("text"), 4),
			partition.Params{Split: partition.Split{Password: "1"}})
		require.ErrorContains(t, err, "File type text/")
		var api *partition.APIError
		require.ErrorAs(t, err, &api)
		require.Equal(t, partition.KindUnsupportedType, api.Kind)
		require.Equal(t, len(key) < 8, strings.Contains(err.Error(), "text/"+key+" is not"))
	}
}

//go:build linux

package cmd_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

func pipeIn(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// A named pipe without the other end, or a socket, ends the run before it pays, whatever flag names
// it.
func TestE5PipesWithoutTheOtherEnd(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	document := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(document, []byte("text"), 0o600))
	for flag, want := range map[string]string{
		"summary": "nobody has read", "report": "nobody has read", "failed": "nobody has read",
		"password-file": "nobody has written", "api-key-file": "nobody has written", "files-from": "nobody has written",
		"ca-file": "nobody has written", "retry": "nobody has written", "contextual-chunking-auth-file": "nobody has written",
		"retry-failed": "nobody has written", "client-cert": "nobody has written",
	} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			args := []string{"partition", document, "--" + flag, pipeIn(t)}
			switch flag {
			case "retry-failed":
				args = append([]string{"partition"}, args[2:]...)
			case "client-cert":
				args = append(args, "--client-key", document)
			}
			start := time.Now()
			code, _, said := runOn(s, args...)
			require.NotZero(t, code)
			require.Contains(t, said, want)
			require.Less(t, time.Since(start), 30*time.Second)
			require.Empty(t, s.Requests())
		})
	}
	t.Run("socket", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		listener, err := net.Listen("unix", path)
		require.NoError(t, err)
		defer listener.Close()
		code, _, said := runOn(s, "partition", document, "--summary", path)
		require.NotZero(t, code)
		require.Contains(t, said, "it is a socket")
		require.Empty(t, s.Requests())
	})
}

// Pipes with another end work, as from a shell's <(...) and >(...), also when it comes a moment
// later.
func TestE5PipesWithTheOtherEnd(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{APIKey: "secret"})
	defer s.Close()
	document := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(document, []byte("text"), 0o600))
	key := pipeIn(t)
	summary := pipeIn(t)
	read := make(chan string, 1)
	go func() {
		file, err := os.OpenFile(key, os.O_WRONLY, 0)
		if err == nil {
			_, _ = io.WriteString(file, "secret\n")
			_ = file.Close()
		}
		data, _ := os.ReadFile(summary)
		read <- string(data)
	}()
	code, _, said := runOn(s, "partition", document, "--api-key-file", key, "--summary", summary)
	require.Zero(t, code, said)
	require.Contains(t, <-read, `"documents": 1`)

	// A descriptor of the process, as /dev/stdout and /dev/fd/63 are.
	r, w, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		data, _ := io.ReadAll(r)
		read <- string(data)
	}()
	keyFile := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(keyFile, []byte("secret"), 0o600))
	code, _, said = runOn(s, "partition", document, "--api-key-file", keyFile, "--summary", "/dev/fd/"+strconv.Itoa(int(w.Fd())))
	require.NoError(t, w.Close())
	require.Zero(t, code, said)
	require.Equal(t, 1, strings.Count(<-read, `"documents": 1`))
	require.NoError(t, r.Close())
	code, _, said = runOn(s, "partition", document, "--api-key-file", keyFile, "--summary", "/dev/null")
	require.Zero(t, code, said)
}

package cmd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/local"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// overwrite puts content in the place of as many bytes of a file.
func overwrite(t *testing.T, path string, content []byte) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Error(err)
	}
}

// TestA5Runs: files are rewritten while a run sends them. Whichever way the run goes, what an answer
// claims as its document's hash is the hash of what the answer was made from.
func TestA5Runs(t *testing.T) {
	const files = 6
	version := func(i, n int) []byte { return fmt.Appendf(nil, "Document %d in version %03d.\n", i, n) }
	page := func(i, n int) []byte {
		return partitiontest.NewPDF(3, partitiontest.WithText(func(page int) string { return fmt.Sprintf("Document %d, version %03d, page %d", i, n, page) }))
	}
	type answered struct{ text, sum string }
	lines := func(t *testing.T, out []byte) (got []answered) {
		for line := range bytes.Lines(out) {
			var element struct {
				Text   string
				Source struct{ SHA256 string }
			}
			require.NoError(t, json.Unmarshal(line, &element))
			got = append(got, answered{element.Text, element.Source.SHA256})
		}
		return got
	}
	listed := func(t *testing.T, out []byte) (got []answered) {
		for line := range bytes.Lines(out) {
			var answer struct {
				SHA256   string
				Elements []struct{ Text string }
			}
			require.NoError(t, json.Unmarshal(line, &answer))
			for _, element := range answer.Elements {
				got = append(got, answered{element.Text, answer.SHA256})
			}
		}
		return got
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // the engine is compiled once
	engine, err := local.New(local.Options{})
	require.NoError(t, err)
	defer engine.Close()
	for name, run := range map[string]struct {
		args    []string
		suffix  string
		content func(i, n int) []byte
		list    bool
		read    func(t *testing.T, out []byte) []answered
	}{
		"one after the other": {[]string{"-f", "jsonl", "--source-field", "-j", "1"}, ".txt", version, false, lines},
		"side by side":        {[]string{"-f", "jsonl", "--source-field", "-j", "4"}, ".txt", version, false, lines},
		"without cache":       {[]string{"-f", "jsonl", "--source-field", "--no-cache"}, ".txt", version, false, lines},
		"list":                {[]string{"--stdin-list"}, ".txt", version, true, listed},
		"pages":               {[]string{"-f", "jsonl", "--source-field", "--pages", "1-1"}, ".pdf", page, false, lines},
		"local":               {[]string{"-f", "jsonl", "--source-field", "--local"}, ".txt", version, false, lines},
		"local pages":         {[]string{"-f", "jsonl", "--source-field", "--local", "--pages", "2-2"}, ".pdf", page, false, lines},
		"local list":          {[]string{"--stdin-list", "--local"}, ".txt", version, true, listed},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			var mu sync.Mutex
			sums := map[string]string{} // of every version, by the words that tell it
			next := 0
			rewrite := func() {
				mu.Lock()
				defer mu.Unlock()
				for i, path := range paths {
					content := run.content(i, next)
					sum := sha256.Sum256(content)
					sums[fmt.Sprintf("Document %d in version %03d.", i, next)] = hex.EncodeToString(sum[:])
					sums[fmt.Sprintf("Document %d, version %03d, page", i, next)] = hex.EncodeToString(sum[:])
					overwrite(t, path, content)
				}
				next++
			}
			for i := range files {
				paths = append(paths, filepath.Join(dir, fmt.Sprint(i)+run.suffix))
			}
			rewrite()
			var requests atomic.Int32
			server := partitiontest.NewServer(partitiontest.Options{Engine: engine})
			defer server.Close()
			server.Script(partitiontest.Fault{
				Match: func(partitiontest.Request) bool { return requests.Add(1)%3 == 1 && requests.Load() < 20 },
				Do: partitiontest.Chain(partitiontest.Action{Name: "rewrite", Wrap: func(real http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						rewrite()
						real.ServeHTTP(w, r)
					})
				}}, partitiontest.Reply(503, `{"detail":"busy"}`)),
			})
			args := append([]string{"partition", "--retry-initial", "1ms", "--cache-dir", filepath.Join(t.TempDir(), "cache")}, run.args...)
			stdin := ""
			if run.list {
				stdin = strings.Join(paths, "\n") + "\n"
			} else {
				args = append(args, paths...)
			}
			var stdout, stderr bytes.Buffer
			stop, stopped := make(chan struct{}), make(chan struct{})
			local := slices.Contains(run.args, "--local")
			go func() { // the embedded engine has no requests at which to rewrite
				defer close(stopped)
				for range 5 {
					if !local {
						return
					}
					select {
					case <-stop:
						return
					case <-time.After(5 * time.Millisecond):
						rewrite()
					}
				}
			}()
			code := cmd.Main(args, []string{"UNSTRUCTURED_API_URL=" + server.URL}, strings.NewReader(stdin), &stdout, &stderr)
			close(stop)
			<-stopped
			require.Contains(t, []int{0, 3, 6}, code, stderr.String()) // 6: all changed too often
			got := run.read(t, stdout.Bytes())
			failures := strings.Count(stdout.String()+stderr.String(), ": changed while it was sent\n") + strings.Count(stdout.String(), `"kind":"changed"`)
			require.GreaterOrEqual(t, len(got)+failures, files, stdout.String()+stderr.String())
			require.True(t, local || len(got) > 0)
			for _, answer := range got {
				matched := false
				for words, sum := range sums {
					if strings.HasPrefix(answer.text, words) {
						matched = true
						require.Equal(t, sum, answer.sum, answer.text)
					}
				}
				require.True(t, matched, answer.text)
			}
		})
	}
}

//go:build conformance && unix

package cmd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// TestA5KilledWhileFilesAreRewritten kills runs over files that are rewritten meanwhile. At every
// point, and after a last undisturbed run, the hash that an output has on record is that of the
// bytes which its answers were made from.
func TestA5KilledWhileFilesAreRewritten(t *testing.T) {
	const kills, texts, reports = 20, 40, 4
	server := partitiontest.NewServer(partitiontest.Options{Engine: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		time.Sleep(5 * time.Millisecond)
		fmt.Fprintf(w, `[{"type":"NarrativeText","element_id":"%s","text":"%s","metadata":{}}]`, request.Pages, request.SHA256)
	})})
	defer server.Close()
	server.Script(partitiontest.Fault{
		Match: func(partitiontest.Request) bool { return rand.IntN(5) == 0 },
		Do:    partitiontest.Reply(503, `{"detail":"busy"}`),
	})
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	require.NoError(t, os.Mkdir(in, 0o700))
	versions := &written{content: map[string][]byte{}}
	rewrite := func() {
		i := rand.IntN(texts + reports)
		path, content := filepath.Join(in, fmt.Sprintf("%d.txt", i)), fmt.Appendf(nil, "Document %d, version %06d.\n", i, rand.IntN(1e6))
		if i >= texts {
			path, content = filepath.Join(in, fmt.Sprintf("%d.pdf", i)), partitiontest.NewPDF(6+rand.IntN(3), partitiontest.WithText(func(page int) string {
				return fmt.Sprintf("page %d version %06d", page, rand.IntN(1e6))
			}))
		}
		versions.write(t, path, content)
	}
	for range 20 * (texts + reports) {
		rewrite()
	}
	start := func() *exec.Cmd {
		c := exec.Command("quire", "partition", in, "-o", out, "-q", "--source-field", "-j", "4", "--cache-dir", filepath.Join(dir, "cache"))
		c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL, "HOME="+dir)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		return c
	}
	signals := []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP}
	outputs := 0
	for kill := range kills {
		stop := make(chan struct{})
		var rewriting sync.WaitGroup
		rewriting.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(rand.IntN(2000)) * time.Microsecond):
					rewrite()
				}
			}
		})
		c := start()
		time.Sleep(time.Duration(20+rand.IntN(250)) * time.Millisecond)
		_ = c.Process.Signal(signals[kill%len(signals)])
		_ = c.Wait()
		close(stop)
		rewriting.Wait()
		outputs += versions.check(t, out)
	}
	_ = start().Wait()
	require.NoError(t, start().Wait(), "what had no answer for its repeated failures has one now")
	require.Equal(t, texts+reports, versions.check(t, out))
	requests := len(server.Requests())
	require.NoError(t, start().Wait())
	require.Len(t, server.Requests(), requests, "the journal knows every document by what was sent of it")
	for _, name := range documents(t, out) {
		content, err := os.ReadFile(filepath.Join(in, strings.TrimSuffix(name, ".json")))
		require.NoError(t, err)
		sum, _ := recorded(t, filepath.Join(out, name))
		require.Equal(t, sumOf(content), sum, name)
	}
	t.Logf("%d kills, %d outputs seen, %d versions, %d requests", kills, outputs, len(versions.content), len(server.Requests()))
}

// written is every version of every file that there was, by its hash.
type written struct {
	mu      sync.Mutex
	content map[string][]byte
}

// write puts a version in a file: over it, part by part, or in its place.
func (w *written) write(t *testing.T, path string, content []byte) {
	w.mu.Lock()
	w.content[sumOf(content)] = content
	w.mu.Unlock()
	if rand.IntN(2) == 0 {
		fresh := filepath.Join(filepath.Dir(path), "..", "new")
		if os.WriteFile(fresh, content, 0o600) != nil || os.Rename(fresh, path) != nil {
			t.Error("cannot write", path)
		}
	} else if os.WriteFile(path, content, 0o600) != nil {
		t.Error("cannot write", path)
	}
}

// check compares each output's hash with what was sent, and returns how many outputs there are. A
// content that was never written as a whole is a file seen while it was written: it was sent whole.
func (w *written) check(t *testing.T, out string) int {
	t.Helper()
	names := documents(t, out)
	for _, name := range names {
		sum, texts := recorded(t, filepath.Join(out, name))
		if strings.HasSuffix(name, ".txt.json") {
			require.Equal(t, []string{sum}, texts, name)
			continue
		}
		content, known := w.content[sum]
		if !known {
			require.Equal(t, []string{sum}, texts, name)
			continue
		}
		d, err := split.Open(t.Context(), bytes.NewReader(content), int64(len(content)), split.Options{})
		require.NoError(t, err)
		var want []string
		for _, r := range (split.PageRange{First: 1, Last: d.Pages()}).Plan(10) {
			chunk, err := d.Chunk(t.Context(), r)
			require.NoError(t, err)
			var b bytes.Buffer
			_, err = chunk.WriteTo(&b)
			require.NoError(t, err)
			want = append(want, sumOf(b.Bytes()))
		}
		require.Equal(t, want, texts, name)
	}
	return len(names)
}

func documents(t *testing.T, out string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(out)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") {
			names = append(names, e.Name())
		}
	}
	return names
}

// recorded returns the hash that an output has on record, and the texts of its elements.
func recorded(t *testing.T, path string) (sum string, texts []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var elements []struct {
		Text   string
		Source struct{ SHA256 string }
	}
	require.NoError(t, json.Unmarshal(content, &elements), path)
	require.NotEmpty(t, elements, path)
	for _, e := range elements {
		require.Contains(t, []string{"", e.Source.SHA256}, sum)
		sum = e.Source.SHA256
		texts = append(texts, e.Text)
	}
	return sum, texts
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

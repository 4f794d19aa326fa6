//go:build conformance && unix

package cmd_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestManyDocuments runs a folder of many small documents (QUIRE_DOCUMENTS of them, 2,000 without
// it) in a process of its own, again with nothing to do, and once more killed again and again in
// the middle: in the end the tree is the undisturbed run's. It logs the figures: -v shows them.
func TestManyDocuments(t *testing.T) {
	documents := 2000
	if n, err := strconv.Atoi(os.Getenv("QUIRE_DOCUMENTS")); err == nil {
		documents = n
	}
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	dir := t.TempDir()
	m := manyRuns{t: t, binary: filepath.Join(dir, "quire"), url: server.URL, cache: filepath.Join(dir, "cache")}
	output, err := exec.Command("go", "build", "-o", m.binary, "./quire").CombinedOutput()
	require.NoError(t, err, string(output))
	small, large := filepath.Join(dir, "small"), filepath.Join(dir, "large")
	writeDocuments(t, small, max(documents/10, 1))
	writeDocuments(t, large, documents)

	m.run("a tenth of it", small, filepath.Join(dir, "tenth"), "--no-cache")
	calm := m.run("all of it", large, filepath.Join(dir, "calm"), "--no-cache")
	require.Equal(t, documents, calm.Documents)
	require.Equal(t, documents, calm.Requests)
	again := m.run("again", large, filepath.Join(dir, "calm"), "--no-cache")
	require.Equal(t, documents, again.Unchanged)
	require.Zero(t, again.Requests)
	m.run("with a cache", small, filepath.Join(dir, "cached"))

	random := rand.New(rand.NewPCG(3, 4))
	killed := 0
	for range 5 {
		c := m.start(large, filepath.Join(dir, "killed"), "--no-cache")
		time.Sleep(time.Duration(calm.ElapsedMS) * time.Millisecond / 8 * time.Duration(5+random.IntN(10)) / 10)
		if c.Process.Kill() == nil {
			killed++
		}
		_ = c.Wait()
	}
	rest := m.run(fmt.Sprintf("after %d kills", killed), large, filepath.Join(dir, "killed"), "--no-cache")
	require.Equal(t, documents, rest.Documents)
	require.Positive(t, rest.Requests)
	require.Positive(t, rest.Unchanged, "what was done before a kill is not done again")
	sameTrees(t, filepath.Join(dir, "calm"), filepath.Join(dir, "killed"))
}

// writeDocuments makes small documents, a thousand in a folder, older than any record of them.
func writeDocuments(t *testing.T, dir string, n int) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("%03d", i/1000))
		if i%1000 == 0 {
			require.NoError(t, os.MkdirAll(folder, 0o700))
		}
		path := filepath.Join(folder, fmt.Sprintf("document-%06d.txt", i))
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "Document %d, of which there are many.\n", i), 0o600))
		require.NoError(t, os.Chtimes(path, old, old))
	}
}

type manyRuns struct {
	t                  *testing.T
	binary, url, cache string
}

// figures are those of a summary that count here.
type figures struct {
	Documents, Requests, Unchanged, Failed int
	ElapsedMS                              int `json:"elapsed_ms"`
}

func (m *manyRuns) start(in, out string, flags ...string) *exec.Cmd {
	c := exec.Command(m.binary, append([]string{
		"partition", in, "-o", out, "--cache-dir", m.cache, "-q", "--summary", m.summary(),
	}, flags...)...)
	c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+m.url)
	c.Stderr = os.Stderr
	require.NoError(m.t, c.Start())
	return c
}

func (m *manyRuns) summary() string { return filepath.Join(filepath.Dir(m.binary), "summary.json") }

// run runs to the end and logs how it went.
func (m *manyRuns) run(what, in, out string, flags ...string) (f figures) {
	m.t.Helper()
	start := time.Now()
	c := m.start(in, out, flags...)
	peak := watchMemory(c.Process.Pid)
	require.NoError(m.t, c.Wait())
	elapsed := time.Since(start)
	text, err := os.ReadFile(m.summary())
	require.NoError(m.t, err)
	require.NoError(m.t, json.Unmarshal(text, &f))
	require.Zero(m.t, f.Failed)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	m.t.Logf("%s: %d documents, %d requests in %.1f s: %.0f documents/s, %.0f a CPU second, %d MiB at most",
		what, f.Documents, f.Requests, elapsed.Seconds(), float64(f.Documents)/elapsed.Seconds(), float64(f.Documents)/cpu.Seconds(), peak()>>20)
	return f
}

// sameTrees compares the outputs in two folders, byte for byte.
func sameTrees(t *testing.T, want, got string) {
	t.Helper()
	contents := func(dir string) map[string]string {
		files := map[string]string{}
		require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == ".quire":
				return filepath.SkipDir
			case d.IsDir():
				return nil
			}
			text, err := os.ReadFile(path)
			name, _ := filepath.Rel(dir, path)
			files[name] = string(text)
			return err
		}))
		return files
	}
	wanted, have := contents(want), contents(got)
	require.Len(t, have, len(wanted))
	for name, text := range wanted {
		require.Equal(t, text, have[name], name)
	}
}

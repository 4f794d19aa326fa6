//go:build unix

package cmd_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestE7ProcessesOnOneCache runs real processes side by side over the same documents, some of which
// go in chunks.
func TestE7ProcessesOnOneCache(t *testing.T) {
	for name, w := range map[string]sideBySide{
		"two":                {processes: 2},
		"three":              {processes: 3},
		"two, one is killed": {processes: 2, kill: true},
	} {
		t.Run(name, func(t *testing.T) {
			w.texts, w.pdfs = 12, 3
			w.run(t)
		})
	}
}

// A sideBySide is processes that share a cache and work on the same documents.
type sideBySide struct {
	texts, pdfs int
	processes   int
	kill        bool // one of them, in the middle
}

// chunksOfAPDF is how many requests a PDF of 8 pages is.
const chunksOfAPDF = 4

// width is how many requests a process has in flight.
const width = 4

// run runs them. No chunk is paid for twice but those that a killed process had in flight, and each
// process that lives has the outputs of one that worked alone.
func (w *sideBySide) run(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(t, os.Mkdir(in, 0o700))
	for i := range w.texts {
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.txt", i)), fmt.Appendf(nil, "Document %d.\n", i), 0o600))
	}
	for i := range w.pdfs {
		pdf := partitiontest.NewPDF(8, partitiontest.WithText(func(page int) string { return fmt.Sprintf("report %d page %d", i, page) }))
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.pdf", i)), pdf, 0o600))
	}
	chunks := w.texts + w.pdfs*chunksOfAPDF
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	var first atomic.Pointer[string] // what the log calls the first request, which has no answer until others have waited for it
	waited := make(chan struct{})
	answerFirst := sync.OnceFunc(func() { close(waited) })
	defer answerFirst() // also after a failure, so that the server can close
	server.Script(partitiontest.Fault{Do: partitiontest.Action{Name: "slow", Wrap: func(real http.Handler) http.Handler {
		return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
			request, _ := partitiontest.FromContext(r.Context())
			name := "/" + request.File
			if request.Pages.First > 0 {
				name += " pages=" + request.Pages.String()
			}
			if first.CompareAndSwap(nil, &name) {
				<-waited
			}
			time.Sleep(20 * time.Millisecond)
			real.ServeHTTP(answer, r)
		})
	}}})

	start := func(name string, flags ...string) *exec.Cmd {
		args := []string{"partition", in, "-o", filepath.Join(dir, name), "-j", fmt.Sprint(width), "--progress", "none"}
		c := exec.Command("quire", append(args, flags...)...)
		c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
		log, err := os.Create(filepath.Join(dir, name+".log"))
		require.NoError(t, err)
		defer log.Close()
		c.Stderr = log
		require.NoError(t, c.Start())
		return c
	}
	waits := func(name string) bool {
		log, err := os.ReadFile(filepath.Join(dir, name+".log"))
		require.NoError(t, err)
		for line := range strings.Lines(string(log)) {
			if strings.Contains(line, "another process is sending the same request, waiting for its answer") && strings.HasSuffix(strings.TrimSpace(line), *first.Load()) {
				return true
			}
		}
		return false
	}
	processes := map[string]*exec.Cmd{}
	for i := range w.processes {
		name := fmt.Sprint(i)
		processes[name] = start(name, "-v")
	}
	owner := ""
	require.Eventually(t, func() bool {
		if first.Load() == nil {
			return false
		}
		working := slices.DeleteFunc(slices.Collect(maps.Keys(processes)), waits)
		if len(working) == 1 {
			owner = working[0]
		}
		return owner != ""
	}, time.Minute, 5*time.Millisecond)
	allowed := 0
	if w.kill {
		require.NoError(t, processes[owner].Process.Kill())
		require.Error(t, processes[owner].Wait())
		delete(processes, owner)
		allowed = width
	}
	answerFirst()
	for name, c := range processes {
		require.NoError(t, c.Wait(), name)
	}
	billed := map[string]int{}
	whole := 0
	for _, r := range server.Requests() {
		if w.kill && r.SHA256 == "" {
			continue // the killed process had not sent it whole
		}
		billed[r.SHA256]++
		whole++
	}
	require.Len(t, billed, chunks)
	twice := whole - chunks
	require.LessOrEqual(t, twice, allowed, "sent twice")
	t.Logf("%d chunks, %d sent twice", chunks, twice)

	require.NoError(t, start("alone", "--no-cache", "-q").Wait())
	want, _ := outputsIn(filepath.Join(dir, "alone"))
	require.Len(t, want, w.texts+w.pdfs)
	for name := range processes {
		got, unfinished := outputsIn(filepath.Join(dir, name))
		require.Equal(t, want, got)
		require.Empty(t, unfinished)
	}
	left, err := filepath.Glob(filepath.Join(dir, "cache", "quire", "answers", "claim-*"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(left), allowed, "of the killed process, until the next that writes sweeps")
}

// TestE7ClearingACacheInUse refuses to clear and to trim away what a run has paid for, until it has
// ended. So a run that is killed then goes on where it was.
func TestE7ClearingACacheInUse(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report.pdf")
	require.NoError(t, os.WriteFile(report, partitiontest.NewPDF(8), 0o600))
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	var hangs atomic.Bool
	hangs.Store(true)
	server.Script(partitiontest.Fault{Match: func(r partitiontest.Request) bool { return hangs.Load() && r.Pages.First == 7 }, Do: partitiontest.Hang()})
	quire := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		c := exec.Command("quire", args...)
		c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
		output := &bytes.Buffer{}
		c.Stdout, c.Stderr = output, output
		return c, output
	}
	says := func(code int, text string, args ...string) {
		t.Helper()
		c, output := quire(args...)
		_ = c.Run()
		require.Equal(t, code, c.ProcessState.ExitCode(), output.String())
		require.Contains(t, output.String(), text)
	}
	c, _ := quire("partition", report, "-o", filepath.Join(dir, "out"), "-q")
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool {
		size, output := quire("cache", "size")
		return size.Run() == nil && bytes.HasPrefix(output.Bytes(), []byte("3 answers"))
	}, time.Minute, 20*time.Millisecond)

	const refusal = "nothing removed: the cache is in use by 1 other program, which would pay for its pages again if stopped; " +
		"wait until it has ended, or use --force\n"
	says(1, refusal, "cache", "clear")
	says(1, refusal, "cache", "trim", "--max-size", "0B")
	says(0, "removed 0 answers", "cache", "trim")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	sent := len(server.Requests())
	hangs.Store(false)
	again, _ := quire("partition", report, "-o", filepath.Join(dir, "out"), "-q")
	require.NoError(t, again.Run())
	require.Len(t, server.Requests()[sent:], 1)
	says(0, "removed 4 answers", "cache", "clear")

	hangs.Store(true)
	c, _ = quire("partition", report, "-o", filepath.Join(dir, "again"), "-q")
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool { return len(server.Requests()) == sent+5 }, time.Minute, 20*time.Millisecond)
	says(0, "removed", "cache", "clear", "--force")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
}

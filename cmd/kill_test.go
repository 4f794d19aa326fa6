//go:build unix

package cmd_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// TestAKilledRunGoesOn kills a real process when 4 of 10 documents are done and the output of a
// fifth is half written. A second run sends the 6 requests that had no answer and no other, and
// leaves the tree of an undisturbed run, also where the machine lost half of an output that was
// done.
func TestAKilledRunGoesOn(t *testing.T) {
	dir := t.TempDir()
	in, out, calm := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "calm")
	require.NoError(t, os.Mkdir(in, 0o700))
	for i := range 9 {
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.txt", i)), fmt.Appendf(nil, "Document %d.\n", i), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(in, "report.pdf"), partitiontest.NewPDF(4), 0o600)) // two chunks

	// The first chunk's text is longer than what an output keeps in memory.
	server := partitiontest.NewServer(partitiontest.Options{Engine: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		text := strings.Repeat("word ", 1+15_000*request.Pages.Len())
		fmt.Fprintf(w, `[{"type":"NarrativeText","element_id":"%s %s","text":%q,"metadata":{}}]`, request.File, request.Pages, text)
	})})
	defer server.Close()
	var killed atomic.Bool
	var texts atomic.Int32
	server.Script(
		partitiontest.Fault{
			File: "*.txt", Match: func(partitiontest.Request) bool { return !killed.Load() && texts.Add(1) > 4 }, Do: partitiontest.Hang(),
		},
		partitiontest.Fault{
			File: "report.pdf", Pages: split.PageRange{First: 3, Last: 4}, Match: func(partitiontest.Request) bool { return !killed.Load() },
			Do: partitiontest.Hang(),
		},
	)
	start := func(out string, flags ...string) *exec.Cmd {
		c := exec.Command("quire", append([]string{"partition", in, "-o", out, "-q"}, flags...)...)
		c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		return c
	}

	c := start(out)
	require.Eventually(t, func() bool {
		outputs, unfinished := outputsIn(out)
		half := 0
		for _, content := range unfinished {
			half = max(half, len(content))
		}
		return len(outputs) == 4 && half > 0 && len(server.Requests()) == 11
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	killed.Store(true)
	outputs, unfinished := outputsIn(out)
	require.Len(t, outputs, 4)
	require.NotEmpty(t, unfinished)
	for name, content := range outputs {
		require.NoError(t, os.WriteFile(filepath.Join(out, name), []byte(content[:len(content)/2]), 0o600))
		break
	}

	require.NoError(t, start(out).Wait())
	var sent []string
	for _, r := range server.Requests()[11:] {
		sent = append(sent, r.File+" "+r.Pages.String())
	}
	require.Len(t, sent, 6)
	require.Contains(t, sent, "report.pdf 3-4")
	require.NoError(t, start(calm, "--no-cache").Wait())
	want, _ := outputsIn(calm)
	got, unfinished := outputsIn(out)
	require.Len(t, want, 10)
	require.Equal(t, want, got)
	require.Empty(t, unfinished)
}

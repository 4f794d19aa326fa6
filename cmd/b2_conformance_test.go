//go:build conformance && unix

package cmd_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// Answers that wait for a reader who sleeps take little memory, and come whole and in order.
func TestB2SleepingReader(t *testing.T) {
	const documents, size = 1000, 2_500_000
	text := strings.Repeat("0123456789", size/10)
	server := partitiontest.NewServer(partitiontest.Options{Engine: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `[{"type":"NarrativeText","element_id":"1","text":"%s","metadata":{}}]`, text)
	})})
	defer server.Close()
	dir := t.TempDir()
	for i := range documents {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.txt", i)), fmt.Appendf(nil, "document %d", i), 0o600))
	}
	var list strings.Builder
	for i := range documents {
		fmt.Fprintf(&list, "%04d.txt\n", i)
	}
	c := exec.Command("quire", "partition", "--stdin-list", "--no-cache", "--progress", "none")
	c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL, "HOME="+dir, "TMPDIR="+dir)
	c.Dir, c.Stderr, c.Stdin = dir, os.Stderr, strings.NewReader(list.String())
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	time.Sleep(8 * time.Second) // the reader's
	lines := bufio.NewReaderSize(out, 1<<20)
	for i := range documents {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Greater(t, len(line), size)
		require.Contains(t, line[:40], fmt.Sprintf(`"path":"%04d.txt"`, i))
	}
	require.NoError(t, c.Wait())
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	t.Logf("peak: %d MiB", peak)
	require.Less(t, peak, int64(300), "the answers wait on disk, and few are formatted at once")
}

//go:build unix

package cmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/testdata/largepdf"
)

// Documents that are sent at once take little memory, whatever their size.
func TestE10ManyLargeDocuments(t *testing.T) { requireLittleMemory(t, 4, 25_000_000, 120<<20) }

// requireLittleMemory sends scans of so many bytes at once, in disk mode, from a process of its own.
func requireLittleMemory(t *testing.T, documents, size int, most int64) {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the memory of a process cannot be told here")
	}
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	dir := t.TempDir()
	for i := range documents {
		name := filepath.Join(dir, fmt.Sprintf("scan-%d.pdf", i))
		require.NoError(t, largepdf.Scan(200, int64(size/200)).Write(name))
	}
	c := exec.Command("quire", "partition", dir, "-o", filepath.Join(dir, "out"), "--no-cache", "--chunk-mode", "disk", "-q")
	c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL)
	c.Stderr = os.Stderr
	require.NoError(t, c.Start())
	peak := watchMemory(c.Process.Pid)
	require.NoError(t, c.Wait())
	require.Len(t, server.Requests(), 10*documents)
	require.Less(t, peak(), most)
	t.Logf("%d documents of %d MB: %d MB of memory", documents, size/1e6, peak()/1e6)
}

// watchMemory looks at a process's peak memory until it is gone, and returns it in bytes. The
// system's own accounting at the end counts the parent's in.
func watchMemory(pid int) func() int64 {
	var peak int64
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for ; ; time.Sleep(10 * time.Millisecond) {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, after, found := strings.Cut(string(status), "VmHWM:")
			if err != nil || !found {
				return
			}
			if kib, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64); err == nil {
				peak = kib << 10
			}
		}
	}()
	return func() int64 {
		<-gone
		return peak
	}
}

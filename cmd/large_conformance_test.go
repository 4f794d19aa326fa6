//go:build conformance && unix

package cmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/testdata/largepdf"
)

// Eight documents of 100 MB at once.
func TestE10EightLargeDocuments(t *testing.T) { requireLittleMemory(t, 8, 100_000_000, 300_000_000) }

// TestB3LargeAmongSmall takes the time in which 100 small documents are answered, alone and beside
// one of 214 MB, at a server that takes 400 ms for each request.
func TestB3LargeAmongSmall(t *testing.T) {
	alone, beside := smallOnes(t, false), smallOnes(t, true)
	t.Logf("100 small documents alone: %v, beside one of 214 MB: %v", alone, beside)
	require.Less(t, beside, alone+alone/10)
}

// smallOnes is the time from the first request to the last answer of a small document.
func smallOnes(t *testing.T, large bool) time.Duration {
	t.Helper()
	var mu sync.Mutex
	var first, last time.Time
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	server.Script(partitiontest.Fault{Do: partitiontest.Delay(400 * time.Millisecond), Match: func(r partitiontest.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if first.IsZero() {
			first = time.Now()
		}
		if !strings.HasSuffix(r.File, "large.pdf") {
			last = time.Now().Add(400 * time.Millisecond)
		}
		return true
	}})
	dir := t.TempDir()
	for i := range 100 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("small-%03d.pdf", i)), partitiontest.NewPDF(1), 0o600))
	}
	if large {
		require.NoError(t, largepdf.Scan(60, 214_000_000/60).Write(filepath.Join(dir, "small-050-large.pdf")))
	}
	c := exec.Command("quire", "partition", dir, "-o", filepath.Join(dir, "out"), "--no-cache", "--chunk-mode", "disk", "-q")
	c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL)
	c.Stderr = os.Stderr
	require.NoError(t, c.Run())
	return last.Sub(first)
}

//go:build conformance && linux

package cmd_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestE9TenHugeElements takes ten answers of one element of 120 MB each at once, in every format and of
// every kind of element, and looks at the memory of the process.
func TestE9TenHugeElements(t *testing.T) {
	const documents, size, most = 10, 120_000_000, int64(600)
	plain := strings.Repeat("0123456789abcdef", 4096)
	for name, test := range map[string]struct {
		begins, filler, ends string
		flags                []string
	}{
		"text":      {`[{"type":"NarrativeText","element_id":"1","text":"`, plain, `","metadata":{}}]`, nil},
		"escapes":   {`[{"type":"NarrativeText","element_id":"1","text":"`, strings.Repeat(`a line\n\"of\" text`, 4096), `","metadata":{}}]`, nil},
		"as lines":  {`[{"type":"NarrativeText","element_id":"1","text":"`, plain, `","metadata":{}}]`, []string{"-f", "jsonl"}},
		"as text":   {`[{"type":"NarrativeText","element_id":"1","text":"`, plain, `","metadata":{}}]`, []string{"-f", "text"}},
		"as csv":    {`[{"type":"NarrativeText","element_id":"1","text":"`, plain, `","metadata":{}}]`, []string{"-f", "csv"}},
		"image":     {`[{"type":"Image","element_id":"1","text":"","metadata":{"image_base64":"`, plain, `"}}]`, nil},
		"no field":  {`[{"type":"Image","element_id":"1","text":"","metadata":{"other":[0`, strings.Repeat(",1234567", 8192), `]}}]`, nil},
		"CSV table": {"type,text\n", plain + "\n", "", []string{"--output-format", "text/csv", "-f", "csv"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				out := bufio.NewWriter(w)
				fmt.Fprint(out, test.begins)
				for n := 0; n < size; n += len(test.filler) {
					fmt.Fprint(out, test.filler)
				}
				fmt.Fprint(out, test.ends)
				_ = out.Flush()
			}))
			defer server.Close()
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
			for i := range documents {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "in", fmt.Sprintf("%d.txt", i)), fmt.Appendf(nil, "document %d", i), 0o600))
			}
			c := exec.Command("quire", append([]string{"partition", "in", "-o", "out", "--no-cache", "-q"}, test.flags...)...)
			c.Env = append(os.Environ(), "UNSTRUCTURED_API_URL="+server.URL, "HOME="+dir, "TMPDIR="+dir)
			c.Dir, c.Stderr = dir, os.Stderr
			require.NoError(t, c.Start())
			peak := watchMemory(c.Process.Pid)
			require.NoError(t, c.Wait())
			mib := peak() >> 20
			t.Logf("peak: %d MiB", mib)
			require.Less(t, mib, most)
			written, err := filepath.Glob(filepath.Join(dir, "out", "*.txt.*"))
			require.NoError(t, err)
			require.Len(t, written, documents)
			for _, path := range written {
				info, err := os.Stat(path)
				require.NoError(t, err)
				require.GreaterOrEqual(t, info.Size(), int64(size))
			}
		})
	}
}

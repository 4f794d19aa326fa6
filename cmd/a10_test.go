package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// TestA10Interrupted: what was answered when a signal came is written, in every format, also behind
// what was not.
func TestA10Interrupted(t *testing.T) {
	dir := t.TempDir()
	path, another := filepath.Join(dir, "a.pdf"), filepath.Join(dir, "b.pdf")
	require.NoError(t, os.WriteFile(path, partitiontest.NewPDF(6), 0o600))
	require.NoError(t, os.WriteFile(another, partitiontest.NewPDF(6, partitiontest.WithSharedResource(8)), 0o600))
	for name, test := range map[string]struct {
		args  []string
		whole func(string) bool
	}{
		"json":  {[]string{path, "-f", "json"}, func(out string) bool { return strings.HasPrefix(out, "[\n") && strings.HasSuffix(out, "\n]\n") }},
		"jsonl": {[]string{path, "-f", "jsonl"}, func(out string) bool { return strings.Count(out, "\n") == 4 }},
		"csv":   {[]string{path, "-f", "csv"}, func(out string) bool { return strings.HasPrefix(out, "type,") && strings.Count(out, "\n") == 5 }},
		"two":   {[]string{path, another, "-f", "jsonl"}, func(out string) bool { return strings.Count(out, "\n") == 8 }},
		"list":  {[]string{"--stdin-list"}, func(out string) bool { return strings.HasSuffix(out, "}}\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			server := partitiontest.NewServer(partitiontest.Options{})
			defer server.Close()
			server.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 4}, Do: partitiontest.Hang()})
			var stdout, stderr bytes.Buffer
			code := make(chan int)
			go func() {
				code <- cmd.Main(append([]string{"partition", "--cache-dir", t.TempDir(), "--grace", "1s"}, test.args...), []string{"UNSTRUCTURED_API_URL=" + server.URL},
					strings.NewReader(path+"\n"), &stdout, &stderr)
			}()
			documents := max(strings.Count(strings.Join(test.args, "\n"), ".pdf"), 1)
			require.Eventually(t, func() bool {
				answered := 0
				for _, r := range server.Requests() {
					if r.Status == 200 {
						answered++
					}
				}
				return answered == 2*documents && server.InFlight() == documents
			}, time.Minute, time.Millisecond)
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
			require.Equal(t, 130, <-code, stderr.String())
			for _, page := range []string{"page 1 of", "page 2 of", "page 5 of", "page 6 of"} {
				require.Equal(t, documents, strings.Count(stdout.String(), page), stdout.String())
			}
			require.True(t, test.whole(stdout.String()), stdout.String())
			require.Contains(t, stderr.String()+stdout.String(), "missing pages 3-4: interrupted")
		})
	}
}

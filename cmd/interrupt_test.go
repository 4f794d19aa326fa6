package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// TestSignals ends a run in the middle: what was written stays, nothing half is left, the exit code
// names the signal.
func TestSignals(t *testing.T) {
	for signal, test := range map[syscall.Signal]struct {
		code int
		said string
	}{
		syscall.SIGINT:  {130, "quire: interrupted\n"},
		syscall.SIGTERM: {143, "quire: terminated\n"},
		syscall.SIGHUP:  {129, "quire: hung up\n"}, // A13
	} {
		t.Run(signal.String(), func(t *testing.T) {
			server := partitiontest.NewServer(partitiontest.Options{})
			defer server.Close()
			arrived := make(chan struct{})
			server.Script(partitiontest.Fault{
				Pages: split.PageRange{First: 5, Last: 5}, Attempt: 1, Match: func(partitiontest.Request) bool {
					close(arrived)
					return true
				}, Do: partitiontest.Hang(),
			})
			dir := t.TempDir()
			temporary := filepath.Join(dir, "tmp")
			in := filepath.Join(dir, "in")
			require.NoError(t, os.Mkdir(temporary, 0o700))
			require.NoError(t, os.Mkdir(in, 0o700))
			t.Setenv("TMPDIR", temporary)
			for name, pages := range map[string]int{"a.pdf": 1, "b.pdf": 6} {
				require.NoError(t, os.WriteFile(filepath.Join(in, name), partitiontest.NewPDF(pages), 0o600))
			}
			var stdout, stderr bytes.Buffer
			code := make(chan int)
			out := filepath.Join(dir, "out")
			go func() {
				code <- cmd.Main([]string{
					"partition", in, "-o", out, "-j", "2", "--no-cache",
				}, []string{"UNSTRUCTURED_API_URL=" + server.URL}, bytes.NewReader(nil), &stdout, &stderr)
			}()
			<-arrived
			require.Eventually(t, func() bool {
				_, err := os.Stat(filepath.Join(out, "a.pdf.json"))
				return err == nil
			}, time.Minute, time.Millisecond)
			require.NoError(t, syscall.Kill(os.Getpid(), signal))
			require.Equal(t, test.code, <-code)
			require.Contains(t, stderr.String(), test.said)
			require.Contains(t, stderr.String(), "1 done, 0 failed, 0 skipped, 1 not done")
			require.Empty(t, stdout.String())
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			require.Empty(t, left)
			var outputs []string
			require.NoError(t, filepath.WalkDir(out, func(path string, d os.DirEntry, _ error) error {
				if !d.IsDir() && filepath.Base(filepath.Dir(path)) != journal.Folder {
					outputs = append(outputs, filepath.Base(path))
				}
				return nil
			}))
			require.Equal(t, []string{"a.pdf.json"}, outputs)
		})
	}
}

// TestE12CutInFlight interrupts runs whose two requests are not answered within the grace period: the
// server may have billed them, and the run says how many they are and what they were for.
func TestE12CutInFlight(t *testing.T) {
	for name, test := range map[string]struct {
		documents map[string]int // pages
		args      []string
		said      []string
	}{
		"folder": {
			map[string]int{"b.pdf": 2, "c.pdf": 2},
			[]string{"in", "-o", "out"},
			[]string{"0 done, 0 failed, 0 skipped, 2 not done", "\n2 requests maybe billed without an answer: ", "in/b.pdf", "in/c.pdf"},
		},
		"one document on standard output": {
			map[string]int{"d.pdf": 4},
			[]string{"in/d.pdf"},
			[]string{"\n2 requests maybe billed without an answer: ", "in/d.pdf pages 1-2", "in/d.pdf pages 3-4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := partitiontest.NewServer(partitiontest.Options{})
			defer server.Close()
			server.Script(partitiontest.Fault{Do: partitiontest.Hang()})
			t.Chdir(t.TempDir())
			require.NoError(t, os.Mkdir("in", 0o700))
			for document, pages := range test.documents {
				require.NoError(t, os.WriteFile(filepath.Join("in", document), partitiontest.NewPDF(pages), 0o600))
			}
			args := append([]string{"partition", "-j", "2", "--cache-dir", t.TempDir(), "--grace", "50ms", "--summary", "run.json"}, test.args...)
			var stdout, stderr bytes.Buffer
			code := make(chan int)
			go func() {
				code <- cmd.Main(args, []string{"UNSTRUCTURED_API_URL=" + server.URL}, bytes.NewReader(nil), &stdout, &stderr)
			}()
			require.Eventually(t, func() bool { return len(server.Requests()) == 2 }, time.Minute, time.Millisecond)
			require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
			require.Equal(t, 130, <-code)
			for _, said := range test.said {
				require.Contains(t, stderr.String(), said)
			}
			summary, err := os.ReadFile("run.json")
			require.NoError(t, err)
			require.Contains(t, string(summary), `"maybe_billed": 2,`)
		})
	}
}

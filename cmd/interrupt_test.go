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

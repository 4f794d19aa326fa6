package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// How a document was read is said with -v, and nowhere else: what is written is the same.
func TestSplitSaysHowADocumentWasRead(t *testing.T) {
	stream, err := os.ReadFile("../testdata/pdf/odd/xref-stream.pdf")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		data []byte
		read string
	}{
		"table": {partitiontest.NewPDF(4), "read with its cross-reference table"},
		"scan": {
			bytes.ReplaceAll(partitiontest.NewPDF(4), []byte("startxref"), []byte("startnone")),
			"its cross-reference table is broken: read by searching the file for objects",
		},
		"whole": {
			regexp.MustCompile(`/Length \d+`).ReplaceAll(stream, []byte("/Length 77777")),
			"badly damaged: read by parsing the whole file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.pdf")
			require.NoError(t, os.WriteFile(path, test.data, 0o600))
			split := func(flags ...string) (said string, written map[string]string) {
				out := filepath.Join(t.TempDir(), "out")
				var stdout, stderr bytes.Buffer
				code := cmd.Main(append([]string{"split", path, "-o", out}, flags...), nil, strings.NewReader(""), &stdout, &stderr)
				require.Zero(t, code, stderr.String())
				written = map[string]string{"stdout": strings.ReplaceAll(stdout.String(), out, "")}
				entries, err := os.ReadDir(out)
				require.NoError(t, err)
				for _, e := range entries {
					if data, err := os.ReadFile(filepath.Join(out, e.Name())); err == nil {
						written[e.Name()] = string(data)
					}
				}
				return stderr.String(), written
			}
			quiet, want := split()
			require.NotContains(t, quiet, "read ")
			said, got := split("-v")
			require.Equal(t, path+": "+test.read, strings.Split(said, "\n")[0])
			require.Equal(t, want, got)
			require.Len(t, want, 3)
		})
	}
}

package partitiontest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

func openPDF(t *testing.T, b []byte) *split.Document {
	t.Helper()
	d, err := split.Open(t.Context(), bytes.NewReader(b), int64(len(b)), split.Options{})
	require.NoError(t, err)
	return d
}

func TestNewPDF(t *testing.T) {
	for _, pages := range []int{1, 2, 65, 1000} {
		b := partitiontest.NewPDF(pages)
		require.Equal(t, b, partitiontest.NewPDF(pages), "deterministic")
		require.Equal(t, pages, openPDF(t, b).Pages())
		require.Contains(t, string(b), fmt.Sprintf("(page %d) Tj", pages))
	}
	none := partitiontest.NewPDF(0)
	_, err := split.Open(t.Context(), bytes.NewReader(none), int64(len(none)), split.Options{})
	require.ErrorIs(t, err, split.ErrNoPages)
}

func TestNewPDFOptions(t *testing.T) {
	b := partitiontest.NewPDF(3, partitiontest.WithSharedResource(100_000), partitiontest.WithText(func(page int) string {
		return fmt.Sprintf("No. %d (of three)\nü\\", page)
	}))
	require.Equal(t, 3, openPDF(t, b).Pages())
	require.Contains(t, string(b), `(No. 2 \(of three\)) Tj`)
	require.Contains(t, string(b), `(?\\) Tj`)
	require.InDelta(t, 100_000, len(b), 5_000)
}

// The tools that others read PDFs with find nothing to complain about.
func TestNewPDFWithOtherReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pdf")
	require.NoError(t, os.WriteFile(path, partitiontest.NewPDF(2, partitiontest.WithSharedResource(500)), 0o600))
	for _, tool := range []struct {
		args []string
		want string
	}{
		{[]string{"qpdf", "--check", path}, "No syntax or stream encoding errors found"},
		{[]string{"pdftotext", path, "-"}, "page 1\n\n\fpage 2\n\n\f"},
	} {
		t.Run(tool.args[0], func(t *testing.T) {
			if _, err := exec.LookPath(tool.args[0]); err != nil {
				t.Skip(err)
			}
			out, err := exec.CommandContext(t.Context(), tool.args[0], tool.args[1:]...).CombinedOutput()
			require.NoError(t, err, string(out))
			require.Contains(t, string(out), tool.want)
		})
	}
}

package split

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallFile is up to what size the quick tests take files of the corpus. The conformance suite
// takes all.
const smallFile = 600 << 10

// smallCorpus returns the small files of the corpus.
func smallCorpus(t testing.TB) []string {
	t.Helper()
	return slices.DeleteFunc(corpus(t), func(name string) bool {
		info, err := os.Stat(name)
		require.NoError(t, err)
		return info.Size() > smallFile
	})
}

// corpus returns the real PDFs beside the checkout, and skips where there are none.
func corpus(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"pdfs", "samples/pdf"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "shared", filepath.FromSlash(dir), "*.pdf"))
		require.NoError(t, err)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("the corpus of real PDFs, ../shared/pdfs beside the checkout, is not here")
	}
	sort.Strings(files)
	return files
}

func openFile(t testing.TB, name string, o Options) (*Document, error) {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	info, err := f.Stat()
	require.NoError(t, err)
	return Open(context.Background(), f, info.Size(), o)
}

func refusal(err error) string {
	for name, kind := range map[string]error{
		"encrypted": ErrEncrypted, "damaged": ErrDamaged,
		"not a PDF": ErrNotPDF, "too large": ErrTooLarge,
	} {
		if errors.Is(err, kind) {
			return name
		}
	}
	return ""
}

// Every file either opens, and all its chunks are PDFs with the right number of pages, or is
// refused with one of the sentinels.
func TestCorpus(t *testing.T) {
	files := smallCorpus(t)
	outcomes := map[string]int{}
	for _, name := range files {
		d, err := openFile(t, name, Options{})
		if err != nil {
			require.NotEmpty(t, refusal(err), "%s: %v", filepath.Base(name), err)
			outcomes[refusal(err)]++
			t.Logf("%s: %v", filepath.Base(name), err)
			continue
		}
		outcomes["split"]++
		for _, r := range Plan(d.Pages(), 10) {
			c, err := d.Chunk(context.Background(), r)
			require.NoError(t, err, "%s pages %s", filepath.Base(name), r)
			again, err := Open(context.Background(), c, c.Size(), Options{})
			require.NoError(t, err, "%s pages %s", filepath.Base(name), r)
			require.Equal(t, r.Len(), again.Pages(), "%s pages %s", filepath.Base(name), r)
			var whole bytes.Buffer
			n, err := c.WriteTo(&whole)
			require.NoError(t, err)
			require.Equal(t, c.Size(), n)
			read, err := io.ReadAll(io.NewSectionReader(c, 0, c.Size()))
			require.NoError(t, err)
			require.True(t, bytes.Equal(whole.Bytes(), read))
		}
		require.NoError(t, d.Close())
	}
	t.Logf("%d files: %v", len(files), outcomes)
}

//go:build conformance

package split

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// outcome is what came of a file of the corpus.
type outcome struct {
	name, class, reason string
	pages               int // as qpdf counts them, 0 where it cannot open the file
}

// The classes: a document is split right, or there is a reason to send it whole, or it is refused
// with a sentinel.
const (
	classSplit = "split"
	classWhole = "sent whole"
)

var sentinels = []struct {
	class string
	err   error
}{
	{"refused: no pages", ErrNoPages}, // first, as it is damage too
	{"refused: damaged", ErrDamaged},
	{"refused: encrypted", ErrEncrypted},
	{"refused: not a PDF", ErrNotPDF},
	{"refused: too large", ErrTooLarge},
}

// TestConformance cuts up every file of the corpus as it would be sent, and compares the chunks
// with the file by the eyes of other programs.
func TestConformance(t *testing.T) {
	tool(t, "qpdf", "pdftotext", "pdftoppm", "pdfinfo")
	files := corpus(t)
	outcomes := make([]outcome, len(files))
	t.Run("files", func(t *testing.T) {
		var workers sync.WaitGroup
		queue := make(chan int)
		for range 2 {
			workers.Go(func() {
				for i := range queue {
					t.Run(filepath.Base(files[i]), func(t *testing.T) { outcomes[i] = conform(t, files[i]) })
				}
			})
		}
		for _, i := range largestFirst(t, files) {
			queue <- i
		}
		close(queue)
		workers.Wait()
	})

	var table, missed strings.Builder
	counts := map[string]int{}
	openable, split := 0, 0
	for _, o := range outcomes {
		counts[o.class]++
		if o.pages == 0 {
			continue
		}
		openable++
		if o.class == classSplit {
			split++
		} else {
			fmt.Fprintf(&missed, "  %s: %s: %s\n", o.name, o.class, o.reason)
		}
	}
	for _, class := range sortedKeys(counts) {
		fmt.Fprintf(&table, "%-20s %3d\n", class, counts[class])
	}
	fmt.Fprintf(&table, "%-20s %3d\nqpdf opens %d, of which %d are split; the others:\n%s", "all", len(files), openable, split, missed.String())
	t.Logf("\n%s", table.String())
	requireGolden(t, "conformance.golden", table.String())
	require.GreaterOrEqual(t, 100*split, 97*openable, "%d of %d", split, openable)
}

func largestFirst(t *testing.T, files []string) []int {
	sizes, order := make([]int64, len(files)), make([]int, len(files))
	for i, name := range files {
		info, err := os.Stat(name)
		require.NoError(t, err)
		sizes[i], order[i] = info.Size(), i
	}
	slices.SortFunc(order, func(a, b int) int { return int(sizes[b] - sizes[a]) })
	return order
}

// conform fails the test where a chunk differs from the file.
func conform(t *testing.T, file string) outcome {
	o := outcome{name: filepath.Base(file), class: classSplit, pages: countPages(t, file)}
	info, err := os.Stat(file)
	require.NoError(t, err)
	d, err := openFile(t, file, Options{})
	if err != nil {
		o.class, o.reason = refused(t, err), err.Error()
		return o
	}
	defer d.Close()
	var chunks []chunkFile
	dir := t.TempDir()
	for _, r := range Plan(d.Pages(), 10) {
		c, err := d.Chunk(context.Background(), r)
		if err != nil {
			refused(t, err)
			o.class, o.reason = classWhole, fmt.Sprintf("pages %s: %v", r, err)
			return o
		}
		if c.Size() > info.Size() && r.Len() < d.Pages() {
			o.class, o.reason = classWhole, fmt.Sprintf("the chunk of pages %s is larger than the document", r)
		}
		name := filepath.Join(dir, r.String()+".pdf")
		require.NoError(t, save(c, name))
		chunks = append(chunks, chunkFile{r, name})
	}
	for _, check := range checks {
		check(t, file, chunks)
	}
	return o
}

// refused returns the class of an error, which must be one of the sentinels.
func refused(t *testing.T, err error) string {
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			return s.class
		}
	}
	require.NoError(t, err)
	return ""
}

// requireGolden compares with a file in testdata, or writes it with -update.
func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func save(c *Chunk, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(f)
	return errors.Join(err, f.Close())
}

//go:build conformance

package split

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// tool skips the test where a program is not installed.
func tool(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed (packages poppler-utils and qpdf)", name)
		}
	}
}

func output(t testing.TB, name string, args ...string) (string, error) {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %.300s", name, err, stderr.String())
	}
	return out.String(), nil
}

// pages cuts a document up as the API's official client would for ten requests
// at a time, and returns the files.
func cutAll(t testing.TB, d *Document, dir string) (ranges []PageRange, files []string) {
	t.Helper()
	for _, r := range Plan(d.Pages(), 10) {
		c, err := d.Chunk(context.Background(), r)
		require.NoError(t, err)
		name := filepath.Join(dir, r.String()+".pdf")
		f, err := os.Create(name)
		require.NoError(t, err)
		_, err = c.WriteTo(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		ranges, files = append(ranges, r), append(files, name)
	}
	return ranges, files
}

// each runs a test over the documents of the corpus that can be opened.
func each(t *testing.T, check func(t *testing.T, name string, ranges []PageRange, files []string)) {
	queue := make(chan string)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for name := range queue {
				t.Run(filepath.Base(name), func(t *testing.T) {
					d, err := openFile(t, name, Options{})
					if err != nil {
						t.Skip(err)
					}
					defer d.Close()
					ranges, files := cutAll(t, d, t.TempDir())
					check(t, name, ranges, files)
				})
			}
		})
	}
	for _, name := range corpus(t) {
		queue <- name
	}
	close(queue)
	workers.Wait()
}

// The text of every page is that of the original.
func TestText(t *testing.T) {
	tool(t, "pdftotext")
	each(t, func(t *testing.T, name string, ranges []PageRange, files []string) {
		whole, err := output(t, "pdftotext", name, "-")
		if err != nil {
			t.Skipf("the original has no text either: %v", err)
		}
		pages := strings.Split(whole, "\f")
		for i, r := range ranges {
			part, err := output(t, "pdftotext", files[i], "-")
			require.NoError(t, err)
			for j, text := range strings.Split(strings.TrimSuffix(part, "\f"), "\f") {
				require.Equal(t, pages[r.First-1+j], text, "page %d", r.First+j)
			}
		}
	})
}

// Every page looks like the original's, up to the first pages of long ones.
func TestPicture(t *testing.T) {
	tool(t, "pdftoppm")
	const most = 60
	each(t, func(t *testing.T, name string, ranges []PageRange, files []string) {
		for i, r := range ranges {
			if r.First > most {
				break
			}
			whole, err := output(t, "pdftoppm", "-r", "40", "-f", fmt.Sprint(r.First), "-l", fmt.Sprint(r.Last), name)
			if err != nil {
				t.Skipf("the original cannot be drawn either: %v", err)
			}
			part, err := output(t, "pdftoppm", "-r", "40", files[i])
			require.NoError(t, err)
			require.True(t, whole == part, "pages %s look different", r)
		}
	})
}

var box = regexp.MustCompile(`(?m)^Page +\d+ +(size|rot|MediaBox|CropBox|BleedBox|TrimBox|ArtBox):? *(.*)$`)

// Sizes, rotation and boxes are those of the original.
func TestBoxes(t *testing.T) {
	tool(t, "pdfinfo")
	boxes := func(t *testing.T, name string, r PageRange) ([]string, error) {
		out, err := output(t, "pdfinfo", "-box", "-f", fmt.Sprint(r.First), "-l", fmt.Sprint(r.Last), name)
		var all []string
		for _, m := range box.FindAllStringSubmatch(out, -1) {
			all = append(all, m[1]+" "+m[2])
		}
		return all, err
	}
	each(t, func(t *testing.T, name string, ranges []PageRange, files []string) {
		for i, r := range ranges {
			want, err := boxes(t, name, r)
			if err != nil {
				t.Skipf("the original cannot be read either: %v", err)
			}
			got, err := boxes(t, files[i], PageRange{First: 1, Last: r.Len()})
			require.NoError(t, err)
			require.Equal(t, want, got, "pages %s", r)
		}
	})
}

// qpdf has no complaint about a chunk, unless it has one about the original.
func TestCheck(t *testing.T) {
	tool(t, "qpdf")
	each(t, func(t *testing.T, name string, _ []PageRange, files []string) {
		for _, f := range files {
			out, err := output(t, "qpdf", "--check", f)
			if err == nil {
				continue
			}
			if _, original := output(t, "qpdf", "--check", name); original != nil {
				t.Skipf("the original: %v", original)
			}
			require.NoError(t, err, "%s: %s", filepath.Base(f), out)
		}
	})
}

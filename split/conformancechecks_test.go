//go:build conformance

package split

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chunkFile is a chunk that was written to a file.
type chunkFile struct {
	pages PageRange
	name  string
}

// The checks compare a file with its chunks. What a program cannot do with the file, it need not do
// with the chunks.
var checks = []func(t *testing.T, file string, chunks []chunkFile){
	checkCount, checkText, checkPictures, checkBoxes, checkAnnotations, checkSoundness,
}

// tool skips the test where a program is not installed.
func tool(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed (packages poppler-utils and qpdf; .ci/run installs them)", name)
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

// countPages returns how many pages qpdf finds, 0 where it cannot open the file.
func countPages(t *testing.T, file string) int {
	out, _ := output(t, "qpdf", "--no-warn", "--warning-exit-0", "--show-npages", file)
	n, _ := strconv.Atoi(strings.TrimSpace(out))
	return n
}

func checkCount(t *testing.T, file string, chunks []chunkFile) {
	all := 0
	for _, c := range chunks {
		require.Equal(t, c.pages.Len(), countPages(t, c.name), "pages %s", c.pages)
		all += c.pages.Len()
	}
	// A tree that qpdf makes nothing of was repaired by the package.
	if pages := countPages(t, file); pages > 0 {
		require.Equal(t, pages, all, "pages of the document")
	}
}

// The text of every page is that of the original.
func checkText(t *testing.T, file string, chunks []chunkFile) {
	whole, err := output(t, "pdftotext", file, "-")
	if err != nil {
		return
	}
	pages := strings.Split(whole, "\f")
	for _, c := range chunks {
		part, err := output(t, "pdftotext", c.name, "-")
		require.NoError(t, err)
		for i, text := range strings.Split(strings.TrimSuffix(part, "\f"), "\f") {
			require.Equal(t, pages[c.pages.First-1+i], text, "text of page %d", c.pages.First+i)
		}
	}
}

// Every page looks like the original's.
func checkPictures(t *testing.T, file string, chunks []chunkFile) {
	for _, c := range chunks {
		whole, err := output(t, "pdftoppm", "-r", "40", "-f", fmt.Sprint(c.pages.First), "-l", fmt.Sprint(c.pages.Last), file)
		if err != nil {
			return
		}
		part, err := output(t, "pdftoppm", "-r", "40", c.name)
		require.NoError(t, err)
		require.True(t, whole == part, "pages %s look different", c.pages)
	}
}

var box = regexp.MustCompile(`(?m)^Page +\d+ +(size|rot|MediaBox|CropBox|BleedBox|TrimBox|ArtBox):? *(.*)$`)

// Sizes, rotation and boxes are those of the original.
func checkBoxes(t *testing.T, file string, chunks []chunkFile) {
	boxes := func(name string, r PageRange) ([]string, error) {
		out, err := output(t, "pdfinfo", "-box", "-f", fmt.Sprint(r.First), "-l", fmt.Sprint(r.Last), name)
		var all []string
		for _, m := range box.FindAllStringSubmatch(out, -1) {
			all = append(all, m[1]+" "+m[2])
		}
		return all, err
	}
	for _, c := range chunks {
		want, err := boxes(file, c.pages)
		if err != nil {
			return
		}
		got, err := boxes(c.name, PageRange{1, c.pages.Len()})
		require.NoError(t, err)
		require.Equal(t, want, got, "boxes of pages %s", c.pages)
	}
}

// Every page has as many annotations as the original's.
func checkAnnotations(t *testing.T, file string, chunks []chunkFile) {
	want := annotations(t, file)
	if want == nil {
		return
	}
	for _, c := range chunks {
		require.Equal(t, want[c.pages.First-1:c.pages.Last], annotations(t, c.name), "annotations of pages %s", c.pages)
	}
}

// annotations counts them by page, as qpdf sees the file.
func annotations(t *testing.T, file string) []int {
	out, _ := output(t, "qpdf", "--no-warn", "--warning-exit-0", "--json=2", "--json-key=pages", "--json-key=qpdf", file)
	var said struct {
		Pages []struct{ Object string }
		QPDF  []map[string]struct{ Value json.RawMessage }
	}
	if json.Unmarshal([]byte(out), &said) != nil || len(said.QPDF) < 2 {
		return nil
	}
	// follow reads what text says or refers to, as long as it is that.
	follow := func(text json.RawMessage, to any) {
		var ref string
		for range 10 {
			if json.Unmarshal(text, &ref) != nil {
				break
			}
			text = said.QPDF[1]["obj:"+ref].Value
		}
		_ = json.Unmarshal(text, to) // what is something else stays empty
	}
	counts := make([]int, len(said.Pages))
	for i, p := range said.Pages {
		var page map[string]json.RawMessage
		follow(json.RawMessage(strconv.Quote(p.Object)), &page)
		var annots []json.RawMessage
		follow(page["/Annots"], &annots)
		for _, a := range annots {
			var annot map[string]json.RawMessage
			if follow(a, &annot); annot != nil && string(annot["/Type"]) != `"/Page"` {
				counts[i]++
			}
		}
	}
	return counts
}

var numbers = regexp.MustCompile(`\d+`)

// qpdf says nothing about a chunk that it does not say about the original.
func checkSoundness(t *testing.T, file string, chunks []chunkFile) {
	complaints := func(name string) map[string]bool {
		said := map[string]bool{}
		if _, err := output(t, "qpdf", "--check", name); err == nil {
			return said
		}
		out, _ := exec.Command("qpdf", "--check", name).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if text, found := strings.CutPrefix(line, "WARNING: "); found || strings.HasPrefix(line, "ERROR") {
				said[numbers.ReplaceAllString(strings.ReplaceAll(text, name, "FILE"), "N")] = true
			}
		}
		return said
	}
	var known map[string]bool
	for _, c := range chunks {
		said := complaints(c.name)
		if len(said) > 0 && known == nil {
			known = complaints(file)
		}
		for line := range said {
			require.Contains(t, known, line, "qpdf on pages %s", c.pages)
		}
	}
}

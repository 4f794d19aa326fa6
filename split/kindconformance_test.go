//go:build conformance

package split

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// everyKind returns the kinds of all pages of the corpus's files that open.
func everyKind(t *testing.T) map[string][]PageKind {
	all := map[string][]PageKind{}
	for _, name := range corpus(t) {
		d, err := openFile(t, name, Options{})
		if err != nil {
			continue
		}
		kinds, err := d.PageKinds(t.Context(), PageRange{1, d.Pages()})
		require.NoError(t, err, name)
		all[name] = kinds
		require.NoError(t, d.Close())
	}
	return all
}

// Labels were given by eye, to renderings, before the classifier ran on the pages. They are the pages
// with the lowest hashes of file and page, at most three of a file for each look of the rendering.
func TestPageKindsByEye(t *testing.T) {
	found := map[string][]PageKind{}
	for name, kinds := range everyKind(t) {
		found[filepath.Base(name)] = kinds
	}
	labels, err := os.ReadFile(filepath.Join("testdata", "kinds.txt"))
	require.NoError(t, err)
	right, all, matrix := 0, 0, map[string]map[PageKind]int{}
	for line := range strings.Lines(string(labels)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(fields) != 3 {
			continue
		}
		page, err := strconv.Atoi(fields[1])
		require.NoError(t, err)
		if page > len(found[fields[0]]) {
			t.Logf("%s page %d: not opened, labelled %s", fields[0], page, fields[2])
			continue
		}
		kind := found[fields[0]][page-1]
		if matrix[fields[2]] == nil {
			matrix[fields[2]] = map[PageKind]int{}
		}
		matrix[fields[2]][kind]++
		all++
		if string(kind) == fields[2] {
			right++
			continue
		}
		t.Logf("%s page %d: %s, labelled %s", fields[0], page, kind, fields[2])
	}
	for _, label := range sortedKeys(matrix) {
		t.Logf("labelled %-8s %v", label, matrix[label])
	}
	t.Logf("%d of %d right", right, all)
	require.GreaterOrEqual(t, 100*right, 85*all)
}

// oracle is what other programs say of a page.
type oracle struct {
	characters, images int
	flat               bool // no pixel differs from the first by more than 2 of 255
}

// TestPageKindsByOracle compares with poppler. A page with text has characters, a scan has an image
// and no characters, and a blank page is of one colour. An OCR layer, which pdftotext reads as
// well, is no error.
func TestPageKindsByOracle(t *testing.T) {
	tool(t, "pdftotext", "pdfimages", "pdftoppm")
	pages, wrong, blanks, missed := 0, 0, 0, 0
	counts := map[PageKind]int{}
	for name, kinds := range everyKind(t) {
		oracles := askPoppler(t, name, len(kinds))
		for i, o := range oracles {
			if o == nil {
				continue
			}
			kind, at := kinds[i], fmt.Sprintf("%s page %d", filepath.Base(name), i+1)
			counts[kind]++
			if kind == PageBlank || o.flat {
				o.flat = flat(t, name, i+1)
			}
			switch {
			case kind == PageBlank:
				blanks++
				require.True(t, o.flat, "%s is not blank", at)
			case o.flat:
				missed++
				t.Logf("%s is blank, not %s", at, kind)
			}
			if kind == PageUnknown || kind == PageBlank {
				continue
			}
			pages++
			if text := kind != PageScan; text != (o.characters > 0) || !text && o.images == 0 {
				wrong++
				t.Logf("%s is %s: %d characters, %d images", at, kind, o.characters, o.images)
			}
		}
	}
	t.Logf("%d of %d wrong; %d blank, %d missed; %v", wrong, pages, blanks, missed, counts)
	require.LessOrEqual(t, 100*wrong, 2*pages)
}

// askPoppler returns nil for the pages that poppler does not read.
func askPoppler(t *testing.T, name string, pages int) []*oracle {
	all := make([]*oracle, pages)
	text, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", name, "-").Output()
	if err != nil {
		return all
	}
	for i, page := range bytes.Split(text, []byte("\f")) {
		if i >= pages {
			break
		}
		all[i] = &oracle{}
		for _, c := range string(page) {
			if !unicode.IsSpace(c) {
				all[i].characters++
			}
		}
	}
	images, err := exec.CommandContext(t.Context(), "pdfimages", "-list", name).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(images)) {
		page, err := strconv.Atoi(strings.Fields(line + " -")[0])
		if err == nil && page <= pages && all[page-1] != nil {
			all[page-1].images++
		}
	}
	for _, o := range all {
		if o != nil {
			o.flat = o.characters == 0
		}
	}
	return all
}

// flat reports whether a rendering with annotations is all of one colour.
func flat(t *testing.T, name string, page int) bool {
	n := strconv.Itoa(page)
	out, err := exec.CommandContext(t.Context(), "pdftoppm", "-r", "100", "-cropbox", "-f", n, "-l", n, name).Output()
	require.NoError(t, err)
	r := bufio.NewReader(bytes.NewReader(out))
	var width, height, most int
	_, err = fmt.Fscanf(r, "P6\n%d %d\n%d\n", &width, &height, &most)
	require.NoError(t, err)
	pixels, err := io.ReadAll(r)
	require.NoError(t, err)
	for i, c := range pixels {
		if d := int(c) - int(pixels[i%3]); d > 2 || d < -2 {
			return false
		}
	}
	return true
}

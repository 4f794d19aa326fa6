package split_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/split"
)

// oddFolder holds the odd files: package partition reads them too.
const oddFolder = "../testdata/pdf/odd"

// A verdict is what is right for a file.
type verdict string

const (
	isSplit   verdict = "split"            // every page is there, and is proven to read the same
	isDamaged verdict = "damaged"          // it cannot be split with certainty: it is sent whole, with a warning
	isEither  verdict = "split or damaged" // both are right, as long as no page is wrong and nobody asks for a password
	isSecret  verdict = "password"         // it needs one, and opens with it
	isEmpty   verdict = "no pages"
)

// An odd is a small PDF with something odd about it.
type odd struct {
	name  string // of the file, and in the text of its pages
	about string
	right verdict
	pages int
	file  func(name string) string
	want  func(name string, page int) wantedPage // nil: [plainPage]
}

// A wantedPage is what a page is: worked out by hand from how the file was made.
type wantedPage struct {
	media, crop, rotate string
	content             string   // blanks around it do not count
	has                 []string // what the page's resources and annotations have among other things
}

// plainPage is a page of a [book].
func plainPage(name string, page int) wantedPage {
	return wantedPage{media: "[0 0 300 400]", content: draw(words(name, page)), has: []string{"/F1 <<", "/BaseFont Helvetica "}}
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// The files in the folder are what the tests make; -update writes them.
func TestOddFilesAreWhatIsMade(t *testing.T) {
	made := map[string]string{}
	for _, o := range odds() {
		name := o.name + ".pdf"
		require.NotContains(t, made, name)
		made[name] = o.file(o.name)
		require.Less(t, len(made[name]), 20_000, name)
	}
	made["index.json"] = oddIndex(t)
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		require.NoError(t, os.RemoveAll(oddFolder))
		require.NoError(t, os.MkdirAll(oddFolder, 0o755))
		for name, data := range made {
			require.NoError(t, os.WriteFile(filepath.Join(oddFolder, name), []byte(data), 0o644))
		}
	}
	entries, err := os.ReadDir(oddFolder)
	require.NoError(t, err)
	require.Len(t, entries, len(made))
	for name, data := range made {
		got, err := os.ReadFile(filepath.Join(oddFolder, name))
		require.NoError(t, err)
		require.True(t, data == string(got), name)
	}
}

// indexed is what the index says of a file, for package partition.
type indexed struct {
	File  string   `json:"file"`
	About string   `json:"about"`
	Right verdict  `json:"right"`
	Says  []string `json:"says"` // a text for each page; "" where it says nothing
}

var shown = regexp.MustCompile(`\(([^()]*)\) Tj`)

func oddIndex(t *testing.T) string {
	t.Helper()
	var index []indexed
	for _, o := range odds() {
		entry := indexed{File: o.name + ".pdf", About: o.about, Right: o.right, Says: []string{}}
		for page := 1; page <= o.pages; page++ {
			var texts []string
			for _, found := range shown.FindAllStringSubmatch(o.wanted(page).content, -1) {
				texts = append(texts, found[1])
			}
			entry.Says = append(entry.Says, strings.Join(texts, " "))
		}
		index = append(index, entry)
	}
	text, err := json.MarshalIndent(index, "", "\t")
	require.NoError(t, err)
	return string(text) + "\n"
}

func (o odd) wanted(page int) wantedPage {
	if o.want == nil {
		return plainPage(o.name, page)
	}
	return o.want(o.name, page)
}

// Each file is split so that every page reads the same, or goes whole, or needs its password.
func TestOddFiles(t *testing.T) {
	for _, o := range odds() {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			data := []byte(o.file(o.name))
			d, err := openOdd(t, data, "")
			switch o.right {
			case isSecret:
				require.ErrorIs(t, err, split.ErrEncrypted)
				_, err = openOdd(t, data, "wrong")
				require.ErrorIs(t, err, split.ErrEncrypted)
				for _, password := range []string{userWord, ownerWord} {
					d, err := openOdd(t, data, password)
					require.NoError(t, err, password)
					require.True(t, d.Encrypted())
					o.check(t, d)
				}
			case isSplit:
				require.NoError(t, err)
				o.check(t, d)
			case isEmpty:
				require.ErrorIs(t, err, split.ErrNoPages)
			case isDamaged:
				if err == nil {
					_, err = d.Chunk(t.Context(), split.PageRange{First: 1, Last: d.Pages()})
				}
				require.ErrorIs(t, err, split.ErrDamaged)
				require.NotErrorIs(t, err, split.ErrEncrypted)
			case isEither:
				if err == nil {
					_, err = d.Chunk(t.Context(), split.PageRange{First: 1, Last: d.Pages()})
				}
				if err == nil {
					o.check(t, d)
					return
				}
				require.ErrorIs(t, err, split.ErrDamaged)
				require.NotErrorIs(t, err, split.ErrEncrypted)
			}
		})
	}
}

func openOdd(t *testing.T, data []byte, password string) (*split.Document, error) {
	t.Helper()
	d, err := split.Open(context.Background(), bytes.NewReader(data), int64(len(data)), split.Options{Password: password})
	if err == nil {
		t.Cleanup(func() { _ = d.Close() }) // it was only read
	}
	return d, err
}

// check cuts the document in every way that matters, and looks at every page of every chunk.
func (o odd) check(t *testing.T, d *split.Document) {
	t.Helper()
	require.Equal(t, o.pages, d.Pages())
	ranges := append(split.Plan(o.pages, 2), split.PageRange{First: 1, Last: o.pages})
	for page := 1; page <= o.pages; page++ {
		ranges = append(ranges, split.PageRange{First: page, Last: page})
	}
	for _, r := range ranges {
		c, err := d.Chunk(t.Context(), r)
		if o.right == isEither && errors.Is(err, split.ErrDamaged) {
			continue
		}
		require.NoError(t, err)
		var chunk bytes.Buffer
		n, err := c.WriteTo(&chunk)
		require.NoError(t, err)
		require.Equal(t, c.Size(), n)
		seen := seenPages(t, chunk.Bytes())
		require.Len(t, seen, r.Len(), "pages %s", r)
		var said strings.Builder
		for i, got := range seen {
			o.checkPage(t, r, r.First+i, got)
			said.WriteString(got.content)
		}
		for page := 1; page <= o.pages; page++ {
			if other := words(o.name, page); !strings.Contains(said.String(), other) {
				require.NotContains(t, chunk.String(), other, "the chunk of pages %s has page %d in it", r, page)
			}
		}
	}
}

func (o odd) checkPage(t *testing.T, r split.PageRange, page int, got seenPage) {
	t.Helper()
	want := o.wanted(page)
	where := fmt.Sprintf("page %d in the chunk of pages %s", page, r)
	require.Equal(t, want.media, got.media, where)
	require.Equal(t, want.crop, got.crop, where)
	require.Equal(t, want.rotate, got.rotate, where)
	require.Equal(t, strings.TrimSpace(want.content), strings.TrimSpace(got.content), where)
	for _, has := range want.has {
		require.Contains(t, got.dump, has, where)
	}
}

package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFormats writes one rich list of elements in every format, with every option, and compares with
// testdata/format.
func TestFormats(t *testing.T) {
	elements := richElements(t)
	for _, test := range []struct {
		golden, format string
		options        Options
		leftOut        int
	}{
		{"plain.json", "json", Options{}, 0},
		{"plain.jsonl", "jsonl", Options{}, 0},
		{"plain.md", "markdown", Options{}, 0},
		{"plain.txt", "text", Options{}, 0},
		{"plain.csv", "csv", Options{}, 0},
		{"safe.csv", "csv", Options{CSVSafe: true}, 0},
		{"source.jsonl", "jsonl", Options{Source: source(), ElementTypes: types("FigureCaption", "Footer")}, 26},
		{"source.csv", "csv", Options{
			Source: source(), MetadataInclude: []string{"page_number", "image_path"}, ElementTypes: types("Footer"),
		}, 27},
		{"include.json", "json", Options{MetadataInclude: []string{"page_number", "coordinates"}}, 0},
		{"exclude.jsonl", "jsonl", Options{MetadataExclude: []string{"text_as_html", "image_base64", "filename"}}, 0},
		{"exclude.csv", "csv", Options{MetadataExclude: []string{"text_as_html", "link_urls", "filename"}}, 0},
		{"flat.jsonl", "jsonl", Options{FlattenMetadata: true, MetadataExclude: []string{"image_base64"}}, 0},
		{"flatsource.jsonl", "jsonl", Options{FlattenMetadata: true, Source: source(), ElementTypes: types("FigureCaption")}, 27},
		{"types.md", "markdown", Options{ElementTypes: types("Title", "Table")}, 22},
		{"notypes.txt", "text", Options{ExcludeElementTypes: types("Title", "NarrativeText", "ListItem")}, 18},
	} {
		t.Run(test.golden, func(t *testing.T) {
			got, writer := formatted(t, test.format, test.options, elements...)
			requireGolden(t, test.golden, got)
			require.Equal(t, test.leftOut, writer.LeftOut())
			require.Empty(t, writer.Warnings())
		})
	}
}

// Without options an element comes out as it came in.
func TestFormatsAreLossless(t *testing.T) {
	elements := richElements(t)
	lines, _ := formatted(t, "jsonl", Options{}, elements...)
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, elements[i].Raw()))
		require.Equal(t, want.String(), line)
	}
}

func TestFormatsOfFewElements(t *testing.T) {
	const header = "type,element_id,text,filename,filetype,page_number,page_name,languages,parent_id,category_depth,text_as_html," +
		"link_urls,image_url,image_path\n"
	var one element.Element
	require.NoError(t, json.Unmarshal([]byte(`{"type":"Title", "element_id":"1","text":"A","metadata":{"page_number":1}}`), &one))
	wants := map[string]struct{ none, one string }{
		"json":     {"[]\n", "[\n" + `{"type":"Title","element_id":"1","text":"A","metadata":{"page_number":1}}` + "\n]\n"},
		"jsonl":    {"", `{"type":"Title","element_id":"1","text":"A","metadata":{"page_number":1}}` + "\n"},
		"markdown": {"", "# A\n"},
		"text":     {"", "A\n"},
		"csv":      {header, header + "Title,1,A,,,1,,,,,,,,\n"},
	}
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			require.Contains(t, wants, f.Name)
			got, _ := formatted(t, f.Name, Options{})
			require.Equal(t, wants[f.Name].none, got)
			got, _ = formatted(t, f.Name, Options{}, one)
			require.Equal(t, wants[f.Name].one, got)
		})
	}
}

// The table has everything that a program needs to name a file or to answer a request.
func TestTable(t *testing.T) {
	type row struct {
		extension, mediaType  string
		concatenates, streams bool
	}
	got := map[string]row{}
	for _, f := range Formats() {
		got[f.Name] = row{f.Extension, f.MediaType, f.Concatenates, f.Streams}
		found, known := Lookup(f.Name)
		require.True(t, known)
		require.Equal(t, f.Extension, found.Extension)
	}
	require.Equal(t, map[string]row{
		"json":     {".json", "application/json", false, false},
		"jsonl":    {".jsonl", "application/x-ndjson", true, true},
		"markdown": {".md", "text/markdown; charset=utf-8", false, true},
		"text":     {".txt", "text/plain; charset=utf-8", false, true},
		"csv":      {".csv", "text/csv; charset=utf-8", false, true},
	}, got)
	require.Equal(t, []string{"json", "jsonl", "markdown", "text", "csv"}, Names(0))
	require.Equal(t, []string{"json", "jsonl"}, Names(FeatureFlatten|FeatureMetadata))
}

func TestNewRefuses(t *testing.T) {
	images := func(string, []byte) (string, error) { return "", nil }
	for want, test := range map[string]struct {
		format  string
		options Options
	}{
		`format "yaml": not one of json, jsonl, markdown, text, csv`:                {"yaml", Options{}},
		"format json: option CSVSafe is for csv only":                               {"json", Options{CSVSafe: true}},
		"format markdown: option Source is for json, jsonl, csv only":               {"markdown", Options{Source: source()}},
		"format text: option Images is for json, jsonl, markdown, csv only":         {"text", Options{Images: images}},
		"format text: option MetadataInclude is for json, jsonl, csv only":          {"text", Options{MetadataInclude: []string{"a"}}},
		"format markdown: option MetadataExclude is for json, jsonl, csv only":      {"markdown", Options{MetadataExclude: []string{"a"}}},
		"format csv: option FlattenMetadata is for json, jsonl only":                {"csv", Options{FlattenMetadata: true}},
		"format json: MetadataInclude and MetadataExclude cannot be used together":  {"json", Options{MetadataInclude: []string{"a"}, MetadataExclude: []string{"b"}}},
		"format text: ElementTypes and ExcludeElementTypes cannot be used together": {"text", Options{ElementTypes: types("a"), ExcludeElementTypes: types("b")}},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := New(test.format, io.Discard, test.options)
			require.EqualError(t, err, want)
		})
	}
}

// What a format has written is with the reader after Flush, and an error of the reader's end is returned.
func TestFlushAndErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, name := range Names(0) {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w, err := New(name, &out, Options{})
			require.NoError(t, err)
			require.NoError(t, w.Write(element.Element{Type: "Title", Text: "Heading"}))
			require.NoError(t, w.Flush())
			require.Contains(t, out.String(), "Heading")
			require.NoError(t, w.Close())

			w, err = New(name, &failingWriter{broken}, Options{})
			require.NoError(t, err)
			require.NoError(t, w.Write(element.Element{Type: "Title", Text: "Heading"}), "it is still in the buffer")
			require.ErrorIs(t, w.Close(), broken)
		})
	}
}

type failingWriter struct{ err error }

func (f *failingWriter) Write([]byte) (int, error) { return 0, f.err }

// richElements are elements of every kind that the formats tell apart, with hostile texts.
func richElements(t *testing.T) []element.Element {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "format", "elements.json"))
	require.NoError(t, err)
	var elements []element.Element
	require.NoError(t, json.Unmarshal(data, &elements))
	return elements
}

// formatted is the output of elements.
func formatted(t *testing.T, name string, o Options, elements ...element.Element) (string, *Writer) {
	t.Helper()
	var out bytes.Buffer
	w, err := New(name, &out, o)
	require.NoError(t, err)
	for _, e := range elements {
		require.NoError(t, w.Write(e))
	}
	require.NoError(t, w.Close())
	return out.String(), w
}

func source() *Source { return &Source{Path: `docs/"a" & b.pdf`, SHA256: strings.Repeat("0f", 32)} }

func types(names ...element.ElementType) []element.ElementType { return names }

// requireGolden compares with a file of testdata/format, or writes it with -update.
func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("..", "..", "testdata", "format", name)
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

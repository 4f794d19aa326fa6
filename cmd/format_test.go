package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/partition"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFormats writes one rich list of elements in every format, with every option, and compares with testdata/format.
func TestFormats(t *testing.T) {
	elements := richElements(t)
	for _, test := range []struct {
		golden, flags string
		leftOut       int
	}{
		{"plain.json", "", 0},
		{"plain.jsonl", "-f jsonl", 0},
		{"plain.md", "-f markdown", 0},
		{"plain.txt", "-f text", 0},
		{"plain.csv", "-f csv", 0},
		{"safe.csv", "-f csv --csv-safe", 0},
		{"source.jsonl", "-f jsonl --source-field --element-types FigureCaption,Footer", 26},
		{"source.csv", "-f csv --source-field --metadata-include page_number,image_path --element-types Footer", 27},
		{"include.json", "--metadata-include page_number,coordinates", 0},
		{"exclude.jsonl", "-f jsonl --metadata-exclude text_as_html,image_base64 --metadata-exclude filename", 0},
		{"exclude.csv", "-f csv --metadata-exclude text_as_html,link_urls,filename", 0},
		{"flat.jsonl", "-f jsonl --flatten-metadata --metadata-exclude image_base64", 0},
		{"flatsource.jsonl", "-f jsonl --flatten-metadata --source-field --element-types FigureCaption", 27},
		{"types.md", "-f markdown --element-types Title,Table", 22},
		{"notypes.txt", "-f text --exclude-element-types Title,NarrativeText,ListItem", 18},
	} {
		t.Run(test.golden, func(t *testing.T) {
			got, writer := formatted(t, test.flags, nil, elements...)
			requireGolden(t, test.golden, got)
			require.Equal(t, test.leftOut, writer.leftOut)
			require.Empty(t, writer.warnings())
		})
	}
}

// Without options an element comes out as it came in.
func TestFormatsAreLossless(t *testing.T) {
	elements := richElements(t)
	lines, _ := formatted(t, "-f jsonl", nil, elements...)
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, elements[i].Raw()))
		require.Equal(t, want.String(), line)
	}
}

func TestFormatsOfFewElements(t *testing.T) {
	const header = "type,element_id,text,filename,filetype,page_number,page_name,languages,parent_id,category_depth,text_as_html," +
		"link_urls,image_url,image_path\n"
	var one partition.Element
	require.NoError(t, json.Unmarshal([]byte(`{"type":"Title", "element_id":"1","text":"A","metadata":{"page_number":1}}`), &one))
	wants := map[string]struct{ none, one string }{
		"json":     {"[]\n", "[\n" + `{"type":"Title","element_id":"1","text":"A","metadata":{"page_number":1}}` + "\n]\n"},
		"jsonl":    {"", `{"type":"Title","element_id":"1","text":"A","metadata":{"page_number":1}}` + "\n"},
		"markdown": {"", "# A\n"},
		"text":     {"", "A\n"},
		"csv":      {header, header + "Title,1,A,,,1,,,,,,,,\n"},
	}
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			require.Contains(t, wants, f.name)
			got, _ := formatted(t, "-f "+f.name, nil)
			require.Equal(t, wants[f.name].none, got)
			got, _ = formatted(t, "-f "+f.name, nil, one)
			require.Equal(t, wants[f.name].one, got)
		})
	}
}

// richElements are elements of every kind that the formats tell apart, with hostile texts.
func richElements(t *testing.T) []partition.Element {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "format", "elements.json"))
	require.NoError(t, err)
	var elements []partition.Element
	require.NoError(t, json.Unmarshal(data, &elements))
	return elements
}

// formatted is the output of elements with these flags.
func formatted(t *testing.T, flags string, images *folder.Folder, elements ...partition.Element) (string, *elementWriter) {
	t.Helper()
	form, options, err := checkFormatFlags(strings.Fields(flags)...)
	require.NoError(t, err)
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	writer := form.writer(w, options, formatSource{
		name: "docs/report.pdf", path: `docs/"a" & b.pdf`, sha256: strings.Repeat("0f", 32), images: images,
	})
	for _, e := range elements {
		require.NoError(t, writer.element(e))
	}
	require.NoError(t, writer.end())
	require.NoError(t, w.Flush())
	return out.String(), writer
}

func checkFormatFlags(args ...string) (format, outputOptions, error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	var f formatFlags
	f.add(flags)
	if err := flags.Parse(args); err != nil {
		return format{}, outputOptions{}, err
	}
	return f.check()
}

// requireGolden compares with a file of testdata/format, or writes it with -update.
func requireGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("..", "testdata", "format", name)
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

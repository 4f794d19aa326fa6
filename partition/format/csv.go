package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quire-dev/quire/partition/element"
)

// A csvColumn is a column of the csv format.
type csvColumn struct {
	name     string
	metadata bool // it may be left out like the metadata of the same name
	value    func(Item) string
}

// csvColumns are the columns, the same for every document; what an element does not have is empty.
// The API's own CSV, which output_format text/csv requests, has other columns for every answer.
var csvColumns = []csvColumn{
	{"type", false, func(e Item) string { return string(e.Type) }},
	{"element_id", false, func(e Item) string { return e.ID }},
	{"text", false, func(e Item) string { return e.Text }},
	{"filename", true, func(e Item) string { return e.Metadata.Filename }},
	{"filetype", true, func(e Item) string { return e.Metadata.Filetype }},                                        // media type
	{"page_number", true, func(e Item) string { return positive(e.Metadata.PageNumber) }},                         // from 1
	{"page_name", true, func(e Item) string { return e.Metadata.PageName }},                                       // a sheet's name
	{"languages", true, func(e Item) string { return strings.Join(e.Metadata.Languages, " ") }},                   // ISO 639-3, a space between
	{"parent_id", true, func(e Item) string { return e.Metadata.ParentID }},                                       // an element_id
	{"category_depth", true, func(e Item) string { return number(e.Metadata.CategoryDepth) }},                     // from 0
	{"text_as_html", true, func(e Item) string { return e.Metadata.TextAsHTML }},                                  // of a table
	{"link_urls", true, func(e Item) string { return strings.Join(e.Metadata.LinkURLs, " ") }},                    // a space between
	{"image_url", true, func(e Item) string { return e.Metadata.ImageURL }},                                       // in the document
	{"image_path", true, func(e Item) string { return cmp.Or(e.ImagePath, textMember(e.Element, "image_path")) }}, // with Options.Images what that returned
}

// csvEncoder writes a table with a header row.
type csvEncoder struct {
	w       *csv.Writer
	columns []csvColumn
	safe    bool
	started bool
}

func newCSVEncoder(w *bufio.Writer, o Options) Encoder {
	metadata := o.metadata()
	columns := slices.DeleteFunc(slices.Clone(csvColumns), func(c csvColumn) bool { return c.metadata && !metadata.keeps(c.name) })
	for _, name := range o.MetadataInclude {
		columns = withMember(columns, name)
	}
	if o.Source != nil {
		columns = append(columns,
			csvColumn{"source_path", false, func(Item) string { return o.Source.Path }},
			csvColumn{"source_sha256", false, func(Item) string { return o.Source.SHA256 }})
	}
	return &csvEncoder{w: csv.NewWriter(w), columns: columns, safe: o.CSVSafe}
}

// withMember adds a column for a member of the metadata that has none. It is called metadata.NAME
// where a column of the element's own is called NAME.
func withMember(columns []csvColumn, member string) []csvColumn {
	name := member
	for _, c := range columns {
		switch {
		case c.name == member && c.metadata:
			return columns
		case c.name == member:
			name = "metadata." + member
		}
	}
	return append(columns, csvColumn{name, true, func(e Item) string {
		if member == "image_base64" && e.ImagePath != "" {
			return "" // image_path has its place
		}
		return memberCell(e.Element, member)
	}})
}

func (f *csvEncoder) Encode(e Item) error {
	if err := f.header(); err != nil {
		return err
	}
	row := make([]string, len(f.columns))
	for i, column := range f.columns {
		row[i] = column.value(e)
		if f.safe {
			row[i] = disarm(row[i])
		}
	}
	return f.w.Write(row)
}

func (f *csvEncoder) End() error {
	if err := f.header(); err != nil {
		return err
	}
	f.w.Flush()
	return f.w.Error()
}

func (f *csvEncoder) header() error {
	if f.started {
		return nil
	}
	f.started = true
	names := make([]string, len(f.columns))
	for i, column := range f.columns {
		names[i] = column.name
	}
	return f.w.Write(names)
}

// formulaStarts are the characters that OWASP's page on CSV injection and its verification standard
// (1.2.10) name, with the full-width forms that some spreadsheets take for the same.
const formulaStarts = "=+-@\t\r\n\x00＝＋－＠"

// disarm keeps a spreadsheet from taking a text for a formula: an apostrophe goes before a cell that
// begins like one, also after spaces, which some drop.
func disarm(cell string) string {
	text := strings.TrimLeftFunc(cell, func(r rune) bool {
		return (unicode.IsSpace(r) || r == '\ufeff') && !strings.ContainsRune(formulaStarts, r)
	})
	if first, size := utf8.DecodeRuneInString(text); size > 0 && strings.ContainsRune(formulaStarts, first) {
		return "'" + cell
	}
	return cell
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// memberCell is a member of the metadata as a cell: a text as it is, anything else as JSON.
func memberCell(e element.Element, name string) string {
	value, _ := e.MetadataMember(name)
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text // also of null
	}
	var line bytes.Buffer
	_ = json.Compact(&line, value) // it was read as JSON already
	return line.String()
}

// textMember is a member of the metadata that is a text, "" where it is none.
func textMember(e element.Element, name string) (text string) {
	value, _ := e.MetadataMember(name)
	_ = json.Unmarshal(value, &text) // anything but a text leaves it empty
	return text
}

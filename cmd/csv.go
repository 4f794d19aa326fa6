package cmd

import (
	"bufio"
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/quire-dev/quire/partition"
)

// csvColumns are the columns of the csv format, the same for every document. The API's own CSV has other columns for every
// answer; --output-format text/csv asks for that.
var csvColumns = []struct {
	name  string
	value func(partition.Element) string
}{
	{"type", func(e partition.Element) string { return string(e.Type) }},
	{"element_id", func(e partition.Element) string { return e.ID }},
	{"text", func(e partition.Element) string { return e.Text }},
	{"filename", func(e partition.Element) string { return e.Metadata.Filename }},
	{"filetype", func(e partition.Element) string { return e.Metadata.Filetype }},
	{"page_number", func(e partition.Element) string { return positive(e.Metadata.PageNumber) }},
	{"page_name", func(e partition.Element) string { return e.Metadata.PageName }},
	{"languages", func(e partition.Element) string { return strings.Join(e.Metadata.Languages, " ") }},
	{"parent_id", func(e partition.Element) string { return e.Metadata.ParentID }},
	{"category_depth", func(e partition.Element) string { return number(e.Metadata.CategoryDepth) }},
	{"text_as_html", func(e partition.Element) string { return e.Metadata.TextAsHTML }},
	{"link_urls", func(e partition.Element) string { return strings.Join(e.Metadata.LinkURLs, " ") }},
	{"image_url", func(e partition.Element) string { return e.Metadata.ImageURL }},
}

// csvFormat is a table with a header row.
type csvFormat struct {
	w       *csv.Writer
	safe    bool
	started bool
}

func newCSVFormat(w *bufio.Writer, o formatOptions) formatter {
	return &csvFormat{w: csv.NewWriter(w), safe: o.csvSafe}
}

func (f *csvFormat) element(e partition.Element) error {
	if err := f.header(); err != nil {
		return err
	}
	row := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		row[i] = column.value(e)
		if f.safe {
			row[i] = disarm(row[i])
		}
	}
	return f.w.Write(row)
}

func (f *csvFormat) end() error {
	if err := f.header(); err != nil {
		return err
	}
	f.w.Flush()
	return f.w.Error()
}

func (f *csvFormat) header() error {
	if f.started {
		return nil
	}
	f.started = true
	names := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		names[i] = column.name
	}
	return f.w.Write(names)
}

// disarm keeps a spreadsheet from taking a text for a formula: an apostrophe goes before the characters that begin one.
func disarm(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
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

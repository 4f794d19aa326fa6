package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/quire-dev/quire/partition"
)

// A format is one row of the table of output formats.
type format struct {
	name      string
	extension string // of a file, with the dot
	many      bool   // outputs of several documents one after the other are still in the format
	streams   bool   // the beginning of an output is of use without its end
	new       func(w *bufio.Writer, o formatOptions) formatter
}

type formatOptions struct {
	csvSafe bool
}

// A formatter writes elements in one format.
type formatter interface {
	element(partition.Element) error
	end() error // what stands behind the last element
}

// formats is the table. To add an output format is to add a row.
var formats = []format{
	{"json", ".json", false, false, func(w *bufio.Writer, _ formatOptions) formatter { return &jsonFormat{w: w} }},
	{"jsonl", ".jsonl", true, true, func(w *bufio.Writer, _ formatOptions) formatter { return jsonlFormat{w} }},
	{"markdown", ".md", false, true, func(w *bufio.Writer, _ formatOptions) formatter { return &markdownFormat{w: w} }},
	{"text", ".txt", false, true, func(w *bufio.Writer, _ formatOptions) formatter { return &textFormat{w: w} }},
	{"csv", ".csv", false, true, newCSVFormat},
}

func findFormat(name string) (format, error) {
	names := make([]string, len(formats))
	for i, f := range formats {
		if f.name == name {
			return f, nil
		}
		names[i] = f.name
	}
	return format{}, usageError("format %q: not one of %s", name, strings.Join(names, ", "))
}

// jsonFormat is one JSON list, an element a line.
type jsonFormat struct {
	w       *bufio.Writer
	started bool
}

func (f *jsonFormat) element(e partition.Element) error {
	separator := "[\n"
	if f.started {
		separator = ",\n"
	}
	f.started = true
	return writeElement(f.w, separator, e)
}

func (f *jsonFormat) end() error {
	closing := "\n]\n"
	if !f.started {
		closing = "[]\n"
	}
	_, err := f.w.WriteString(closing)
	return err
}

// jsonlFormat is one element a line.
type jsonlFormat struct{ w *bufio.Writer }

func (f jsonlFormat) element(e partition.Element) error {
	if err := writeElement(f.w, "", e); err != nil {
		return err
	}
	return f.w.WriteByte('\n')
}

func (jsonlFormat) end() error { return nil }

// writeElement writes an element on one line; what the server sent over several lines is joined.
func writeElement(w *bufio.Writer, before string, e partition.Element) error {
	line, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	if _, err := w.WriteString(before); err != nil {
		return err
	}
	return compactJSON(w, line)
}

// compactJSON writes JSON without the white space between its tokens; strings and numbers stay as they are.
func compactJSON(w io.Writer, data []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return err
	}
	_, err := w.Write(compact.Bytes())
	return err
}

// textFormat is the texts of the elements, a blank line between.
type textFormat struct {
	w       *bufio.Writer
	started bool
}

func (f *textFormat) element(e partition.Element) error {
	if e.Text == "" {
		return nil
	}
	if f.started {
		if err := f.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	f.started = true
	_, err := f.w.WriteString(e.Text + "\n")
	return err
}

func (f *textFormat) end() error { return nil }

package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// jsonFormat is one JSON list, an element a line.
type jsonFormat struct {
	w       *bufio.Writer
	shape   elementShape
	started bool
}

func newJSONFormat(w *bufio.Writer, o outputOptions, s formatSource) formatter {
	return &jsonFormat{w: w, shape: newElementShape(o, s)}
}

func (f *jsonFormat) element(e item) error {
	separator := "[\n"
	if f.started {
		separator = ",\n"
	}
	f.started = true
	return writeElement(f.w, separator, f.shape, e)
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
type jsonlFormat struct {
	w     *bufio.Writer
	shape elementShape
}

func newJSONLFormat(w *bufio.Writer, o outputOptions, s formatSource) formatter {
	return jsonlFormat{w, newElementShape(o, s)}
}

func (f jsonlFormat) element(e item) error {
	if err := writeElement(f.w, "", f.shape, e); err != nil {
		return err
	}
	return f.w.WriteByte('\n')
}

func (jsonlFormat) end() error { return nil }

// writeElement writes an element on one line; what the server sent over several lines is joined.
func writeElement(w *bufio.Writer, before string, shape elementShape, e item) error {
	line, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	if line, err = shape.apply(line, e.imagePath); err != nil {
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

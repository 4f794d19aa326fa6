package format

import (
	"bufio"
	"bytes"
	"encoding/json"
)

// jsonEncoder is one JSON list, an element a line.
type jsonEncoder struct {
	w       *bufio.Writer
	shape   elementShape
	started bool
}

func newJSONEncoder(w *bufio.Writer, o Options) Encoder {
	return &jsonEncoder{w: w, shape: newElementShape(o)}
}

func (f *jsonEncoder) Encode(e Item) error {
	separator := "[\n"
	if f.started {
		separator = ",\n"
	}
	f.started = true
	return writeElement(f.w, separator, f.shape, e)
}

func (f *jsonEncoder) End() error {
	closing := "\n]\n"
	if !f.started {
		closing = "[]\n"
	}
	_, err := f.w.WriteString(closing)
	return err
}

// jsonlEncoder is one element a line.
type jsonlEncoder struct {
	w     *bufio.Writer
	shape elementShape
}

func newJSONLEncoder(w *bufio.Writer, o Options) Encoder {
	return jsonlEncoder{w, newElementShape(o)}
}

func (f jsonlEncoder) Encode(e Item) error {
	if err := writeElement(f.w, "", f.shape, e); err != nil {
		return err
	}
	return f.w.WriteByte('\n')
}

func (jsonlEncoder) End() error { return nil }

// writeElement writes an element on one line; what the server sent over several lines is joined.
func writeElement(w *bufio.Writer, before string, shape elementShape, e Item) error {
	line, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	if line, err = shape.apply(line, e.ImagePath); err != nil {
		return err
	}
	if _, err := w.WriteString(before); err != nil {
		return err
	}
	var compact bytes.Buffer // strings and numbers stay as they are spelled
	if err := json.Compact(&compact, line); err != nil {
		return err
	}
	_, err = w.Write(compact.Bytes())
	return err
}

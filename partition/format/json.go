package format

import (
	"bufio"
	"bytes"
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
	return writeCompact(w, line)
}

// writeCompact writes JSON without the blanks between strings, numbers and literals, which stay as they
// are spelled.
func writeCompact(w *bufio.Writer, value []byte) error {
	for len(value) > 0 {
		n := bytes.IndexAny(value, "\" \t\r\n")
		if n < 0 {
			n = len(value)
		} else if value[n] == '"' {
			n += stringEnd(value[n:])
		}
		if _, err := w.Write(value[:n]); err != nil {
			return err
		}
		value = bytes.TrimLeft(value[n:], " \t\r\n")
	}
	return nil
}

// stringEnd returns how many bytes the string has that begins here.
func stringEnd(value []byte) int {
	for i := 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}

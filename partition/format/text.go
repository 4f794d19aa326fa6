package format

import (
	"bufio"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// textEncoder writes the texts of the elements, a blank line between.
type textEncoder struct {
	w       *bufio.Writer
	started bool
}

func newTextEncoder(w *bufio.Writer, _ Options) Encoder { return &textEncoder{w: w} }

func (f *textEncoder) Encode(e Item) error {
	if e.Text == "" {
		return nil
	}
	if f.started {
		if err := f.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	f.started = true
	if _, err := f.w.WriteString(e.Text); err != nil {
		return err
	}
	return f.w.WriteByte('\n')
}

func (f *textEncoder) End() error { return nil }

// Text returns elements in the format text.
func Text(elements []element.Element) string { return formatOf("text", elements) }

// Markdown returns elements in the format markdown.
func Markdown(elements []element.Element) string { return formatOf("markdown", elements) }

func formatOf(name string, elements []element.Element) string {
	var out strings.Builder // to which writing never fails
	w, _ := New(name, &out, Options{})
	for _, e := range elements {
		_ = w.Write(e)
	}
	_ = w.Close()
	return out.String()
}

package format

import "bufio"

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
	_, err := f.w.WriteString(e.Text + "\n")
	return err
}

func (f *textEncoder) End() error { return nil }

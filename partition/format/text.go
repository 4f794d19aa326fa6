package format

import "bufio"

// textEncoder writes the texts of the elements, a blank line between.
type textEncoder struct {
	w       *bufio.Writer
	started bool
}

func newTextEncoder(w *bufio.Writer, _ Options) encoder { return &textEncoder{w: w} }

func (f *textEncoder) element(e item) error {
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

func (f *textEncoder) end() error { return nil }

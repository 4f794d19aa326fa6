package walk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Decoded returns the text that r has, in UTF-8. A byte order mark says what its encoding is: UTF-8,
// or UTF-16 in either order, as PowerShell writes it. The mark is left out. Without one the bytes
// stay as they are: a path need not be in UTF-8. Half a character is an error of Read, and so is
// NUL in UTF-16. Nothing is read ahead of a line that r is slow with.
func Decoded(r io.Reader) io.Reader { return &decoder{in: bufio.NewReaderSize(r, 32<<10)} }

type decoder struct {
	in    *bufio.Reader
	began bool
	order binary.ByteOrder // of UTF-16; nil where bytes stay as they are
	out   bytes.Buffer     // decoded and not yet read
}

// marks are the byte order marks.
var marks = []struct {
	mark  string
	order binary.ByteOrder
}{
	{"\xef\xbb\xbf", nil}, {"\xff\xfe", binary.LittleEndian}, {"\xfe\xff", binary.BigEndian},
}

var (
	errHalfUTF16 = errors.New("a byte order mark says UTF-16, but half a character is missing")
	errNULUTF16  = errors.New("a byte order mark says UTF-16, but there is a NUL in the text")
)

// Read reads decoded text.
func (d *decoder) Read(p []byte) (int, error) {
	if !d.began {
		d.began = true
		d.begin()
	}
	if d.order == nil {
		return d.in.Read(p)
	}
	for d.out.Len() == 0 {
		if err := d.character(); err != nil {
			return 0, err
		}
		for d.in.Buffered() >= 4 && d.out.Len() < len(p) {
			if err := d.character(); err != nil {
				return 0, err
			}
		}
	}
	return d.out.Read(p)
}

// begin skips the mark. It looks only as far as there may be one: more might not come for long.
func (d *decoder) begin() {
	for _, m := range marks {
		for n := 1; ; n++ {
			head, err := d.in.Peek(n)
			if err != nil || head[n-1] != m.mark[n-1] {
				break
			}
			if n == len(m.mark) {
				_, _ = d.in.Discard(n) // they were peeked at
				d.order = m.order
				return
			}
		}
	}
}

// character decodes one.
func (d *decoder) character() error {
	first, err := d.unit()
	switch {
	case err != nil:
		return err
	case first == 0:
		return errNULUTF16
	case !utf16.IsSurrogate(first):
		d.out.WriteRune(first)
		return nil
	}
	second, err := d.unit()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	r := utf16.DecodeRune(first, second)
	if r == utf8.RuneError {
		return errHalfUTF16
	}
	d.out.WriteRune(r)
	return nil
}

func (d *decoder) unit() (rune, error) {
	var unit [2]byte
	_, err := io.ReadFull(d.in, unit[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errHalfUTF16
	}
	return rune(d.order.Uint16(unit[:])), err
}

package text

import (
	"io"
	"unicode/utf8"
)

// A UTF8Reader reads from another reader, with U+FFFD for each byte that is no part of a UTF-8
// character.
type UTF8Reader struct {
	// Replaced is how many bytes were replaced so far.
	Replaced int64

	r    io.Reader
	in   []byte // a buffer
	rest int    // bytes at its start that are the beginning of a character, perhaps
	out  []byte // to be read
	err  error  // then
}

// NewUTF8Reader returns a reader of r.
func NewUTF8Reader(r io.Reader) *UTF8Reader {
	return &UTF8Reader{r: r, in: make([]byte, 32<<10)}
}

// Read reads what is valid UTF-8 as a whole; a character may be cut by p.
func (u *UTF8Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(u.out) == 0 && u.err == nil {
		u.fill()
	}
	if len(u.out) == 0 {
		return 0, u.err
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

func (u *UTF8Reader) fill() {
	n, err := u.r.Read(u.in[u.rest:])
	data := u.in[:u.rest+n]
	u.err, u.rest = err, 0
	if utf8.Valid(data) {
		u.out = data
		return
	}
	u.out = make([]byte, 0, len(data)+utf8.UTFMax)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			if err == nil && !utf8.FullRune(data) {
				u.rest = copy(u.in, data)
				return
			}
			u.Replaced++
		}
		u.out = utf8.AppendRune(u.out, r)
		data = data[size:]
	}
}

package text

import (
	"bytes"
	"io"
	"strconv"
)

// A PairReader reads JSON from another reader, with \ufffd for each escape that is half of a
// surrogate pair without the other half. The grammar of JSON allows it, but it is no character, and
// strict parsers refuse the whole text.
type PairReader struct {
	// Replaced is how many halves were replaced so far.
	Replaced int64

	r    io.Reader
	in   []byte // a buffer
	tail []byte // what may go on in what is read next
	out  []byte // to be read
	err  error  // then
}

// NewPairReader returns a reader of r.
func NewPairReader(r io.Reader) *PairReader {
	return &PairReader{r: r, in: make([]byte, 32<<10)}
}

// Read reads what is decided; an escape may be cut by p.
func (p *PairReader) Read(to []byte) (int, error) {
	if len(to) == 0 {
		return 0, nil
	}
	for len(p.out) == 0 && p.err == nil {
		p.fill()
	}
	if len(p.out) == 0 {
		return 0, p.err
	}
	n := copy(to, p.out)
	p.out = p.out[n:]
	return n, nil
}

func (p *PairReader) fill() {
	before := copy(p.in, p.tail)
	n, err := p.r.Read(p.in[before:])
	data := p.in[:before+n]
	decided := p.replace(data)
	if err != nil {
		decided = len(data)
	}
	p.out, p.tail, p.err = data[:decided], append(p.tail[:0], data[decided:]...), err
}

// replace replaces what is half of a pair, and returns how many bytes are decided: not an escape that
// may go on behind data.
func (p *PairReader) replace(data []byte) (decided int) {
	for at := 0; ; {
		next := bytes.IndexByte(data[at:], '\\')
		if next < 0 {
			return len(data)
		}
		at += next
		switch rest := data[at:]; {
		case len(rest) < 2, rest[1] == 'u' && len(rest) < 6:
			return at
		case rest[1] != 'u':
			at += 2
		case isUnit(rest, 0xd800, 0xdbff) && len(rest) < 12 && couldBeUnit(rest[6:]):
			return at
		case isUnit(rest, 0xd800, 0xdbff) && isUnit(rest[6:], 0xdc00, 0xdfff):
			at += 12
		default:
			if isUnit(rest, 0xd800, 0xdfff) {
				copy(rest, `\ufffd`)
				p.Replaced++
			}
			at += 6
		}
	}
}

// couldBeUnit reports whether an escape may begin here.
func couldBeUnit(data []byte) bool {
	return bytes.HasPrefix([]byte(`\u`), data[:min(len(data), 2)])
}

// isUnit reports whether data begins with the escape of a number between first and last.
func isUnit(data []byte, first, last uint64) bool {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return false
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	return err == nil && first <= unit && unit <= last
}

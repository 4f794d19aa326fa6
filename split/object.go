package split

import (
	"bytes"
	"regexp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// longestText is two hundred thousand references. In memory an object takes up to twenty times its
// text.
const longestText = 2 * mebi

// parsed is what stands at an offset of the file.
type parsed struct {
	object     types.Object // a *stream without the length of its bytes for a stream
	generation int
	text       int   // how long the object is, without the bytes of a stream
	end        int64 // where it ends, of a stream where its bytes start
}

// parseAt reads the object with the given number at an offset.
func parseAt(src *source, nr int, off int64, depth int) (parsed, error) {
	head, ok := headAt(src, off)
	if !ok || head.number != nr {
		return parsed{}, errLost(nr)
	}
	p := parsed{generation: head.generation}
	for n := 1 << 10; ; n = min(4*n, longestText) {
		text := src.peek(head.end, n)
		if found, ok := p.parse(text, head.end, depth); ok {
			return found.stream(nr), nil
		}
		last := len(text) < n || n >= longestText
		if !last && !bytes.Contains(text, []byte("endobj")) && !bytes.Contains(text, []byte("stream")) {
			continue
		}
		found, complete, err := p.parseOdd(text, head.end, depth)
		switch {
		case src.err != nil:
			return parsed{}, src.err
		case complete && err == nil:
			return found.stream(nr), nil
		case complete, last && len(text) < n:
			return parsed{}, errLost(nr)
		case last:
			return parsed{}, refuse(ErrTooLarge, "object %d alone has more than %d bytes", nr, longestText)
		}
	}
}

// stream makes a stream of a dictionary whose bytes start at its end.
func (p parsed) stream(nr int) parsed {
	if s, ok := p.object.(*stream); ok {
		s.number, s.generation, s.at = nr, p.generation, p.end
		spellFilters(s.Dict)
	}
	return p
}

// parse reads an object that is written by the book.
func (p parsed) parse(text []byte, at int64, depth int) (parsed, bool) {
	end := len(text)
	for _, keyword := range []string{"endobj", "stream"} {
		if i := bytes.Index(text[:end], []byte(keyword)); i >= 0 {
			end = min(len(text), i+len(keyword)+2)
		}
	}
	r := parser{text: string(text[:end]), depth: depth}
	o, ok := r.object()
	if !ok {
		return p, false
	}
	r.blanks()
	p.text = r.pos
	switch rest := r.text[r.pos:]; {
	case len(rest) >= len("endobj") && rest[:len("endobj")] == "endobj":
		p.object, p.end = o, at+int64(r.pos+len("endobj"))
		return p, true
	case len(rest) >= len("stream")+2 && rest[:len("stream")] == "stream":
		d, isDict := o.(types.Dict)
		eol := lineEnd(rest[len("stream"):])
		if !isDict || eol == 0 {
			return p, false
		}
		p.object, p.end = &stream{Dict: d}, at+int64(r.pos+len("stream")+eol)
		return p, true
	case next.MatchString(rest): // an "endobj" is missing
		p.object, p.end = o, at+int64(r.pos)
		return p, true
	}
	return p, false
}

// next is what may follow an object.
var next = regexp.MustCompile(`^(?:\d+` + blanks + `+\d+` + blanks + `+obj|xref|trailer|startxref)`)

// lineEnd returns the length of the line end that text starts with.
func lineEnd(text string) int {
	switch {
	case len(text) == 0:
		return 0
	case text[0] == '\n':
		return 1
	case text[0] == '\r' && len(text) > 1 && text[1] == '\n':
		return 2
	case text[0] == '\r':
		return 1
	}
	return 0
}

func blank(text string) bool {
	for i := range len(text) {
		if !isBlank(rune(text[i])) {
			return false
		}
	}
	return true
}

// head is the "12 0 obj" that an object starts with.
type head struct {
	number, generation int
	end                int64
}

// headAt returns the head at an offset, or behind the blanks there.
func headAt(src *source, off int64) (head, bool) {
	const longest = 64
	text := src.peek(off, longest)
	i := 0
	blanks := func() bool {
		start := i
		for i < len(text) && isBlank(rune(text[i])) {
			i++
		}
		return i > start
	}
	digits := func() (n int, ok bool) {
		start := i
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			if n = 10*n + int(text[i]-'0'); n >= numberLimit {
				return 0, false
			}
		}
		return n, i > start
	}
	var h head
	var first, second bool
	blanks()
	h.number, first = digits()
	if !first || !blanks() {
		return h, false
	}
	h.generation, second = digits()
	if !second || !blanks() || !bytes.HasPrefix(text[i:], []byte("obj")) {
		return h, false
	}
	h.end = off + int64(i+len("obj"))
	return h, true
}

// endsAt reports whether the bytes of a stream end at an offset.
func endsAt(src *source, off int64) bool {
	after := bytes.TrimLeft(src.peek(off, 24), "\x00\t\n\f\r ")
	return bytes.HasPrefix(after, []byte("endstream")) || bytes.HasPrefix(after, []byte("endobj"))
}

// untilEnd returns how many bytes there are from an offset to the next "endstream" and the line end
// before it, and false where there is none within the given number of bytes.
func untilEnd(src *source, off, most int64) (length int64, ok bool) {
	const mark = "endstream"
	buf := make([]byte, max(min(copySize, src.size-off), 2*int64(len(mark)))) // more than the mark, or the end is near
	for from := off; from < src.size && from-off <= most; from += int64(len(buf) - len(mark) + 1) {
		n, err := src.ReadAt(buf, from)
		if i := bytes.Index(buf[:n], []byte(mark)); i >= 0 {
			end := from + int64(i)
			eol := src.peek(max(off, end-2), int(min(2, end-off)))
			switch {
			case bytes.HasSuffix(eol, []byte("\r\n")):
				end -= 2
			case bytes.HasSuffix(eol, []byte("\n")), bytes.HasSuffix(eol, []byte("\r")):
				end--
			}
			return end - off, true
		}
		if err != nil || n < len(buf) {
			break
		}
	}
	return 0, false
}

package split

import (
	"bytes"
	"strconv"
)

// lexer takes a content stream apart. Arrays and dictionaries are not told from what they hold: no
// operator has two of them.
type lexer struct {
	text []byte
	pos  int
	args []operand // of the operator to come
	full bool      // there were more than mostOperands
}

// operand is a number, a name or a string.
type operand struct {
	kind   byte // 'n', '/', '(' or '<'
	number float64
	text   []byte // a name, or a string as it is written, without its delimiters
}

const mostOperands = 20_000

// next returns the next operator, empty at the end. Its operands are in args.
func (l *lexer) next() string {
	l.args = l.args[:0]
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case isBlank(rune(c)), c == '[', c == ']', c == '{', c == '}', c == '>', c == ')':
			l.pos++
		case c == '%':
			for l.pos < len(l.text) && l.text[l.pos] != '\n' && l.text[l.pos] != '\r' {
				l.pos++
			}
		case c == '(':
			l.add(operand{kind: c, text: l.literal()})
		case c == '<' && l.pos+1 < len(l.text) && l.text[l.pos+1] == '<':
			l.pos += 2
		case c == '<':
			l.pos++
			end := bytes.IndexByte(l.text[l.pos:], '>')
			if end < 0 {
				end = len(l.text) - l.pos
			}
			l.add(operand{kind: c, text: l.text[l.pos : l.pos+end]})
			l.pos += end
		case c == '/':
			l.pos++
			l.add(operand{kind: c, text: l.word()})
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
			word := l.word()
			l.add(operand{kind: 'n', number: decimal(word)})
		default:
			word := l.word()
			switch string(word) {
			case "true", "false", "null":
			default:
				return string(word)
			}
		}
	}
	return ""
}

func (l *lexer) add(o operand) {
	if len(l.args) >= mostOperands {
		l.full = true
		return
	}
	l.args = append(l.args, o)
}

func (l *lexer) word() []byte {
	start := l.pos
	for l.pos < len(l.text) && !isDelimiter(l.text[l.pos]) && !isBlank(rune(l.text[l.pos])) {
		l.pos++
	}
	return l.text[start:l.pos]
}

func (l *lexer) literal() []byte {
	s := l.text[l.pos+1:]
	end := closing(s)
	if end < 0 {
		l.pos = len(l.text)
		return s
	}
	l.pos += end + 2
	return s[:end]
}

// decimal reads the usual numbers by itself, as there are a great many of them.
func decimal(word []byte) float64 {
	i, negative, whole, scale := 0, false, 0.0, 0.0
	if word[0] == '-' || word[0] == '+' {
		negative = word[0] == '-'
		i++
	}
	for ; i < len(word); i++ {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			whole = 10*whole + float64(c-'0')
			scale *= 10
		case c == '.' && scale == 0:
			scale = 1
		default:
			f, err := strconv.ParseFloat(string(word), 64)
			if err != nil {
				return 0
			}
			return f
		}
	}
	if scale > 1 {
		whole /= scale
	}
	if negative {
		return -whole
	}
	return whole
}

// image skips the data of an inline image, whose dictionary is in args. It is false where the end
// cannot be found.
func (l *lexer) image() bool {
	if l.pos < len(l.text) && isBlank(rune(l.text[l.pos])) {
		l.pos++
	}
	if n, ok := l.imageSize(); ok && l.ends(l.pos+n) {
		l.pos += n
		l.next()
		return true
	}
	for from := l.pos; ; {
		i := bytes.Index(l.text[from:], []byte("EI"))
		if i < 0 {
			return false
		}
		from += i
		if l.ends(from) && (from == l.pos || isBlank(rune(l.text[from-1]))) {
			l.pos = from + len("EI")
			return true
		}
		from++
	}
}

// ends reports whether an EI stands at a place, or after a blank there, and text after it.
func (l *lexer) ends(at int) bool {
	for at < len(l.text) && isBlank(rune(l.text[at])) {
		at++
	}
	if at+2 > len(l.text) || string(l.text[at:at+2]) != "EI" {
		return false
	}
	const look = 16
	after := l.text[at+2 : min(at+2+look, len(l.text))]
	for i, c := range after {
		if i == 0 && !isBlank(rune(c)) || !isBlank(rune(c)) && (c < ' ' || c > '~') || c == 0 {
			return false
		}
	}
	return true
}

// imageSize returns how long the data of an inline image without a filter is.
func (l *lexer) imageSize() (int, bool) {
	width, height, bits, colours := 0.0, 0.0, 8.0, 0.0
	for i := 0; i+1 < len(l.args); i++ {
		key, value := l.args[i], l.args[i+1]
		if key.kind != '/' {
			continue
		}
		switch string(key.text) {
		case "W", "Width":
			width = value.number
		case "H", "Height":
			height = value.number
		case "BPC", "BitsPerComponent":
			bits = value.number
		case "F", "Filter":
			return 0, false
		case "IM", "ImageMask":
			bits, colours = 1, 1
		case "CS", "ColorSpace":
			colours = map[string]float64{"G": 1, "DeviceGray": 1, "RGB": 3, "DeviceRGB": 3, "CMYK": 4, "DeviceCMYK": 4}[string(value.text)]
		}
	}
	rows := width * bits * colours
	if rows <= 0 || height <= 0 || rows*height > 8*float64(len(l.text)) {
		return 0, false
	}
	return int((rows+7)/8) * int(height), true
}

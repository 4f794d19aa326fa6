package jsonlist

import "fmt"

// A SyntaxError is bytes that are no JSON.
type SyntaxError struct {
	Offset int64 // how many bytes were read, the wrong one included
	wrong  byte
	where  string
}

// Error is one line, in the words of [encoding/json].
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid character %q %s", rune(e.wrong), e.where)
}

// A scanner checks one JSON value, byte by byte, by the rules of [encoding/json]. It remembers what is
// open and nothing else.
type scanner struct {
	state state
	open  []byte // the objects and lists around, by their first byte
	key   bool   // the string is the name of a member
	rest  string // of a literal
	hex   int    // digits that are to come
}

// deepest is how many objects and lists may be inside each other: [encoding/json] decodes no more.
const deepest = 10_000

// A state is what was read last, or what has to come.
type state uint8

const (
	beginValue state = iota
	beginFirstValue
	beginKey
	beginFirstKey
	afterKey
	afterValue
	inString
	inEscape
	inHex
	inLiteral
	afterMinus // from here on numbers
	afterZero
	inInteger
	afterPoint
	inFraction
	afterE
	afterSign
	inExponent
	ended
)

// expected says what a wrong byte was met instead of.
var expected = [...]string{
	beginValue:      "looking for beginning of value",
	beginFirstValue: "looking for beginning of value",
	beginKey:        "looking for beginning of object key string",
	beginFirstKey:   "looking for beginning of object key string",
	afterKey:        "after object key",
	afterValue:      "after a value",
	inString:        "in string literal",
	inEscape:        "in string escape code",
	inHex:           `in \u hexadecimal character escape`,
	inLiteral:       "in literal true, false or null",
	afterMinus:      "in numeric literal",
	afterPoint:      "after decimal point in numeric literal",
	afterE:          "in exponent of numeric literal",
	afterSign:       "in exponent of numeric literal",
	ended:           "",
}

func (s *scanner) reset() { *s = scanner{open: s.open[:0]} }

// scan takes bytes up to the end of the value. It returns how many; with an error, how many before
// the wrong one.
func (s *scanner) scan(p []byte) (int, error) {
	for i := 0; i < len(p); i++ {
		if s.state == inString {
			if i += plain(p[i:]); i == len(p) {
				break
			}
		}
		if s.state >= afterMinus && s.numberEnds(p[i]) {
			if s.end(); s.state == ended {
				return i, nil
			}
		}
		before := s.state
		switch ok := s.step(p[i]); {
		case len(s.open) > deepest:
			return i, &SyntaxError{wrong: p[i], where: "inside of 10000 objects and lists"}
		case !ok:
			return i, &SyntaxError{wrong: p[i], where: expected[before]}
		}
		if s.state == ended {
			return i + 1, nil
		}
	}
	return len(p), nil
}

// plain returns how many bytes of a string are nothing but text.
func plain(p []byte) int {
	for i, c := range p {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(p)
}

// step takes a byte and reports whether it may be there.
func (s *scanner) step(c byte) bool {
	switch s.state {
	case inString:
		return s.stepString(c)
	case inEscape:
		return s.stepEscape(c)
	case inHex:
		s.hex--
		if s.hex == 0 {
			s.state = inString
		}
		return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case inLiteral:
		return s.stepLiteral(c)
	case beginValue, beginFirstValue, beginKey, beginFirstKey, afterKey, afterValue:
		return isSpace(c) || s.stepBetween(c)
	default:
		next, ok := number(s.state, c)
		s.state = next
		return ok
	}
}

// number takes a byte of a number that is after its first.
func number(now state, c byte) (next state, ok bool) {
	digit, e := isDigit(c), c == 'e' || c == 'E'
	switch {
	case now == afterMinus && c == '0':
		return afterZero, true
	case now == afterMinus || now == inInteger:
		next = inInteger
	case now == afterPoint || now == inFraction:
		next = inFraction
	case now == afterE && (c == '+' || c == '-'):
		return afterSign, true
	case now == afterE || now == afterSign || now == inExponent:
		next = inExponent
	}
	switch {
	case digit && now != afterZero:
		return next, true
	case c == '.' && (now == afterZero || now == inInteger):
		return afterPoint, true
	case e && (now == afterZero || now == inInteger || now == inFraction):
		return afterE, true
	default:
		return now, false
	}
}

// numberEnds reports whether there is a whole number before c, which is no part of it.
func (s *scanner) numberEnds(c byte) bool {
	switch s.state {
	case afterZero, inInteger, inFraction, inExponent:
		_, goesOn := number(s.state, c)
		return !goesOn
	default:
		return false
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (s *scanner) stepString(c byte) bool {
	switch c {
	case '\\':
		s.state = inEscape
	case '"':
		if s.key {
			s.key, s.state = false, afterKey
		} else {
			s.end()
		}
	default: // a control character
		return false
	}
	return true
}

func (s *scanner) stepEscape(c byte) bool {
	switch c {
	case 'u':
		s.hex, s.state = 4, inHex
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.state = inString
	default:
		return false
	}
	return true
}

func (s *scanner) stepLiteral(c byte) bool {
	if s.rest[0] != c {
		return false
	}
	if s.rest = s.rest[1:]; s.rest == "" {
		s.end()
	}
	return true
}

// stepBetween takes what is around strings, numbers and literals.
func (s *scanner) stepBetween(c byte) bool {
	switch s.state {
	case beginKey, beginFirstKey:
		switch {
		case c == '"':
			s.key, s.state = true, inString
		case c == '}' && s.state == beginFirstKey:
			s.close()
		default:
			return false
		}
		return true
	case afterKey:
		s.state = beginValue
		return c == ':'
	case afterValue:
		return s.stepAfter(c)
	case beginFirstValue:
		if c == ']' {
			s.close()
			return true
		}
		fallthrough
	default:
		return s.begin(c)
	}
}

// stepAfter takes what is after a value in a list or an object.
func (s *scanner) stepAfter(c byte) bool {
	object := s.open[len(s.open)-1] == '{'
	switch {
	case c == ',' && object:
		s.state = beginKey
	case c == ',':
		s.state = beginValue
	case c == '}' && object, c == ']' && !object:
		s.close()
	default:
		return false
	}
	return true
}

// begin takes the first byte of a value.
func (s *scanner) begin(c byte) bool {
	switch c {
	case '{', '[':
		s.state = beginFirstKey
		if c == '[' {
			s.state = beginFirstValue
		}
		s.open = append(s.open, c)
	case '"':
		s.state = inString
	case '-':
		s.state = afterMinus
	case '0':
		s.state = afterZero
	case 't':
		s.rest, s.state = "true"[1:], inLiteral
	case 'f':
		s.rest, s.state = "false"[1:], inLiteral
	case 'n':
		s.rest, s.state = "null"[1:], inLiteral
	default:
		s.state = inInteger
		return '1' <= c && c <= '9'
	}
	return true
}

func (s *scanner) close() {
	s.open = s.open[:len(s.open)-1]
	s.end()
}

// end ends a value.
func (s *scanner) end() {
	s.state = afterValue
	if len(s.open) == 0 {
		s.state = ended
	}
}

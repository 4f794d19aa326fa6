package split

import (
	"math"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// The spelling of objects in a file. pdfcpu keeps strings as they were written, with their escapes,
// and names decoded.

func appendName(b []byte, name string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '/')
	for i := range len(name) {
		c := name[i]
		if c < '!' || c > '~' || isDelimiter(c) || c == '#' {
			b = append(b, '#', digits[c>>4], digits[c&15])
			continue
		}
		b = append(b, c)
	}
	return b
}

// appendScalar writes anything but arrays, dictionaries, streams and references; what is none of
// those is null.
func appendScalar(b []byte, o types.Object) []byte {
	switch o := o.(type) {
	case types.Name:
		return appendName(b, string(o))
	case types.Integer:
		return strconv.AppendInt(b, int64(o), 10)
	case types.Float:
		if f := float64(o); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return strconv.AppendFloat(b, f, 'f', -1, 64)
		}
		return append(b, '0')
	case types.Boolean:
		return strconv.AppendBool(b, bool(o))
	case types.StringLiteral:
		b = append(b, '(')
		b = append(b, o...)
		return append(b, ')')
	case types.HexLiteral:
		b = append(b, '<')
		b = append(b, strings.ToUpper(string(o))...) // pdfcpu keeps no other spelling
		return append(b, '>')
	}
	return append(b, "null"...)
}

// closing returns where the bracket is that closes a string, given what follows the opening one; -1
// for none.
func closing[T string | []byte](s T) int {
	open := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

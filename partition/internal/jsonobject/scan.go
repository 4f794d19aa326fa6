package jsonobject

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"unicode/utf8"
)

// All yields the members of an object in their order, repeated ones too. The object must be valid
// JSON, and must not change: members share its bytes.
func All(object []byte) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for key, value := range pairs(object) {
			if !yield(Member{Name: Text(key), Key: key, Value: value}) {
				return
			}
		}
	}
}

// pairs yields the names of the members, as they are spelled, with their values.
func pairs(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		rest := blanks(blanks(object)[1:])
		for rest[0] != '}' {
			key, after := cut(rest)
			value, next := cut(blanks(blanks(after)[1:])) // behind the colon
			if !yield(key, value) {
				return
			}
			if rest = blanks(next); rest[0] == ',' {
				rest = blanks(rest[1:])
			}
		}
	}
}

// An Index says which members of an object are wanted, and where.
type Index map[string]int

// Read sets the values of the members of an object that is valid JSON: of a repeated one the last, of
// one that is not there nil.
func (x Index) Read(object []byte, values [][]byte) {
	clear(values)
	for key, value := range pairs(object) {
		i, wanted := x[string(key[1:len(key)-1])]
		if !wanted && bytes.IndexByte(key, '\\') >= 0 {
			i, wanted = x[Text(key)]
		}
		if wanted {
			values[i] = value
		}
	}
}

// Text returns the text of a string that is valid JSON, "" for another value or
// none.
func Text(quoted []byte) string {
	if len(quoted) == 0 || quoted[0] != '"' {
		return ""
	}
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // it is valid JSON
	return text
}

// Whole returns a whole number, however it is spelled: 3, 3.0 or 3e0. ok is false for anything else.
func Whole(value []byte) (n int, ok bool) {
	if n, err := strconv.Atoi(string(value)); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// Items yields the values of a list that is valid JSON.
func Items(list []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := blanks(blanks(list)[1:])
		for rest[0] != ']' {
			value, next := cut(rest)
			if !yield(value) {
				return
			}
			if rest = blanks(next); rest[0] == ',' {
				rest = blanks(rest[1:])
			}
		}
	}
}

// Depth returns how deep lists and objects are nested in a value that is valid JSON: 0 for a text,
// 1 for a list of texts.
func Depth(value []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			i += quotedLen(value[i:]) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// cut cuts off the value at the beginning of valid JSON.
func cut(data []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '"':
			i += quotedLen(data[i:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 {
				n := i + bytes.IndexAny(data[i:], ",]} \t\r\n:") // a number or a literal
				return data[:n:n], data[n:]
			}
			continue
		}
		if depth == 0 {
			return data[: i+1 : i+1], data[i+1:]
		}
	}
	return data, nil
}

// quotedLen is the length of the string at the beginning of valid JSON, with its quotes.
func quotedLen(data []byte) int {
	for at := 1; ; {
		end := bytes.IndexByte(data[at:], '"')
		if end < 0 {
			return len(data)
		}
		at += end
		escapes := 0
		for data[at-1-escapes] == '\\' {
			escapes++
		}
		at++
		if escapes%2 == 0 {
			return at
		}
	}
}

// blanks cuts off the white space at the beginning.
func blanks(data []byte) []byte {
	for len(data) > 0 && (data[0] == ' ' || data[0] == '\n' || data[0] == '\t' || data[0] == '\r') {
		data = data[1:]
	}
	return data
}

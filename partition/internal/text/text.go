// Package text makes foreign text fit for one line of a message.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns foreign text, such as a file name or a server's words, fit for one line on a
// terminal: control characters, line and paragraph separators, characters that turn the direction
// of text, and bytes that are not UTF-8 become escapes.
func Printable(s string) string {
	clean := func(r rune) bool { return r != utf8.RuneError && (unicode.IsGraphic(r) && !isSeparator(r)) }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case clean(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

func isSeparator(r rune) bool { return r == '\u2028' || r == '\u2029' }

// Shorten cuts s to at most n bytes at a rune's boundary and says so with an ellipsis.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Count is a number with its noun: 1 page, 2 pages.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bytes is a number of bytes in the largest unit in which it is a whole number: 8 GiB, 1500 bytes.
func Bytes(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	unit := 0
	for ; n >= 1<<10 && n%(1<<10) == 0 && unit < len(units)-1; unit++ {
		n >>= 10
	}
	return fmt.Sprintf("%d %s", n, units[unit])
}

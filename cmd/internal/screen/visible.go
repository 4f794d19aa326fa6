package screen

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// Visible returns a writer to w. If w is a terminal, characters that would steer it are written as
// JSON writes them, such as \u001b: foreign text neither moves the cursor nor colours the screen nor
// reaches the clipboard, and JSON stays JSON with the same values. Anything else gets the bytes as
// they are. A carriage return or a part of a character at the very end may stay unwritten.
func Visible(w io.Writer) io.Writer {
	if !IsTerminal(w) {
		return w
	}
	return &visibleWriter{w: w, terminal: w.(interface{ Fd() uintptr })}
}

type visibleWriter struct {
	w        io.Writer
	terminal interface{ Fd() uintptr }
	rest     []byte // what the next bytes decide on
}

// Write writes everything that is decided, or returns an error.
func (v *visibleWriter) Write(p []byte) (int, error) {
	shown, rest := visible(append(v.rest, p...), false)
	v.rest = bytes.Clone(rest)
	if _, err := v.w.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Fd is the terminal's.
func (v *visibleWriter) Fd() uintptr { return v.terminal.Fd() }

// visible returns the text with its controls as escapes. rest is what more text would decide on; of
// whole text there is none.
func visible(text []byte, whole bool) (shown, rest []byte) {
	shown = make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case !whole && (r == utf8.RuneError && !utf8.FullRune(text) || r == '\r' && len(text) == 1):
			return shown, text
		case steers(r) || r == '\r' && (len(text) == 1 || text[1] != '\n'):
			shown = fmt.Appendf(shown, `\u%04x`, r)
		default:
			shown = utf8.AppendRune(shown, r)
		}
		text = text[size:]
	}
	return shown, nil
}

// steers reports whether a terminal may obey a character: control characters other than line ends
// and tabs, and those that override the direction of the text that follows.
func steers(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return false
	case r < 0x20, 0x7f <= r && r <= 0x9f:
		return true
	default:
		return 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
	}
}

package partition

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A redactor takes secrets out of texts that others wrote, however they spelled them: in another
// letter case, escaped for JSON, HTML, URLs or source code, also twice, as base64 or hexadecimal,
// backwards, and also where only a part of a secret is there because somebody cut the text.
type redactor struct {
	spellings []string // lower case
	most      int      // bytes of the longest secret
}

// fragment is how many characters of a secret in a row are taken for the secret. Shorter runs occur
// in ordinary words.
const fragment = 6

// layers is how often a text may have been escaped.
const layers = 4

func newRedactor(secrets ...string) *redactor {
	r := &redactor{}
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); secret == "" {
			continue
		}
		r.most = max(r.most, len(secret))
		for _, spelling := range spellings(secret) {
			if spelling = string(newView(spelling).text); !slices.Contains(r.spellings, spelling) {
				r.spellings = append(r.spellings, spelling)
			}
		}
	}
	return r
}

// with returns a redactor that takes out these secrets as well.
func (r *redactor) with(secrets ...string) *redactor {
	more := newRedactor(secrets...)
	more.spellings = append(more.spellings, r.spellings...)
	more.most = max(more.most, r.most)
	return more
}

// longest is how many bytes a spelling of a secret can have at most: six for each byte of the
// secret, as in \u0041.
func (r *redactor) longest() int {
	if r == nil {
		return 0
	}
	return 6 * r.most
}

// spellings are the forms of a secret that no unescaping leads back to it.
func spellings(secret string) []string {
	backwards := []byte(secret)
	slices.Reverse(backwards)
	forms := []string{secret, string(backwards), hex.EncodeToString([]byte(secret))}
	for shift := range 3 { // what stands before a secret shifts its base64
		encoded := base64.StdEncoding.EncodeToString(append(make([]byte, shift), secret...))
		skip, tail := []int{0, 2, 3}[shift], len(strings.TrimRight(encoded, "="))
		if (len(secret)+shift)%3 != 0 {
			tail-- // the last character depends on what follows
		}
		forms = append(forms, encoded[skip:tail], strings.NewReplacer("+", "-", "/", "_").Replace(encoded[skip:tail]))
	}
	return forms
}

// redact returns s with every part of a secret replaced by [redacted]. Call it before a text is
// shortened.
func (r *redactor) redact(s string) string {
	if r == nil || len(r.spellings) == 0 || s == "" {
		return s
	}
	hidden := make([]bool, len(s))
	found := false
	v := newView(s)
	for range layers {
		found = r.hide(v, hidden) || found
		found = r.hide(v.dense(), hidden) || found
		next := v.unescaped()
		if len(next.text) == len(v.text) {
			break
		}
		v = next
	}
	if !found {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if !hidden[i] {
			b.WriteByte(s[i])
		} else if i == 0 || !hidden[i-1] {
			b.WriteString(redacted)
		}
	}
	return b.String()
}

// hide marks where a view shows a spelling, or at least fragment bytes of it in a row, or its
// beginning where the text ends.
func (r *redactor) hide(v view, hidden []bool) bool {
	found := false
	mark := func(from, to int) {
		found = true
		for i := v.from[from]; i < v.until[to-1]; i++ {
			hidden[i] = true
		}
	}
	text := string(v.text)
	for _, spelling := range r.spellings {
		run := min(fragment, len(spelling))
		for start := 0; start+run <= len(spelling); start++ {
			piece := spelling[start : start+run]
			for at := 0; ; {
				i := strings.Index(text[at:], piece)
				if i < 0 {
					break
				}
				mark(at+i, at+i+run)
				at += i + 1
			}
		}
		for n := run - 1; n >= 3; n-- {
			if strings.HasSuffix(text, spelling[:n]) {
				mark(len(text)-n, len(text))
				break
			}
		}
	}
	return found
}

// A view is a text in another spelling, in lower case, that knows where each of its bytes comes
// from.
type view struct {
	text        []byte
	from, until []int // where in the original each byte begins and ends
}

func newView(s string) view {
	v := view{text: []byte(s), from: make([]int, len(s)), until: make([]int, len(s))}
	for i, c := range v.text {
		v.text[i], v.from[i], v.until[i] = lower(c), i, i+1
	}
	return v
}

// lower is strings.ToLower for one byte; of what is not ASCII the length would change.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// dense leaves out what may stand between the characters of a code: blanks and punctuation.
func (v view) dense() view {
	var d view
	for i, c := range v.text {
		if !strings.ContainsRune(" \t\r\n:,;.-_", rune(c)) {
			d.text, d.from, d.until = append(d.text, c), append(d.from, v.from[i]), append(d.until, v.until[i])
		}
	}
	return d
}

// unescaped reads one layer of escapes: those of JSON and source code, of URLs, of HTML.
func (v view) unescaped() view {
	var u view
	for i := 0; i < len(v.text); {
		char, length := unescape(v.text[i:])
		for _, c := range []byte(char) {
			u.text, u.from, u.until = append(u.text, lower(c)), append(u.from, v.from[i]), append(u.until, v.until[i+length-1])
		}
		i += length
	}
	return u
}

// unescape returns what a text begins with, and how many bytes that takes.
func unescape(text []byte) (char string, length int) {
	s := string(text[:min(len(text), 12)])
	switch {
	case len(s) < 2:
	case s[0] == '%':
		if n, ok := number(s[1:min(len(s), 3)], 16, 2); ok {
			return string([]byte{byte(n)}), 3
		}
	case s[0] == '&':
		if end := strings.IndexByte(s, ';'); end > 0 {
			if decoded := html.UnescapeString(s[:end+1]); decoded != s[:end+1] {
				return decoded, end + 1
			}
		}
	case s[0] == '\\':
		return unescapeBackslash(s)
	}
	return s[:1], 1
}

func unescapeBackslash(s string) (char string, length int) {
	switch c := s[1]; {
	case c == 'u' && len(s) > 2 && s[2] == '{':
		if end := strings.IndexByte(s, '}'); end > 0 {
			if n, ok := number(s[3:end], 16, 0); ok {
				return string(rune(n)), end + 1
			}
		}
	case c == 'u':
		if n, ok := number(s[2:min(len(s), 6)], 16, 4); ok {
			return string(rune(n)), 6
		}
	case c == 'x':
		if n, ok := number(s[2:min(len(s), 4)], 16, 2); ok {
			return string([]byte{byte(n)}), 4
		}
	case '0' <= c && c <= '7':
		if n, ok := number(s[1:min(len(s), 4)], 8, 3); ok && n < 256 {
			return string([]byte{byte(n)}), 4
		}
	case strings.IndexByte(`/"'\`, c) >= 0:
		return s[1:2], 2
	}
	return s[:1], 1
}

// number reads digits; digits is how many there must be, 0 any number.
func number(s string, base, digits int) (int64, bool) {
	if digits > 0 && len(s) != digits {
		return 0, false
	}
	n, err := strconv.ParseInt(s, base, 32)
	return n, err == nil && n >= 0 && n <= utf8.MaxRune
}

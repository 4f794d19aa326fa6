package partition

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A redactor takes secrets out of texts that others wrote. Its rule: of a secret, no eight
// characters in a row are shown if one of them is a digit, and no sixteen of any kind; a secret of
// eight to fifteen characters is not shown whole. It knows them in any letter case, escaped for
// JSON, HTML, URLs or source code, also twice, as base64 or hexadecimal, spaced out, and backwards.
//
// A secret of fewer than eight characters is not searched for, as it could be a part of any word.
type redactor struct {
	sets []runs
	most int // bytes of the longest secret
}

// runs are the eight bytes in a row that occur in the spellings of secrets, each as one number. The
// value is how many bytes in a row are the secret although none is a digit.
type runs map[uint64]int

const (
	shortest = 8  // bytes of a secret, and of a run
	wordless = 16 // bytes in a row that are in no ordinary word
)

// layers is how often a text may have been escaped.
const layers = 4

func newRedactor(secrets ...string) *redactor { return (&redactor{}).with(secrets...) }

// with returns a redactor that takes out these secrets as well.
func (r *redactor) with(secrets ...string) *redactor {
	set, more := runs{}, &redactor{most: r.most}
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); len(secret) < shortest {
			continue
		}
		more.most = max(more.most, len(secret))
		for _, spelling := range spellings(secret) {
			v := newView(spelling)
			set.add(v.text)
			set.add(v.dense().text)
		}
	}
	if len(set) == 0 {
		return r
	}
	more.sets = append(slices.Clone(r.sets), set)
	return more
}

func (set runs) add(spelling []byte) {
	most := min(len(spelling), wordless)
	var run uint64
	for i, c := range spelling {
		if run = run<<8 | uint64(c); i+1 < shortest {
			continue
		}
		if known, ok := set[run]; !ok || most < known {
			set[run] = most
		}
	}
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
	if latin := fromLatin1(secret); latin != secret {
		forms = append(forms, latin)
	}
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

// fromLatin1 is what becomes of UTF-8 that a server takes for Latin-1, as many do with headers.
func fromLatin1(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// redact returns s with every part of a secret replaced by [redacted]. Call it before a text is
// shortened. Its time is proportional to the length of s.
func (r *redactor) redact(s string) string {
	if r == nil || len(r.sets) == 0 || len(s) < shortest {
		return s
	}
	hidden := make([]bool, len(s))
	found := false
	v := newView(s)
	for range layers {
		for _, set := range r.sets {
			found = set.hide(v, hidden) || found
			found = set.hide(v.dense(), hidden) || found
		}
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
	for i, last := 0, false; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		hide := slices.Contains(hidden[i:i+size], true)
		if !hide {
			b.WriteString(s[i : i+size])
		} else if !last {
			b.WriteString(redacted)
		}
		i, last = i+size, hide
	}
	return b.String()
}

// hide marks where a view shows more of a secret than may be shown.
func (set runs) hide(v view, hidden []bool) bool {
	var run uint64
	from, most, digit, found := -1, 0, false, false // the part of a secret that the text is in
	end := func(to int) {
		if from < 0 || !digit && to-from < most {
			return
		}
		found = true
		for i := v.from[from]; i < v.until[to-1]; i++ {
			hidden[i] = true
		}
	}
	for i, c := range v.text {
		run = run<<8 | uint64(c)
		length, ok := set[run]
		switch {
		case i+1 < shortest:
		case !ok:
			end(i)
			from = -1
		case from < 0:
			from, most, digit = i+1-shortest, length, bytes.ContainsAny(v.text[i+1-shortest:i+1], digits)
		default:
			most, digit = min(most, length), digit || strings.IndexByte(digits, c) >= 0
		}
	}
	end(len(v.text))
	return found
}

const digits = "0123456789"

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
	d := view{text: make([]byte, 0, len(v.text)), from: make([]int, 0, len(v.text)), until: make([]int, 0, len(v.text))}
	for i, c := range v.text {
		switch c {
		case ' ', '\t', '\r', '\n', ':', ',', ';', '.', '-', '_', '+':
		default:
			d.text, d.from, d.until = append(d.text, c), append(d.from, v.from[i]), append(d.until, v.until[i])
		}
	}
	return d
}

// unescaped reads one layer of escapes: those of JSON and source code, of URLs, of HTML.
func (v view) unescaped() view {
	u := view{text: make([]byte, 0, len(v.text)), from: make([]int, 0, len(v.text)), until: make([]int, 0, len(v.text))}
	for i := 0; i < len(v.text); {
		if c := v.text[i]; c != '%' && c != '&' && c != '\\' {
			u.text, u.from, u.until = append(u.text, c), append(u.from, v.from[i]), append(u.until, v.until[i])
			i++
			continue
		}
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
			if low, ok := lowSurrogate(s[6:]); ok && utf16.IsSurrogate(rune(n)) {
				return string(utf16.DecodeRune(rune(n), low)), 12
			}
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

// lowSurrogate reads the second half of a character that JSON writes as two escapes.
func lowSurrogate(s string) (rune, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, ok := number(s[2:6], 16, 4)
	return rune(n), ok && 0xdc00 <= n && n <= 0xdfff
}

// number reads digits; digits is how many there must be, 0 any number.
func number(s string, base, digits int) (int64, bool) {
	if digits > 0 && len(s) != digits {
		return 0, false
	}
	n, err := strconv.ParseInt(s, base, 32)
	return n, err == nil && n >= 0 && n <= utf8.MaxRune
}

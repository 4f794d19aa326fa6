// Package secret takes secrets out of what a person, a log or a caller sees.
package secret

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

// A Redactor takes secrets out of texts that others wrote. Its rule: of a secret, no six characters
// in a row are shown if one of them is a digit, and no sixteen of any kind; a secret of eight to
// fifteen characters is not shown whole. At the end of a text, which may have been cut, its first
// four are enough. It knows secrets in any letter case, escaped for JSON, HTML, URLs, mail or source
// code, also twice, as base64 or hexadecimal, with blanks and punctuation in between, and backwards.
//
// A secret of fewer than eight characters is not searched for, as it could be a part of any word.
type Redactor struct {
	sets []set
	most int // bytes of the longest secret
}

// A set is what is known of some secrets.
type set struct {
	// runs are the six bytes in a row that occur in the spellings, each as one number. The value is
	// how many bytes in a row are the secret although none is a digit.
	runs map[uint64]int
	// heads are the first bytes of the spellings, of the lengths headLengths.
	heads map[string]bool
}

// Redacted stands where a secret was.
const Redacted = "[redacted]"

const (
	shortest = 8  // bytes of a secret
	runBytes = 6  // bytes of a run
	wordless = 16 // bytes in a row that are in no ordinary word

	runMask = 1<<(8*runBytes) - 1
)

// headLengths are how many bytes at the end of a text are the beginning of a secret.
var headLengths = []int{5, 4}

// layers is how often a text may have been escaped.
const layers = 4

// New returns a redactor of these secrets.
func New(secrets ...string) *Redactor { return (&Redactor{}).With(secrets...) }

// With returns a Redactor that takes out these secrets as well.
func (r *Redactor) With(secrets ...string) *Redactor {
	known, more := set{runs: map[uint64]int{}, heads: map[string]bool{}}, &Redactor{most: r.most}
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); len(secret) < shortest {
			continue
		}
		more.most = max(more.most, len(secret))
		for _, spelling := range spellings(secret) {
			for v, shorter := newView(spelling), true; shorter; { // it may look as if it was escaped
				known.add(v.text)
				known.add(v.dense().text)
				next := v.unescaped()
				shorter = len(next.text) < len(v.text)
				v = next
			}
		}
	}
	if len(known.runs) == 0 {
		return r
	}
	more.sets = append(slices.Clone(r.sets), known)
	return more
}

func (k *set) add(spelling []byte) {
	most := min(len(spelling), wordless)
	var run uint64
	for i, c := range spelling {
		if run = (run<<8 | uint64(c)) & runMask; i+1 < runBytes {
			continue
		}
		if least, ok := k.runs[run]; !ok || most < least {
			k.runs[run] = most
		}
	}
	for _, n := range headLengths {
		if len(spelling) >= shortest && bytes.ContainsAny(spelling[:n], digits) {
			k.heads[string(spelling[:n])] = true
		}
	}
}

// Longest is how many bytes a spelling of a secret can have at most: six for each byte of the
// secret, as in \u0041.
func (r *Redactor) Longest() int {
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
	for _, form := range []string{fromLatin1(secret), strings.ReplaceAll(secret, "+", " ")} {
		if form != secret {
			forms = append(forms, form)
		}
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

// Redact returns s with every part of a secret replaced by [redacted]. Call it before a text is
// shortened. Its time is proportional to the length of s.
func (r *Redactor) Redact(s string) string {
	if r == nil || len(r.sets) == 0 || s == "" {
		return s
	}
	hidden := make([]bool, len(s))
	written := newView(s)
	found := r.hide(written, hidden)
	if bytes.IndexByte(written.text, '+') >= 0 {
		found = r.hide(written.plusBlank(), hidden) || found
	}
	if bytes.IndexByte(written.text, '=') >= 0 {
		found = r.hide(written.unquoted(), hidden) || found
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
			b.WriteString(Redacted)
		}
		i, last = i+size, hide
	}
	return b.String()
}

// hide marks where a text shows more of a secret than may be shown, as it is or escaped.
func (r *Redactor) hide(v view, hidden []bool) bool {
	found := false
	for range layers {
		dense := v.dense()
		for i := range r.sets {
			found = r.sets[i].hide(v, hidden) || found
			found = r.sets[i].hide(dense, hidden) || found
		}
		next := v.unescaped()
		if len(next.text) == len(v.text) {
			break
		}
		v = next
	}
	return found
}

func (k *set) hide(v view, hidden []bool) bool {
	var run uint64
	from, most, digit, found := -1, 0, false, false // the part of a secret that the text is in
	mark := func(from, to int) {
		found = true
		for ; to-from > 1 && v.text[from] == ' '; from++ { // a blank at its ends is the text's
		}
		for ; to-from > 1 && v.text[to-1] == ' '; to-- {
		}
		for i := v.from[from]; i < v.until[to-1]; i++ {
			hidden[i] = true
		}
	}
	end := func(to int) {
		if from >= 0 && (digit || to-from >= most) {
			mark(from, to)
		}
	}
	for i, c := range v.text {
		run = (run<<8 | uint64(c)) & runMask
		length, ok := k.runs[run]
		switch {
		case i+1 < runBytes:
		case !ok:
			end(i)
			from = -1
		case from < 0:
			from, most, digit = i+1-runBytes, length, bytes.ContainsAny(v.text[i+1-runBytes:i+1], digits)
		default:
			most, digit = min(most, length), digit || strings.IndexByte(digits, c) >= 0
		}
	}
	end(len(v.text))
	for _, n := range headLengths {
		if start := len(v.text) - n; start >= 0 && k.heads[string(v.text[start:])] {
			mark(start, len(v.text))
			break
		}
	}
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

// less returns an empty view for what becomes of v.
func (v view) less() view {
	return view{text: make([]byte, 0, len(v.text)), from: make([]int, 0, len(v.text)), until: make([]int, 0, len(v.text))}
}

// put appends text, which stands for length bytes of v from i on.
func (u *view) put(text string, v view, i, length int) {
	for _, c := range []byte(text) {
		u.text, u.from, u.until = append(u.text, lower(c)), append(u.from, v.from[i]), append(u.until, v.until[i+length-1])
	}
}

// dense leaves out what may stand between the characters of a code: all but letters and digits.
func (v view) dense() view {
	d := v.less()
	for i, c := range v.text {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf {
			d.text, d.from, d.until = append(d.text, c), append(d.from, v.from[i]), append(d.until, v.until[i])
		}
	}
	return d
}

// plusBlank has a blank for each plus, as in a URL's query.
func (v view) plusBlank() view {
	v.text = bytes.ReplaceAll(v.text, []byte("+"), []byte(" "))
	return v
}

// unquoted reads the escapes of mail (quoted-printable): =41, and a = at the end of a line.
func (v view) unquoted() view {
	u := v.less()
	for i := 0; i < len(v.text); {
		char, length := string(v.text[i:i+1]), 1
		if rest := v.text[i+1:]; char == "=" {
			n, ok := number(string(rest[:min(len(rest), 2)]), 16, 2)
			switch {
			case ok:
				char, length = string([]byte{byte(n)}), 3
			case bytes.HasPrefix(rest, []byte("\r\n")):
				char, length = "", 3
			case bytes.HasPrefix(rest, []byte("\n")):
				char, length = "", 2
			}
		}
		u.put(char, v, i, length)
		i += length
	}
	return u
}

// unescaped reads one layer of escapes: those of JSON and source code, of URLs, of HTML.
func (v view) unescaped() view {
	u := v.less()
	for i := 0; i < len(v.text); {
		if c := v.text[i]; c != '%' && c != '&' && c != '\\' {
			u.text, u.from, u.until = append(u.text, c), append(u.from, v.from[i]), append(u.until, v.until[i])
			i++
			continue
		}
		char, length := unescape(v.text[i:])
		u.put(char, v, i, length)
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
			if long, ok := number(s[2:min(len(s), 10)], 16, 8); ok && n <= utf8.MaxRune>>16 { // written as \U, of no control character
				return string(rune(long)), 10
			}
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
	case strings.IndexByte("abfnrtv", c) >= 0:
		return " ", 2 // blanks and the like
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

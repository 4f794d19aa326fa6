package partition

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
)

// A redactor takes secrets out of texts that others wrote, however they spelled them: letter case, escapes of JSON, HTML and
// URLs, base64 and hexadecimal, and also where only a part of a secret is there because somebody cut the text.
type redactor struct {
	spellings []string // lower case
}

// fragment is how many characters of a secret in a row are taken for the secret. Shorter runs occur in ordinary words.
const fragment = 8

func newRedactor(secrets ...string) *redactor {
	r := &redactor{}
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); secret == "" {
			continue
		}
		for _, spelling := range spellings(secret) {
			if spelling = strings.ToLower(spelling); !slices.Contains(r.spellings, spelling) {
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
	return more
}

func spellings(secret string) []string {
	quoted, _ := json.Marshal(secret)
	var percent, unicodeEscapes, hexEscapes, decimals, hexadecimals strings.Builder
	for i := range len(secret) {
		fmt.Fprintf(&percent, "%%%02x", secret[i])
		fmt.Fprintf(&unicodeEscapes, `\u%04x`, secret[i])
		fmt.Fprintf(&hexEscapes, `\x%02x`, secret[i])
		fmt.Fprintf(&decimals, "&#%d;", secret[i])
		fmt.Fprintf(&hexadecimals, "&#x%x;", secret[i])
	}
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1 : len(quoted)-1]), html.EscapeString(secret),
		percent.String(), unicodeEscapes.String(), hexEscapes.String(), decimals.String(), hexadecimals.String(),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		hex.EncodeToString([]byte(secret)),
	}
}

// redact returns s with every part of a secret replaced by [redacted]. Call it before a text is shortened.
func (r *redactor) redact(s string) string {
	if r == nil || len(r.spellings) == 0 || s == "" {
		return s
	}
	lower := asciiLower(s)
	hidden := make([]bool, len(s))
	found := false
	for _, spelling := range r.spellings {
		found = hide(lower, spelling, hidden) || found
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

// hide marks where text shows the spelling, or at least fragment bytes of it in a row, or its beginning where the text ends.
func hide(text, spelling string, hidden []bool) bool {
	found := false
	mark := func(from, to int) {
		found = true
		for i := from; i < to; i++ {
			hidden[i] = true
		}
	}
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
	return found
}

// asciiLower is strings.ToLower that changes no offset.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

package split

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// parseOdd reads an object that is not written by the book, with pdfcpu. It reports whether the
// text has the end of the object.
func (p parsed) parseOdd(text []byte, at int64, depth int) (parsed, bool, error) {
	if i := anyObject.FindIndex(text); i != nil {
		text = append(text[:i[0]:i[0]], " endobj"...) // it ends where the next one starts
	}
	end, start, err := model.DetectKeywordsWithContext(context.Background(), string(text))
	if err != nil {
		return p, false, err
	}
	for start > 0 && (end < 0 || start < end) && !bytes.HasSuffix(bytes.TrimRight(text[:start], "\x00\t\n\f\r "), []byte(">>")) {
		further := bytes.Index(text[start+len("stream"):], []byte("stream"))
		if further < 0 {
			start = -1
			break
		}
		start += len("stream") + further
	}
	isStream := start > 0 && (end < 0 || start < end)
	var line []byte
	switch {
	case isStream:
		line = text[:start]
	case end >= 0:
		line = text[:end]
	default:
		return p, false, nil
	}
	p.text, p.end = len(line), at+int64(len(line))
	if p.object, err = parseLeniently(string(line), depth); err != nil {
		return p, true, err
	}
	if d, ok := p.object.(types.Dict); ok && isStream {
		skip := start + len("stream")
		for skip < len(text) && text[skip] == ' ' {
			skip++
		}
		if skip+2 > len(text) {
			return p, false, nil
		}
		p.object, p.end = &stream{Dict: d}, at+int64(skip+lineEnd(string(text[skip:skip+2])))
	}
	return p, true, nil
}

var anyObject = regexp.MustCompile(`\b\d+` + blanks + `+\d+` + blanks + `+obj\b`)

var errPassedOver = errors.New("a part of it is passed over")

// parseLeniently reads an object with pdfcpu, which makes sense of much, and passes over the rest.
// What leaves out a name or a reference is an error: another reader may make sense of that.
func parseLeniently(text string, depth int) (types.Object, error) {
	if blank(text) {
		return nil, nil
	}
	rest := text
	o, err := model.ParseObjectContext(context.Background(), &rest, 0, depth)
	if err != nil {
		return nil, err
	}
	var written, kept tally
	written.text(text)
	kept.object(o)
	if written != kept || strings.Contains(rest, "stream") {
		return nil, errPassedOver
	}
	return o, nil
}

// tally counts what an object consists of, but for nulls: an entry that is null is none.
type tally struct{ names, references, scalars, unknown int }

func (t *tally) object(o types.Object) {
	switch o := o.(type) {
	case nil:
	case types.Dict:
		for _, value := range o {
			if value != nil {
				t.names++
				t.object(value)
			}
		}
	case types.Array:
		for _, value := range o {
			t.object(value)
		}
	case types.Name:
		t.names++
	case types.IndirectRef:
		t.references++
	default:
		t.scalars++
	}
}

// text counts in the text of an object.
func (t *tally) text(text string) {
	r := parser{text: text}
	key := false // the last word may be the key of a null
	for r.pos < len(text) {
		start := r.pos
		switch c := text[r.pos]; {
		case isBlank(rune(c)):
			r.pos++
			continue
		case c == '%':
			for r.pos < len(text) && text[r.pos] != '\n' && text[r.pos] != '\r' {
				r.pos++
			}
			continue
		case c == '/':
			for r.pos++; r.within(); {
				r.pos++
			}
			t.names++
			key = true
			continue
		case c == '(':
			if _, ok := r.literal(); !ok {
				t.unknown++
				return
			}
			t.scalars++
		case c == '<' && !strings.HasPrefix(text[r.pos:], "<<"):
			end := strings.IndexByte(text[r.pos:], '>')
			if end < 0 {
				t.unknown++
				return
			}
			r.pos += end + 1
			t.scalars++
		case isDelimiter(c):
			r.pos += 1 + r.twice(c)
		case r.word("R"):
			t.references++
			t.scalars -= 2
		case r.word("null"):
			if key {
				t.names--
			}
		default:
			for r.within() {
				r.pos++
			}
			t.word(text[start:r.pos])
		}
		key = false
	}
}

// twice returns 1 before the second bracket of a dictionary.
func (p *parser) twice(c byte) int {
	if (c == '<' || c == '>') && p.pos+1 < len(p.text) && p.text[p.pos+1] == c {
		return 1
	}
	return 0
}

// word counts a word that is neither null nor a name. pdfcpu makes 0 of a number that is too large.
func (t *tally) word(word string) {
	if _, err := strconv.Atoi(word); errors.Is(err, strconv.ErrRange) {
		t.unknown++
		return
	}
	if word == "true" || word == "false" || strings.Trim(word, "+-.0123456789") == "" {
		t.scalars++
	} else {
		t.unknown++
	}
}

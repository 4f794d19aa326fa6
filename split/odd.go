package split

import (
	"bytes"
	"context"
	"errors"
	"regexp"
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
	line := text
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

// tally counts what an object consists of.
type tally struct{ names, references int }

func (t *tally) object(o types.Object) {
	switch o := o.(type) {
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
	}
}

// text counts in the text of an object. An entry that is null counts for nothing, as it is none.
func (t *tally) text(text string) {
	r := parser{text: text}
	keyAtEnd := false // the last word is a name that may be the key of a null
	for r.pos < len(text) {
		start := r.pos
		switch c := text[r.pos]; {
		case c == '(':
			if _, ok := r.literal(); !ok {
				return
			}
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
			keyAtEnd = true
			continue
		case isBlank(rune(c)):
			r.pos++
			continue
		case r.word("R"):
			t.references++
		case r.word("null") && keyAtEnd:
			t.names--
		default:
			r.pos = max(r.pos, start+1)
			for r.pos > start && r.within() && !isDelimiter(c) {
				r.pos++
			}
		}
		keyAtEnd = false
	}
}

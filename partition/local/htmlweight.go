package local

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxTree        = 96 << 20 // bytes that the nodes of a page may take, by the estimate below
	nodeBytes      = 128      // of a node and the text after it
	attributeBytes = 64
	maxToken       = 2 << 20 // bytes of a tag or a text; behind a longer one, the page counts as nothing but tags
	maxReopened    = 8       // nodes that one tag opens again: three b and i each, an a and a nobr
)

// weighHTML refuses a page whose nodes would take more than maxTree, which a parser would only
// notice once they are made. The estimate is above what the parser makes of the page; where the
// parser may see tags that the tokenizer takes for text, the rest of the page counts as nothing but
// tags.
func weighHTML(content string) error {
	var w htmlWeight
	z := html.NewTokenizer(strings.NewReader(content))
	z.SetMaxBuf(maxToken)
	for rest := content; w.bytes <= maxTree; {
		kind := z.Next()
		if errors.Is(z.Err(), html.ErrBufferExceeded) {
			w.assume(rest)
			break
		}
		if kind == html.ErrorToken {
			return nil
		}
		raw := z.Raw()
		if w.uncertain(kind, raw) {
			w.assume(rest)
			break
		}
		rest = rest[len(raw):]
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			w.start(atom.Lookup(name))
			for more {
				_, _, more = z.TagAttr()
				w.bytes += attributeBytes
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			w.end(atom.Lookup(name))
		case html.CommentToken, html.TextToken, html.DoctypeToken:
			w.bytes += nodeBytes
		}
	}
	if w.bytes <= maxTree {
		return nil
	}
	return heavyHTML()
}

func heavyHTML() *failure {
	return &failure{
		status: http.StatusUnprocessableEntity,
		detail: fmt.Sprintf("The HTML would take more than %d MiB of memory to read.", maxTree>>20),
	}
}

// An htmlWeight estimates what a page's nodes take.
type htmlWeight struct {
	bytes    int
	foreign  bool        // an svg or math came
	rawText  bool        // the tag before begins a text that has no tags
	inlines  []atom.Atom // open inline tags, no block among them
	open     int         // formatting tags in inlines
	reopened int         // formatting tags that may never be closed, and so are opened again in each block
}

var formatting = nodeSet(atom.B, atom.I, atom.A, atom.Nobr)

var rawTexts = nodeSet(atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext, atom.Script, atom.Style, atom.Textarea,
	atom.Title, atom.Xmp)

func (w *htmlWeight) start(name atom.Atom) {
	w.bytes += nodeBytes * (1 + min(w.reopened+w.open, maxReopened))
	w.foreign = w.foreign || name == atom.Svg || name == atom.Math
	w.rawText = rawTexts[name]
	switch {
	case formatting[name] || inline[name] && name != atom.Br && name != atom.Wbr:
		w.inlines = append(w.inlines, name)
		if formatting[name] {
			w.open++
		}
	case !inline[name]:
		w.leaveOpen()
	}
}

func (w *htmlWeight) end(name atom.Atom) {
	switch last := len(w.inlines) - 1; {
	case last >= 0 && w.inlines[last] == name:
		w.inlines = w.inlines[:last]
		if formatting[name] {
			w.open--
		}
	case formatting[name]:
		w.leaveOpen()
	}
}

// leaveOpen counts the open formatting tags as ones that stay open.
func (w *htmlWeight) leaveOpen() {
	w.reopened, w.open = w.reopened+w.open, 0
	w.inlines = w.inlines[:0]
}

// uncertain reports whether the parser may read a token in another way than the tokenizer does by
// itself, which is so in svg and math alone: they have no texts without tags, but texts in
// brackets.
func (w *htmlWeight) uncertain(kind html.TokenType, raw []byte) bool {
	if !w.foreign {
		return false
	}
	return kind == html.TextToken && w.rawText && bytes.IndexByte(raw, '<') >= 0 ||
		kind == html.CommentToken && bytes.HasPrefix(raw, []byte("<![CDATA["))
}

// assume counts what text would be at most if all of it were tags.
func (w *htmlWeight) assume(text string) {
	for _, c := range []byte(text) {
		switch c {
		case '<':
			w.bytes += nodeBytes * (1 + maxReopened)
		case ' ', '\t', '\n', '\f', '/', '"', '\'':
			w.bytes += attributeBytes
		}
	}
}

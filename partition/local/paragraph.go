package local

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quire-dev/quire/partition/element"
)

// A paragraph collects the text of inline nodes, with white space made single, and what is
// emphasised or linked in it.
type paragraph struct {
	text  strings.Builder
	chars int // written so far
	space bool
	marks []mark
	open  int // marks that are not yet in marks
	count int // paragraphs before this one
}

// maxOpenMarks limits how often a text is repeated in the marks around it.
const maxOpenMarks = 16

// A mark is a stretch of a paragraph.
type mark struct {
	tag        string // b, i, or a
	url        string
	start, end int // bytes
	chars      int // before it
}

func (p *paragraph) write(text string) {
	for _, c := range text {
		if unicode.IsSpace(c) {
			p.space = p.chars > 0
			continue
		}
		p.pending()
		p.text.WriteRune(c)
		p.chars++
	}
}

// pending writes the space that stands between two words.
func (p *paragraph) pending() {
	if p.space {
		p.text.WriteByte(' ')
		p.chars++
		p.space = false
	}
}

// begin marks what is written until the returned function is called, if the node says something
// about it.
func (p *paragraph) begin(n *html.Node) (end func()) {
	m := mark{}
	switch n.DataAtom {
	case atom.B, atom.Strong:
		m.tag = "b"
	case atom.I, atom.Em:
		m.tag = "i"
	case atom.A:
		m.tag, m.url = "a", attribute(n, "href")
	default:
		return func() {}
	}
	if p.open == maxOpenMarks {
		return func() {}
	}
	p.open++
	m.start, m.chars = p.text.Len(), p.chars
	count := p.count
	return func() {
		p.open--
		m.end = p.text.Len()
		if p.count == count && m.end > m.start { // else its paragraph ended inside it, or it is empty
			p.marks = append(p.marks, m)
		}
	}
}

// end returns the text with what is known of its stretches, and begins anew.
func (p *paragraph) end() (string, element.Metadata) {
	text := p.text.String()
	var m element.Metadata
	for _, k := range p.marks {
		part := text[k.start:k.end]
		lead := len(part) - len(strings.TrimLeft(part, " "))
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case k.tag != "a":
			m.EmphasizedTextContents = append(m.EmphasizedTextContents, part)
			m.EmphasizedTextTags = append(m.EmphasizedTextTags, k.tag)
		case k.url != "":
			m.LinkTexts = append(m.LinkTexts, part)
			m.LinkURLs = append(m.LinkURLs, k.url)
			m.LinkStartIndexes = append(m.LinkStartIndexes, k.chars+utf8.RuneCountInString(text[k.start:k.start+lead]))
		}
	}
	*p = paragraph{open: p.open, count: p.count + 1}
	return text, m
}

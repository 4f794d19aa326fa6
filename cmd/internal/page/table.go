package page

import (
	"errors"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// tableTags are the only elements that come through; what stands in others stays as text, but for
// opaqueTags.
func tableTags() []atom.Atom {
	return []atom.Atom{
		atom.Table, atom.Caption, atom.Colgroup, atom.Col, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Th, atom.Td, atom.Br,
	}
}

// opaqueTags are elements whose content is no text for people.
func opaqueTags() []atom.Atom {
	return []atom.Atom{
		atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Embed, atom.Applet, atom.Noembed,
		atom.Noframes, atom.Title, atom.Head, atom.Select, atom.Textarea, atom.Audio, atom.Video, atom.Canvas,
	}
}

// The limits of a table. One that is beyond is shown as its text.
const (
	maxTableBytes = 4 << 20
	maxSpan       = 1000 // what HTML allows for colspan
)

var errTableTooLarge = errors.New("table too large")

// cleanTable reads foreign HTML and writes the tables in it anew, of the elements of tableTags and
// the attributes colspan and rowspan alone, every text escaped. Without a table in it the result is
// empty. An error is HTML that is too large, or nested too deeply.
func cleanTable(source string) (template.HTML, error) {
	if len(source) > maxTableBytes {
		return "", errTableTooLarge
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil {
		return "", err
	}
	c := cleaner{allowed: tableTags(), opaque: opaqueTags()}
	for _, n := range nodes {
		c.node(n)
	}
	if !c.table {
		return "", nil
	}
	return template.HTML(c.out.String()), nil // written by cleaner alone
}

// A cleaner writes nodes that it knows.
type cleaner struct {
	allowed, opaque []atom.Atom
	out             strings.Builder
	table           bool // there was one
}

// node writes a node and what is in it. The parser bounds the depth.
func (c *cleaner) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		c.out.WriteString(html.EscapeString(n.Data))
		return
	case n.Type != html.ElementNode || n.Namespace != "" || slices.Contains(c.opaque, n.DataAtom):
		return
	}
	known := slices.Contains(c.allowed, n.DataAtom)
	name := n.DataAtom.String()
	if known {
		c.table = c.table || n.DataAtom == atom.Table
		c.out.WriteString("<" + name + spans(n) + ">")
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.node(child)
	}
	switch {
	case known && n.DataAtom != atom.Br && n.DataAtom != atom.Col:
		c.out.WriteString("</" + name + ">")
	case !known && n.NextSibling != nil && slices.Contains([]atom.Atom{atom.P, atom.Div, atom.Li}, n.DataAtom):
		c.out.WriteString(" ") // or the words of two paragraphs would become one
	}
}

// spans are the attributes that a cell may have.
func spans(n *html.Node) string {
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
		return ""
	}
	var b strings.Builder
	for _, a := range n.Attr {
		if a.Namespace != "" || a.Key != "colspan" && a.Key != "rowspan" {
			continue
		}
		if width, err := strconv.Atoi(a.Val); err == nil && width >= 1 && width <= maxSpan {
			b.WriteString(" " + a.Key + `="` + strconv.Itoa(width) + `"`)
		}
	}
	return b.String()
}

package local

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/quire-dev/quire/partition/element"
)

// code keeps the white space of preformatted text.
func (w *htmlWalk) code(n *html.Node) {
	if text := strings.Trim(rawText(n), "\n"); strings.TrimSpace(text) != "" {
		w.add(element.Element{Type: element.TypeCodeSnippet, Text: text})
	}
}

func rawText(n *html.Node) string {
	var text strings.Builder
	for inner := range n.Descendants() {
		switch {
		case inner.Type == html.TextNode:
			text.WriteString(inner.Data)
		case inner.DataAtom == atom.Br:
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// image gives an image that has a source and an alternative text.
func (w *htmlWalk) image(n *html.Node) {
	source, alt := attribute(n, "src"), collapse(attribute(n, "alt"))
	if source == "" || alt == "" {
		return
	}
	e := element.Element{Type: element.TypeImage, Text: alt}
	if data, inlined := strings.CutPrefix(source, "data:"); inlined {
		head, content, _ := strings.Cut(data, ",")
		mediaType, isBase64 := strings.CutSuffix(head, ";base64")
		if !isBase64 {
			return
		}
		e.Metadata.ImageBase64, e.Metadata.ImageMimeType = content, mediaType
	} else {
		e.Metadata.ImageURL = source
	}
	w.add(e)
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

// table gives a table; a table inside a cell is text of the cell.
func (w *htmlWalk) table(n *html.Node) {
	var t tableBuilder
	for _, row := range tableNodes(n, atom.Tr) {
		t.beginRow()
		for cell := row.FirstChild; cell != nil && w.err == nil; cell = cell.NextSibling {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				w.err = t.cell(cellText(cell))
			}
		}
		t.endRow()
		if w.err != nil || w.ctx.Err() != nil {
			return
		}
	}
	w.err = t.give(w.give)
}

// tableNodes are the nodes of one kind in a table that belong to the table itself, not to one
// inside it.
func tableNodes(n *html.Node, kind atom.Atom) []*html.Node {
	var found []*html.Node
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.DataAtom {
		case kind:
			found = append(found, child)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			found = append(found, tableNodes(child, kind)...)
		}
	}
	return found
}

// cellText is the text of a cell, with line ends for its line breaks only.
func cellText(n *html.Node) string {
	var text strings.Builder
	var add func(n *html.Node)
	add = func(n *html.Node) {
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			switch {
			case child.Type == html.TextNode:
				text.WriteString(child.Data)
			case child.DataAtom == atom.Script, child.DataAtom == atom.Style:
			case child.DataAtom == atom.Br:
				text.WriteByte('\x00')
			case inline[child.DataAtom]:
				add(child)
			default:
				text.WriteByte(' ')
				add(child)
				text.WriteByte(' ')
			}
		}
	}
	add(n)
	rows := strings.Split(strings.Trim(text.String(), "\x00 \t\r\n"), "\x00")
	for i, row := range rows {
		rows[i] = collapse(row)
	}
	return strings.Join(rows, "\n")
}

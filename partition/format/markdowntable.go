package format

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostCells is how many cells, with those that spans cover, the tables of one element may have.
const mostCells = 1 << 20

// markdownTables is the tables of an HTML text as pipe tables, what is outside them as paragraphs.
// It is "" where there is no table, or one that is too large or too deep to be laid out.
//
// A pipe table has one header row and no spans: the first row is the header, and a cell that spans
// several places is in the first of them, with the others empty.
func markdownTables(text string) string {
	if !strings.Contains(text, "<") {
		return ""
	}
	document, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return ""
	}
	t := &tableReader{left: mostCells}
	t.outside(document)
	t.paragraph()
	if !t.found || t.left < 0 {
		return ""
	}
	return strings.Join(t.blocks, "\n\n")
}

// A tableReader collects what becomes of an HTML text.
type tableReader struct {
	blocks []string
	text   strings.Builder // outside tables, since the last block
	found  bool            // a table
	left   int             // cells that there may still be
}

// outside reads what is around tables, and them.
func (t *tableReader) outside(n *html.Node) {
	writeText(&t.text, n, func(n *html.Node) bool {
		if n.DataAtom != atom.Table {
			return false
		}
		t.table(n)
		return true
	})
}

// paragraph ends a run of text outside the tables.
func (t *tableReader) paragraph() {
	if text := escapeParagraph(oneLine(t.text.String())); text != "" {
		t.blocks = append(t.blocks, text)
	}
	t.text.Reset()
}

func (t *tableReader) table(n *html.Node) {
	var g grid
	t.rows(n, &g)
	t.paragraph() // what came before, and the caption
	if t.left -= len(g.rows) * g.columns; t.left >= 0 && g.filled {
		t.blocks, t.found = append(t.blocks, g.markdown()), true
	}
}

// rows lays out the rows below a table's node.
func (t *tableReader) rows(n *html.Node, g *grid) {
	for child := range n.ChildNodes() {
		switch child.DataAtom {
		case atom.Tr:
			t.row(child, g)
		case atom.Caption:
			t.outside(child)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			g.spans = nil // no cell reaches over a section's end
			t.rows(child, g)
			g.spans = nil
		}
	}
}

// A grid is a table under way.
type grid struct {
	rows    [][]string // cells, in Markdown
	columns int        // those in which a cell begins
	spans   []int      // by column, how many of the coming rows a cell from above covers
	filled  bool       // a cell has text
}

// The most that a cell may span, as HTML has it.
const (
	mostColumns = 1000
	mostRows    = 65534
)

func (t *tableReader) row(n *html.Node, g *grid) {
	var row []string
	cells := false
	for cell := range n.ChildNodes() {
		if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
			continue
		}
		cells = true
		for len(row) < len(g.spans) && g.spans[len(row)] > 0 {
			g.spans[len(row)]--
			row = append(row, "")
		}
		width, height := span(cell, "colspan", mostColumns), span(cell, "rowspan", mostRows)
		if t.left -= width; t.left < 0 {
			return
		}
		text := escapeCell(cellText(cell))
		g.filled = g.filled || text != ""
		g.columns = max(g.columns, len(row)+1)
		for range width {
			if len(row) == len(g.spans) {
				g.spans = append(g.spans, 0)
			}
			g.spans[len(row)] = height - 1
			row = append(row, text)
			text = ""
		}
	}
	t.left -= len(g.spans)
	for column := len(row); column < len(g.spans); column++ {
		g.spans[column] = max(g.spans[column]-1, 0)
	}
	if cells {
		g.rows = append(g.rows, row)
	}
}

// span is the value of a cell's colspan or rowspan; a rowspan of 0 reaches down to the end.
func span(cell *html.Node, name string, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(attribute(cell, name)))
	switch {
	case err != nil || n < 0 || n == 0 && name == "colspan":
		return 1
	case n == 0:
		return most
	}
	return min(n, most)
}

func (g *grid) markdown() string {
	var b strings.Builder
	for i, row := range g.rows {
		for column := range g.columns {
			cell := ""
			if column < len(row) {
				cell = row[column]
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", g.columns) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cellText is the text of a cell and of everything in it, nested tables too.
func cellText(n *html.Node) string {
	var b strings.Builder
	writeText(&b, n, nil)
	return b.String()
}

// inlineElements do not set their text apart from what is before and after them.
var inlineElements = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Big: true, atom.Cite: true, atom.Code: true, atom.Del: true, atom.Em: true,
	atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Mark: true, atom.Q: true, atom.S: true,
	atom.Samp: true, atom.Small: true, atom.Span: true, atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true,
	atom.Tt: true, atom.U: true, atom.Var: true,
}

// writeText writes the text below a node, of images the alternative. Nodes that instead takes are
// passed over.
func writeText(b *strings.Builder, n *html.Node, instead func(*html.Node) bool) {
	switch {
	case instead != nil && instead(n):
		return
	case n.Type == html.TextNode:
		b.WriteString(n.Data)
		return
	case n.DataAtom == atom.Script || n.DataAtom == atom.Style:
		return
	}
	apart := n.Type == html.ElementNode && !inlineElements[n.DataAtom]
	if apart {
		b.WriteByte(' ')
	}
	if n.DataAtom == atom.Img {
		b.WriteString(attribute(n, "alt"))
	}
	for child := range n.ChildNodes() {
		writeText(b, child, instead)
	}
	if apart {
		b.WriteByte(' ')
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

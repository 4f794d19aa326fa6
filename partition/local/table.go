package local

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// readTable gives the one table that a file of separated values is; an empty file has none.
func readTable(comma byte) reader {
	return func(ctx context.Context, _ *Engine, d *document) error {
		content, err := d.text(d.request.encoding)
		if err != nil {
			return err
		}
		var t tableBuilder
		for rest := content; rest != ""; {
			if rest[0] == '\n' {
				rest = rest[1:] // a blank line is no row
				continue
			}
			t.beginRow()
			for more := true; more; {
				var cell string
				cell, rest, more = cutCell(rest, comma)
				if err := t.cell(collapse(cell)); err != nil {
					return err
				}
				if t.cells%checkEvery == 0 && ctx.Err() != nil {
					return context.Cause(ctx)
				}
			}
			t.endRow()
		}
		return t.give(d.add)
	}
}

// cutCell cuts off the first cell of a row; more reports whether the row has another one. Quotes
// are taken leniently: one inside a cell stands for itself, a cell whose last one is missing goes
// to the end of the text.
func cutCell(s string, comma byte) (cell, rest string, more bool) {
	quoted, isQuoted := strings.CutPrefix(s, `"`)
	if !isQuoted {
		end := strings.IndexAny(s, string(comma)+"\n")
		if end < 0 {
			return s, "", false
		}
		return s[:end], s[end+1:], s[end] == comma
	}
	var pieces strings.Builder // where the cell is not one stretch of the text
	for s = quoted; ; {
		end := strings.IndexByte(s, '"')
		if end < 0 {
			return pieces.String() + s, "", false
		}
		switch after := s[end+1:]; {
		case after == "":
			return pieces.String() + s[:end], "", false
		case after[0] == comma, after[0] == '\n':
			return pieces.String() + s[:end], after[1:], after[0] == comma
		case after[0] == '"':
			pieces.WriteString(s[:end+1])
			s = after[1:]
		default:
			pieces.WriteString(s[:end+1])
			s = after
		}
	}
}

// maxCells limits the cells of a table.
const maxCells = 4_000_000

// A tableBuilder writes a table as the API does: rows of plain cells without attributes, an empty
// cell as <td/>. A table that does not fit into an answer is refused as soon as that is known.
type tableBuilder struct {
	html, text strings.Builder
	cells      int
}

func (t *tableBuilder) beginRow() {
	if t.html.Len() == 0 {
		t.html.WriteString("<table>")
	}
	t.html.WriteString("<tr>")
}

func (t *tableBuilder) endRow() { t.html.WriteString("</tr>") }

// cell adds a cell to the row. A line end in it is a line break.
func (t *tableBuilder) cell(text string) error {
	if t.cells++; t.cells > maxCells {
		return &failure{
			status: http.StatusUnprocessableEntity, detail: fmt.Sprintf("The table has more than %d cells.", maxCells),
		}
	}
	if t.html.Len()+t.text.Len()+2*len(text)+4*strings.Count(text, `"`) > maxAnswer { // a quote becomes &#34;
		return answerTooLarge()
	}
	if text == "" {
		t.html.WriteString("<td/>")
		return nil
	}
	t.html.WriteString("<td>")
	t.html.WriteString(strings.ReplaceAll(html.EscapeString(text), "\n", "<br/>"))
	t.html.WriteString("</td>")
	if t.text.Len() > 0 {
		t.text.WriteByte(' ')
	}
	t.text.WriteString(text)
	return nil
}

// give adds the table, or nothing where no cell has a text.
func (t *tableBuilder) give(add func(element.Element) error) error {
	if t.text.Len() == 0 {
		return nil
	}
	t.html.WriteString("</table>")
	return add(element.Element{
		Type: element.TypeTable, Text: t.text.String(), Metadata: element.Metadata{TextAsHTML: t.html.String()},
	})
}

// collapse makes runs of white space one space.
func collapse(text string) string {
	var words strings.Builder
	for w := range strings.FieldsSeq(text) {
		if words.Len() > 0 {
			words.WriteByte(' ')
		}
		words.WriteString(w)
	}
	return words.String()
}

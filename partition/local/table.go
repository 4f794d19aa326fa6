package local

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/quire-dev/quire/partition"
)

// readTable yields the one table that a file of separated values is; an empty file has none.
func readTable(comma rune) reader {
	return func(ctx context.Context, _ *Engine, d *document) ([]partition.Element, error) {
		content, err := d.text(d.request.encoding)
		if err != nil {
			return nil, err
		}
		rows := csv.NewReader(strings.NewReader(content))
		rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = comma, -1, true, true
		var t tableBuilder
		for {
			cells, err := rows.Read()
			if errors.Is(err, io.EOF) {
				return t.elements(), nil
			}
			if err != nil {
				return nil, &failure{
					status: http.StatusInternalServerError, detail: fmt.Sprintf("Error tokenizing data: %v", err),
				}
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			for i := range cells {
				cells[i] = html.EscapeString(collapse(cells[i]))
			}
			t.row(cells)
		}
	}
}

// A tableBuilder writes a table as the API does: rows of plain cells without attributes, an empty cell as <td/>.
type tableBuilder struct {
	html, text strings.Builder
}

// row adds a row of cells, which are HTML.
func (t *tableBuilder) row(cells []string) {
	t.html.WriteString("<tr>")
	for _, c := range cells {
		if c == "" {
			t.html.WriteString("<td/>")
			continue
		}
		t.html.WriteString("<td>" + c + "</td>")
		if t.text.Len() > 0 {
			t.text.WriteByte(' ')
		}
		t.text.WriteString(html.UnescapeString(strings.ReplaceAll(c, lineBreak, "\n")))
	}
	t.html.WriteString("</tr>")
}

const lineBreak = "<br/>"

// elements is the table, or nothing where no cell has a text.
func (t *tableBuilder) elements() []partition.Element {
	if t.text.Len() == 0 {
		return nil
	}
	return []partition.Element{{
		Type: partition.Table, Text: t.text.String(),
		Metadata: partition.Metadata{TextAsHTML: "<table>" + t.html.String() + "</table>"},
	}}
}

// collapse makes runs of white space one space.
func collapse(text string) string { return strings.Join(strings.Fields(text), " ") }

package partition

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/split"
)

// A tally is what the answers to a document came to: how many elements were delivered, how many of
// them have content, and on which pages there is nothing.
type tally struct {
	job      *job
	elements int // or rows of a table
	content  int
	silent   pageList // answered pages without content
}

// hasContent reports whether an element is more than a mark, such as a page break: it has text, a
// table or an image.
func hasContent(e element.Element) bool {
	return strings.TrimSpace(e.Text) != "" || e.Metadata.TextAsHTML != "" || e.Metadata.ImageBase64 != ""
}

// A chunkTally is the part of a tally that comes from one chunk.
type chunkTally struct {
	*tally
	pages split.PageRange // without a length where they are not known
	first int             // the number of the document's first page
	heard []bool          // for each of pages: there is content
}

func (t *tally) of(c *chunk, first int) *chunkTally {
	pages := t.job.covers(c)
	return &chunkTally{tally: t, pages: pages, first: first, heard: make([]bool, pages.Len())}
}

// add counts an element. Content that does not say from which of the pages it is, or that is of
// several, may be of any.
func (t *chunkTally) add(e element.Element) {
	t.elements++
	if !hasContent(e) {
		return
	}
	t.content++
	i := e.Metadata.PageNumber - t.first + 1 - t.pages.First
	if t.job.params.ChunkingStrategy == "" && i >= 0 && i < len(t.heard) {
		t.heard[i] = true
		return
	}
	t.hear()
}

// hear notes that there is content on all pages.
func (t *chunkTally) hear() {
	for i := range t.heard {
		t.heard[i] = true
	}
}

// end takes the pages without content over.
func (t *chunkTally) end() {
	for i, heard := range t.heard {
		if !heard {
			t.silent.add(t.pages.First + i)
		}
	}
}

// contentColumns are the columns of a table that hold what [hasContent] looks for.
var contentColumns = []string{"text", "text_as_html", "image_base64"}

// addTable counts the rows of a table up to the first that has content. So does one that cannot be
// read, or lacks the columns.
func (t *chunkTally) addTable(table io.Reader) {
	rows := csv.NewReader(withoutMark(table))
	rows.FieldsPerRecord, rows.LazyQuotes = -1, true
	var columns []int
	header, err := rows.Read()
	for i, name := range header {
		if slices.Contains(contentColumns, name) {
			columns = append(columns, i)
		}
	}
	for err == nil {
		var row []string
		if row, err = rows.Read(); err != nil {
			break
		}
		t.elements++
		if columns == nil || slices.ContainsFunc(columns, func(i int) bool { return i < len(row) && strings.TrimSpace(row[i]) != "" }) {
			break
		}
	}
	if !errors.Is(err, io.EOF) {
		t.content++
		t.hear()
	}
}

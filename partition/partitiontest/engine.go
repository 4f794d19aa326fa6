package partitiontest

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/split"
)

// Pages is the default engine: one NarrativeText element for each page of a PDF, with the text
// "page 5 of report.pdf", and one, "all of notes.txt", for any other file. Ids follow the API's
// formula, and page numbers starting_page_number, so that the answers for a document's chunks are
// together the answer for the document. Pages opens the PDF; if that fails, it answers with status
// 422 and the API's error text. Of the form fields, only starting_page_number, content_type and
// output_format have an effect.
//
// Pages answers only behind a [Server].
func Pages() http.Handler { return http.HandlerFunc(servePages) }

func servePages(w http.ResponseWriter, r *http.Request) {
	req, ok := FromContext(r.Context())
	switch {
	case !ok:
		writeDetail(w, http.StatusInternalServerError, "the pages engine works only behind a partitiontest.Server")
	case errors.Is(req.openErr, split.ErrEncrypted):
		writeDetail(w, http.StatusUnprocessableEntity, "File is encrypted. Please decrypt it with password.")
	case req.openErr != nil:
		writeDetail(w, http.StatusUnprocessableEntity, "File does not appear to be a valid PDF. Error: "+req.openErr.Error())
	case req.Fields.Get("output_format") == "text/csv":
		writeCSV(w, req.elements())
	default:
		writeJSON(w, http.StatusOK, req.elements())
	}
}

func (r *Request) elements() []element.Element {
	name := path.Base(r.File)
	if r.Pages.Len() == 0 {
		return []element.Element{newElement(name, r.fileType(), "all of "+name, 0)}
	}
	elements := make([]element.Element, 0, r.Pages.Len())
	for page := r.Pages.First; page <= r.Pages.Last; page++ {
		elements = append(elements, newElement(name, r.fileType(), fmt.Sprintf("page %d of %s", page, name), page))
	}
	return elements
}

func (r *Request) fileType() string {
	if hint := r.Fields.Get("content_type"); hint != "" {
		return hint
	}
	return r.MediaType
}

func newElement(file, fileType, text string, page int) element.Element {
	return element.Element{
		Type: element.TypeNarrativeText, ID: elementID(file, text, page, 0), Text: text,
		Metadata: element.Metadata{Filename: file, Filetype: fileType, PageNumber: page, Languages: []string{"eng"}},
	}
}

// elementID is the API's formula; seq counts the elements of a page from 0, a page of 0 is none.
func elementID(file, text string, page, seq int) string {
	number := "None"
	if page != 0 {
		number = strconv.Itoa(page)
	}
	sum := sha256.Sum256([]byte(file + text + number + strconv.Itoa(seq)))
	return hex.EncodeToString(sum[:])[:32]
}

// writeCSV answers in the self-hosted server's form, its Content-Type included.
func writeCSV(w http.ResponseWriter, elements []element.Element) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rows := csv.NewWriter(w)
	header := []string{"type", "element_id", "text", "filename", "filetype", "languages"}
	paged := len(elements) > 0 && elements[0].Metadata.PageNumber != 0
	if paged {
		header = append(header, "page_number")
	}
	_ = rows.Write(header)
	for _, e := range elements {
		row := []string{string(e.Type), e.ID, e.Text, e.Metadata.Filename, e.Metadata.Filetype, "['eng']"}
		if paged {
			row = append(row, strconv.Itoa(e.Metadata.PageNumber))
		}
		_ = rows.Write(row)
	}
	rows.Flush() // an error is the client's leaving
}

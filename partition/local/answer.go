package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/hierarchy"
	"github.com/quire-dev/quire/partition/internal/spool"
)

// maxAnswer is how long an answer may be, in bytes: about 300,000 short elements. It bounds what a
// document takes here and in the client that reads the answer.
const maxAnswer = 64 << 20

// spoolBytes is how much of a request's files, or of an answer, stays in memory; what is longer goes
// to a private temporary file.
const spoolBytes = 256 << 10

// An answer gathers the elements of a request as they are found, as the JSON that is sent. Only one
// document at a time adds to it.
type answer struct {
	json    *spool.File
	table   *spool.File // the CSV that is sent instead of json; nil if none was asked for
	several bool        // a list of lists
	files   int         // begun
}

func newAnswer(several bool) *answer { return &answer{json: spool.New(spoolBytes), several: several} }

// begin begins the list of the next file.
func (a *answer) begin() error {
	start := "["
	switch {
	case a.several && a.files == 0:
		start = "[["
	case a.several:
		start = ",["
	}
	a.files++
	return a.write([]byte(start))
}

// end ends the list of a file, and the answer after the last one.
func (a *answer) end(last bool) error {
	if a.several && last {
		return a.write([]byte("]]"))
	}
	return a.write([]byte("]"))
}

func (a *answer) write(p []byte) error {
	if a.json.Size()+int64(len(p)) > maxAnswer {
		return answerTooLarge()
	}
	_, err := a.json.Write(p)
	return err
}

func answerTooLarge() error {
	return &failure{
		status: http.StatusUnprocessableEntity,
		detail: fmt.Sprintf("The document's elements take more than %d MiB. Split the document into smaller ones.", maxAnswer>>20),
	}
}

// toCSV makes the table of the answer's one file.
func (a *answer) toCSV() error {
	a.table = spool.New(spoolBytes)
	return writeCSV(a.table, func(yield func(row) error) error {
		dec := json.NewDecoder(a.json.Reader())
		if _, err := dec.Token(); err != nil { // the opening bracket
			return err
		}
		for dec.More() {
			var r row
			if err := errors.Join(dec.Decode(&r), yield(r)); err != nil {
				return err
			}
		}
		return nil
	})
}

// send writes the answer and closes it.
func (a *answer) send(w http.ResponseWriter) {
	defer a.close()
	body, contentType := a.json, "application/json"
	if a.table != nil {
		body, contentType = a.table, "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.FormatInt(body.Size(), 10))
	w.WriteHeader(http.StatusOK)
	io.Copy(w, body.Reader()) //nolint:errcheck // the client may have gone away
}

func (a *answer) close() {
	_ = a.json.Close() // nobody reads it any more
	if a.table != nil {
		_ = a.table.Close()
	}
}

// A file finishes the elements of one document and adds them to the answer: what the elements of
// every format have (ids, names, languages, parents) is set here.
type file struct {
	answer  *answer
	request *request
	name    string
	kind    string // media type

	count     int
	position  map[int]int // of the next element of a page, by its number
	hierarchy hierarchy.Tree
}

// add finishes an element and writes it.
func (f *file) add(e element.Element) error {
	m := &e.Metadata
	m.Filename, m.Filetype = f.name, f.kind
	if e.Type != element.TypePageBreak {
		m.Languages = f.request.languages
	}
	if !f.request.coordinates {
		m.Coordinates = nil
	}
	if f.request.uniqueIDs {
		e.ID = randomUUID()
	} else {
		e.ID = elementID(m.Filename, e.Text, m.PageNumber, f.position[m.PageNumber])
	}
	f.position[m.PageNumber]++
	m.ParentID = f.hierarchy.Parent(e.ID, string(e.Type), m.CategoryDepth)
	if quotedLength(e.Text)+quotedLength(m.TextAsHTML) > maxAnswer {
		return answerTooLarge()
	}
	data, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	if f.count++; f.count > 1 {
		if err := f.answer.write([]byte(",")); err != nil {
			return err
		}
	}
	return f.answer.write(data)
}

// quotedLength is about how long a text becomes as JSON, and at most that.
func quotedLength(text string) int {
	n := len(text)
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\t':
			n++
		case c < ' ':
			n += len(`\u0001`) - 1
		}
	}
	return n
}

package local

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/quire-dev/quire/partition"
)

// A document is one file of a request with what is known of it.
type document struct {
	*upload
	mediaType string
	request   *request
}

// A reader yields the elements of a document with their type, text and what of the metadata its format knows. What all formats
// share (ids, names, languages, parents) is added by [finish].
type reader func(ctx context.Context, e *Engine, d *document) ([]partition.Element, error)

// readers is the table of the formats that the engine reads. To add one is to add a row.
var readers = map[string]reader{
	"application/pdf": readPDF,
	"text/plain":      readText,
	"text/html":       readHTML,
	"text/markdown":   readMarkdown,
	"text/csv":        readTable(','),
	"text/tsv":        readTable('\t'),
}

// partition gives the answer to a checked request.
func (e *Engine) partition(ctx context.Context, req *request) (*answer, error) {
	a := &answer{csv: req.csv, several: len(req.files) > 1}
	for _, u := range req.files {
		elements, err := e.partitionFile(ctx, req, u)
		if err != nil {
			return nil, err
		}
		a.files = append(a.files, elements)
	}
	return a, nil
}

func (e *Engine) partitionFile(ctx context.Context, req *request, u *upload) ([]partition.Element, error) {
	u, gunzipped, err := gunzip(u, req.gzipOf, req.maxInflated)
	if err != nil {
		return nil, err
	}
	if gunzipped {
		defer u.close()
	}
	d := &document{upload: u, request: req}
	if d.mediaType, err = mediaType(u, req.contentType); err != nil {
		return nil, err
	}
	read, known := readers[d.mediaType]
	if !known {
		return nil, unsupported(d.mediaType)
	}
	if req.strategy == "" || req.strategy == "auto" {
		e.log.InfoContext(ctx, "strategy auto means fast in the embedded engine", "file", u.name)
	}
	if d.mediaType != pdfType {
		if err := d.refuseStrategy(); err != nil {
			return nil, err
		}
	}
	elements, err := read(ctx, e, d)
	if err != nil {
		return nil, err
	}
	finish(elements, d)
	return elements, ctx.Err()
}

func unsupported(mediaType string) *failure {
	return &failure{status: http.StatusBadRequest, detail: fmt.Sprintf("File type %s is not supported.", mediaType)}
}

// refuseStrategy refuses the strategies that the API has and this engine has not. For a PDF it comes after the file was opened, as
// with the API.
func (d *document) refuseStrategy() error {
	switch d.request.strategy {
	case "", "auto", "fast":
		return nil
	}
	return &failure{
		status: http.StatusBadRequest,
		detail: fmt.Sprintf("Invalid strategy: %s. The embedded engine has fast, and auto, which means fast.", d.request.strategy),
	}
}

// finish adds what the elements of every format have.
func finish(elements []partition.Element, d *document) {
	for i := range elements {
		m := &elements[i].Metadata
		m.Filename, m.Filetype = d.name, d.mediaType
		if elements[i].Type != partition.TypePageBreak {
			m.Languages = d.request.languages
		}
		if !d.request.coordinates {
			m.Coordinates = nil
		}
	}
	assignIDs(elements, d.request.uniqueIDs)
	assignParents(elements)
}

// An answer is what a request is answered with.
type answer struct {
	files   [][]partition.Element
	several bool // a list of lists
	csv     bool
}

func (a *answer) write(w http.ResponseWriter) {
	if a.csv {
		var table bytes.Buffer
		if err := writeCSV(&table, a.files[0]); err != nil {
			writeFailure(w, &failure{status: http.StatusInternalServerError, detail: err.Error()})
			return
		}
		writeBody(w, http.StatusOK, "text/plain; charset=utf-8", table.Bytes())
		return
	}
	lists := make([][]partition.Element, len(a.files))
	for i, elements := range a.files {
		lists[i] = append([]partition.Element{}, elements...) // an empty list is [], not null
	}
	if a.several {
		writeJSON(w, http.StatusOK, lists)
		return
	}
	writeJSON(w, http.StatusOK, lists[0])
}

package local

import (
	"context"
	"fmt"
	"net/http"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/media"
)

// A document is one file of a request with what is known of it.
type document struct {
	*upload
	mediaType string
	request   *request
	add       func(element.Element) error // takes the next element
}

// A reader gives the elements of a document to its add, in order, with their type, text and what of
// the metadata its format knows. It ends with the first error of add, or when its context ends.
type reader func(ctx context.Context, e *Engine, d *document) error

// readers is the table of the formats that the engine reads. To add one is to add a row.
var readers = map[string]reader{
	"application/pdf": readPDF,
	"text/plain":      readText,
	"text/html":       readHTML,
	"text/markdown":   readMarkdown,
	"text/csv":        readTable(','),
	"text/tsv":        readTable('\t'),
}

// partition gives the answer to a checked request. The caller closes it.
func (e *Engine) partition(ctx context.Context, req *request) (*answer, error) {
	a := newAnswer(len(req.files) > 1)
	err := e.partitionFiles(ctx, req, a)
	if err == nil && req.csv {
		err = a.toCSV()
	}
	if err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (e *Engine) partitionFiles(ctx context.Context, req *request, a *answer) error {
	for i, u := range req.files {
		if err := a.begin(); err != nil {
			return err
		}
		if err := e.partitionFile(ctx, req, u, a); err != nil {
			return err
		}
		if err := a.end(i == len(req.files)-1); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) partitionFile(ctx context.Context, req *request, u *upload, a *answer) error {
	u, done, err := gunzip(u, req.gzipOf, req.maxInflated)
	if err != nil {
		return err
	}
	defer done()
	d := &document{upload: u, request: req}
	if d.mediaType, err = mediaType(u, req.contentType); err != nil {
		return err
	}
	read, known := readers[d.mediaType]
	if !known {
		return unsupported(d.mediaType)
	}
	if req.strategy == "" || req.strategy == "auto" {
		e.log.InfoContext(ctx, "strategy auto means fast in the embedded engine", "file", u.name)
	}
	if d.mediaType != pdfType {
		if err := d.refuseStrategy(); err != nil {
			return err
		}
		done, err := e.memory.turn(ctx, d.size)
		if err != nil {
			return err
		}
		defer done()
	}
	out := &file{answer: a, request: req, name: d.name, kind: d.mediaType, position: map[int]int{}}
	d.add = func(e element.Element) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return out.add(e)
	}
	if err := read(ctx, e, d); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// unsupported names a type by its extension, which is shorter and better known than its media type.
// The text begins and ends as the API's does: clients know it by that.
func unsupported(mediaType string) *failure {
	name := mediaType
	if t, known := media.Known(mediaType); known {
		name = t.Extensions[0]
	}
	return &failure{
		status: http.StatusBadRequest,
		detail: fmt.Sprintf("File type %s: the embedded engine reads PDF, text, Markdown, HTML, CSV and TSV; %s is not supported.", name, name),
	}
}

// refuseStrategy refuses the strategies that the API has and this engine has not. For a PDF it
// comes after the file was opened, as with the API.
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

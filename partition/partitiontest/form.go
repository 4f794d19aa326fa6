package partitiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/quire-dev/quire/split"
)

// The limits of the real server's form parser (starlette): fields in a form, and bytes in a field.
const (
	maxFields     = 1000
	maxFieldBytes = 1 << 20
)

// formError is why a form cannot be read, in the real server's own words.
type formError string

const (
	errNoBoundary formError = "Missing boundary in multipart."
	errForm       formError = "There was an error parsing the body"
	errManyFields formError = "Too many fields. Maximum number of fields is 1000."
	errLongField  formError = "Part exceeded maximum size of 1024KB."
)

func (e formError) Error() string { return string(e) }

// form is a request's multipart form. It is read in two steps, the file's content being the second
// one.
type form struct {
	reader   *multipart.Reader
	body     io.Reader
	boundary string
	parts    []*part
	file     *part // the first file part

	pages   int // of the file, if it is a PDF
	openErr error
}

func newForm(r *http.Request) (*form, error) {
	mediaType, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case mediaType != "multipart/form-data":
		return &form{body: r.Body}, nil // no form at all: the file is missing
	case params["boundary"] == "":
		return nil, errNoBoundary
	}
	return &form{reader: multipart.NewReader(r.Body, params["boundary"]), body: r.Body, boundary: params["boundary"]}, nil
}

// readHead reads up to the content of the file.
func (f *form) readHead() error { return f.readParts(true) }

// readRest reads the file's content, and keeps it if it is asked to or the file looks like a PDF.
// It reads all that follows.
func (f *form) readRest(keep bool) error {
	if f.file != nil {
		if err := f.file.read(keep || f.isPDF()); err != nil {
			return err
		}
	}
	if err := f.readParts(false); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, f.body); err != nil { // net/http notices a client that leaves only then
		return errForm
	}
	return nil
}

func (f *form) readParts(stopAtFile bool) error {
	if f.reader == nil {
		return nil
	}
	for {
		raw, err := f.reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errForm
		}
		if len(f.parts) == maxFields {
			return errManyFields
		}
		p, err := newPart(raw)
		if err != nil {
			return err
		}
		f.parts = append(f.parts, p)
		if p.isFile && f.file == nil {
			f.file = p
			if stopAtFile {
				return nil
			}
		}
		if err := p.read(true); err != nil {
			return err
		}
	}
}

// mediaType is the type that the server takes the file for: the hint in the form's content_type,
// else the part's.
func (f *form) mediaType() string {
	if hint := f.value("content_type"); hint != "" {
		return hint
	}
	return f.file.mediaType()
}

// isPDF reports whether the server takes the file for a PDF: because it is told so, or is told
// nothing and looks.
func (f *form) isPDF() bool {
	t := f.mediaType()
	return t == "application/pdf" || (t == "" || t == "application/octet-stream") && split.IsPDF(f.file.content)
}

// countPages opens the file if it is a PDF.
func (f *form) countPages(ctx context.Context) error {
	if f.file == nil || !f.isPDF() {
		return nil
	}
	pdf, err := split.Open(ctx, bytes.NewReader(f.file.content), f.file.size, split.Options{})
	if err != nil {
		f.openErr = err
		return ctx.Err()
	}
	f.pages = pdf.Pages()
	return pdf.Close()
}

// drop forgets the file's content.
func (f *form) drop() {
	if f.file != nil {
		f.file.content = nil
	}
}

// value returns the value of the first field with this name, "" if there is none.
func (f *form) value(name string) string {
	for _, p := range f.parts {
		if !p.isFile && p.name == name {
			return string(p.content)
		}
	}
	return ""
}

// describe writes what is known by now to req.
func (f *form) describe(req *Request) {
	req.Fields = url.Values{}
	for _, p := range f.parts {
		if !p.isFile {
			req.Fields.Add(p.name, string(p.content))
		}
	}
	req.first = 1
	if n, err := strconv.Atoi(f.value("starting_page_number")); err == nil {
		req.first = n
	}
	if f.file == nil {
		return
	}
	req.File, req.MediaType = f.file.filename, f.file.mediaType()
	req.Size, req.SHA256 = f.file.size, f.file.sum
	if f.pages > 0 {
		req.Pages = split.PageRange{First: req.first, Last: req.first + f.pages - 1}
	}
	req.openErr = f.openErr
}

// replay returns r with the body that it came with. Each part's header fields may be in another
// order.
func (f *form) replay(r *http.Request) *http.Request {
	if f.reader == nil {
		return r
	}
	var pieces []io.Reader
	length := 0
	add := func(b []byte) {
		pieces = append(pieces, bytes.NewReader(b))
		length += len(b)
	}
	for _, p := range f.parts {
		var head bytes.Buffer
		fmt.Fprintf(&head, "--%s\r\n", f.boundary)
		for _, name := range slices.Sorted(maps.Keys(p.header)) {
			for _, value := range p.header[name] {
				fmt.Fprintf(&head, "%s: %s\r\n", name, value)
			}
		}
		head.WriteString("\r\n")
		add(head.Bytes())
		add(p.content)
		add([]byte("\r\n"))
	}
	add([]byte("--" + f.boundary + "--\r\n"))
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(io.MultiReader(pieces...)), int64(length)
	r.Header.Set("Content-Length", strconv.Itoa(length))
	return r
}

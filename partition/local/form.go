package local

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/quire-dev/quire/partition/internal/spool"
)

// A form is what a multipart request holds.
type form struct {
	values map[string][]string // by the field's name without brackets
	files  []*upload
	stray  []string // fields named files that hold text

	content *spool.File // of the files, one after the other
	text    int         // bytes of names and values
	release func()      // once the form is closed
}

// Limits of the form's parts. The first three are those of the API's parser.
const (
	maxFiles      = 1000
	maxFields     = 1000
	maxFieldBytes = 1 << 20
	maxFormText   = 2 << 20 // bytes of all names and values together
)

// readForm reads the request's body to its end. A body that is no multipart form is an empty form,
// which fails validation. The caller closes the form.
func readForm(w http.ResponseWriter, r *http.Request, o Options) (*form, error) {
	f := &form{values: map[string][]string{}, content: spool.New(spoolBytes), release: func() {}}
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return f, nil
	}
	if params["boundary"] == "" {
		return nil, parseFailure("Missing boundary in multipart.")
	}
	paced := newPacedBody(w, http.MaxBytesReader(w, r.Body, o.MaxBody), o.Timeout)
	body := &countingReader{r: paced}
	if err := f.readParts(newFormReader(body, params["boundary"]), body); err != nil {
		f.close()
		return nil, err
	}
	paced.end()
	return f, nil
}

// A countingReader counts the bytes of a body: a broken one has some, an empty one has none.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (f *form) readParts(parts *formReader, body *countingReader) error {
	fields := 0
	for {
		part, err := parts.next()
		if errors.Is(err, io.EOF) || err != nil && body.n == 0 && !errors.Is(err, errSlowBody) {
			return nil
		}
		if err != nil {
			return bodyFailure(err)
		}
		name, named := part.params["name"]
		if !named {
			return parseFailure(`The Content-Disposition header field "name" must be provided.`)
		}
		name = strings.TrimSuffix(name, "[]")
		if err := f.count(len(name) + len(part.params["filename"]) + len(part.contentType)); err != nil {
			return err
		}
		if filename, isFile := part.params["filename"]; isFile {
			if err := f.addFile(name, filename, part); err != nil {
				return err
			}
			continue
		}
		if fields++; fields > maxFields {
			return parseFailure(fmt.Sprintf("Too many fields. Maximum number of fields is %d.", maxFields))
		}
		value, err := io.ReadAll(io.LimitReader(part, maxFieldBytes+1))
		if err != nil {
			return bodyFailure(err)
		}
		if len(value) > maxFieldBytes {
			return parseFailure(fmt.Sprintf("Part exceeded maximum size of %dKB.", maxFieldBytes/1024))
		}
		if err := f.count(len(value)); err != nil {
			return err
		}
		if name == "files" {
			f.stray = append(f.stray, string(value))
			continue
		}
		f.values[name] = append(f.values[name], string(value))
	}
}

func (f *form) addFile(field, filename string, part *part) error {
	if len(f.files) == maxFiles {
		return parseFailure(fmt.Sprintf("Too many files. Maximum number of files is %d.", maxFiles))
	}
	if field != "files" {
		_, err := io.Copy(io.Discard, part) // an unknown field
		return bodyFailure(err)
	}
	start := f.content.Size()
	size, err := io.Copy(f.content, part)
	if err != nil {
		return bodyFailure(err)
	}
	f.files = append(f.files, &upload{
		SectionReader: io.NewSectionReader(f.content, start, size), size: size,
		name: filename[strings.LastIndexByte(filename, '/')+1:], contentType: part.contentType,
	})
	return nil
}

// count counts text of the form, all of which is held in memory.
func (f *form) count(n int) error {
	if f.text += n; f.text > maxFormText {
		return parseFailure(fmt.Sprintf("Fields exceeded maximum size of %dKB together.", maxFormText/1024))
	}
	return nil
}

// value is the field's last value, "" where it was not sent.
func (f *form) value(name string) string {
	if values := f.values[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

func (f *form) close() {
	_ = f.content.Close() // it was only read
	f.release()
}

func parseFailure(detail string) *failure {
	return &failure{status: http.StatusBadRequest, detail: detail}
}

func tooLarge(limit int64) *failure {
	return &failure{
		status: http.StatusRequestEntityTooLarge,
		detail: fmt.Sprintf("The request is larger than the limit of %d bytes.", limit),
	}
}

// bodyFailure is nil for nil.
func bodyFailure(err error) error {
	var large *http.MaxBytesError
	var known *failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case errors.As(err, &known):
		return known
	}
	return parseFailure("There was an error parsing the body")
}

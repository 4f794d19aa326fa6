package local

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"
)

// A part is one field or file of a multipart form. Its content is read before the next part is
// asked for.
type part struct {
	io.Reader
	params      map[string]string // of Content-Disposition
	contentType string
}

// A formReader reads a multipart form as the API's parser does, which takes header values as they
// are: clients send control characters in file names, which Go's own parser refuses.
type formReader struct {
	r         *bufio.Reader
	delimiter []byte // a line end, two hyphens and the boundary
	begun     bool
	last      bool // the part that is read, or was read last, has none after it
	open      bool // that part has content left
}

// Limits of a part's header. A line longer than the buffer is an error as well.
const (
	formBuffer     = 64 << 10
	maxHeaderLines = 64
)

func newFormReader(r io.Reader, boundary string) *formReader {
	return &formReader{r: bufio.NewReaderSize(r, formBuffer), delimiter: []byte("\r\n--" + boundary)}
}

var errForm = errors.New("malformed multipart form")

// next returns the next part; after the last one comes [io.EOF], where the form is cut off
// [io.ErrUnexpectedEOF].
func (m *formReader) next() (*part, error) {
	if err := m.boundary(); err != nil {
		return nil, err
	}
	if m.last {
		return nil, io.EOF
	}
	p := &part{Reader: m, params: map[string]string{}}
	for range maxHeaderLines {
		line, err := m.r.ReadSlice('\n')
		if err != nil {
			return nil, unexpected(err)
		}
		line, ended := bytes.CutSuffix(line, []byte("\r\n"))
		if !ended {
			return nil, errForm
		}
		if len(line) == 0 {
			m.open = true
			return p, nil
		}
		name, value, found := strings.Cut(string(line), ":")
		if !found {
			return nil, errForm
		}
		switch strings.ToLower(name) {
		case "content-disposition":
			p.params = headerParams(value)
		case "content-type":
			p.contentType = strings.TrimSpace(value)
		}
	}
	return nil, errForm
}

// boundary goes to the end of the line before the next part's header.
func (m *formReader) boundary() error {
	if m.begun {
		_, err := io.Copy(io.Discard, m)
		return err
	}
	m.begun = true
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return unexpected(err)
		}
		if c != '\r' && c != '\n' {
			m.r.UnreadByte() //nolint:errcheck // was just read
			break
		}
	}
	line := make([]byte, len(m.delimiter))
	if _, err := io.ReadFull(m.r, line); err != nil {
		return unexpected(err)
	}
	after, isBoundary := bytes.CutPrefix(line, m.delimiter[len("\r\n"):])
	m.last = string(after) == "--"
	if !isBoundary || !m.last && string(after) != "\r\n" {
		return errForm
	}
	return nil
}

// Read reads the content of a part.
func (m *formReader) Read(p []byte) (int, error) {
	if !m.open {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	whole := len(m.delimiter) + 2 // with what tells a boundary from the beginning of a longer line
	window, err := m.r.Peek(max(m.r.Buffered(), whole))
	window = window[:min(len(window), len(p)+whole)]
	n := bytes.Index(window, m.delimiter)
	switch {
	case n == 0 && len(window) >= whole:
		after := string(window[len(m.delimiter):whole])
		if after == "\r\n" || after == "--" {
			m.open, m.last = false, after == "--"
			m.r.Discard(whole) //nolint:errcheck // was peeked
			return 0, io.EOF
		}
		n = 1
	case n > 0:
	case len(window) < whole:
		return 0, unexpected(err)
	default:
		n = len(window) - len(m.delimiter) + 1 // behind it a delimiter may begin
	}
	n = copy(p, window[:n])
	return m.r.Discard(n)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// headerParams reads the parameters of a header's value. In quotes a backslash keeps a quote or a
// backslash, and nothing else: a path of Windows stays one, of which a file name is the last
// element. Percent signs are only meant in a name with an asterisk.
func headerParams(value string) map[string]string {
	params := map[string]string{}
	for _, rest, more := strings.Cut(value, ";"); more; {
		var item string
		item, rest, more = cutParam(rest)
		name, text, _ := strings.Cut(item, "=")
		name, text = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(text)
		if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
			text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text[1 : len(text)-1])
		}
		if extended, is := strings.CutSuffix(name, "*"); is {
			name = extended
			if _, tagged, found := strings.Cut(text, "'"); found {
				_, text, _ = strings.Cut(tagged, "'")
			}
			if plain, err := url.PathUnescape(text); err == nil {
				text = plain
			}
		}
		if name == "filename" && (len(text) > 2 && text[1:3] == `:\` || strings.HasPrefix(text, `\\`)) {
			text = text[strings.LastIndexByte(text, '\\')+1:]
		}
		params[name] = text
	}
	return params
}

// cutParam cuts at the first semicolon outside quotes.
func cutParam(s string) (item, rest string, more bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		case s[i] == ';' && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

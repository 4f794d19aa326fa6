package local

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// The official clients send file names as they are.
func TestControlCharactersInAFileName(t *testing.T) {
	for _, name := range []string{"esc\x1b[31m.txt", "tab\t.txt", "bell\a.txt", "umlaut ü.txt", "percent %22.txt", "semi;colon.txt"} {
		e := elementsOf(t, filePart{name: name, contentType: "text/plain", data: []byte("We are here.")})
		require.Equal(t, name, e[0].Metadata.Filename)
	}
}

func TestHeaderParams(t *testing.T) {
	tests := []struct {
		value string
		want  map[string]string
	}{
		{"", map[string]string{}},
		{"form-data", map[string]string{}},
		{`form-data; name="files"; filename="a.txt"`, map[string]string{"name": "files", "filename": "a.txt"}},
		{`form-data;NAME = files;filename=a.txt`, map[string]string{"name": "files", "filename": "a.txt"}},
		{`form-data; name="a;b=c"; x`, map[string]string{"name": "a;b=c", "x": ""}},
		{`form-data; name="a\"b\\c\d"`, map[string]string{"name": `a"b\c\d`}},
		{`form-data; name="a\";b"; x="y"`, map[string]string{"name": `a";b`, "x": "y"}},
		{`form-data; filename="C:\dir\a.txt"`, map[string]string{"filename": "a.txt"}},
		{`form-data; filename="%22a%22.txt"`, map[string]string{"filename": "%22a%22.txt"}},
		{`form-data; filename*=utf-8''na%C3%AFve%20file.txt`, map[string]string{"filename": "naïve file.txt"}},
		{`form-data; filename*=100%`, map[string]string{"filename": "100%"}},
		{`form-data; name="open`, map[string]string{"name": `"open`}},
	}
	for _, test := range tests {
		t.Run(test.value, func(t *testing.T) { require.Equal(t, test.want, headerParams(test.value)) })
	}
}

// formOf is what a form reader makes of a body: disposition names and contents.
func formOf(body io.Reader) (parts []string, err error) {
	m := newFormReader(body, "b")
	for {
		p, err := m.next()
		if errors.Is(err, io.EOF) {
			return parts, nil
		}
		if err != nil {
			return parts, err
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return parts, err
		}
		parts = append(parts, p.params["name"]+"="+string(content))
	}
}

func TestFormReader(t *testing.T) {
	const head = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n"
	long := strings.Repeat("\r\n--", 100_000)
	tests := []struct {
		name, body string
		want       []string
		err        error
	}{
		{"nothing", "", nil, io.ErrUnexpectedEOF},
		{"no parts", "--b--", nil, nil},
		{"line ends first", "\r\n--b--\r\n", nil, nil},
		{"one part", head + "1\r\n--b--\r\n", []string{"x=1"}, nil},
		{"empty part", head + "\r\n--b--", []string{"x="}, nil},
		{"two parts and a rest", head + "1\r\n" + head + "2\r\n--b--\r\nrest", []string{"x=1", "x=2"}, nil},
		{"what looks like a boundary", head + "\r\n--bc\r\n--\r\n--b-\r\n--b--", []string{"x=\r\n--bc\r\n--\r\n--b-"}, nil},
		{"long content", head + long + "\r\n--b--", []string{"x=" + long}, nil},
		{"no name", "--b\r\n\r\n1\r\n--b--", []string{"=1"}, nil},
		{"text first", "text\r\n--b--", nil, errForm},
		{"wrong boundary", "--c\r\n", nil, errForm},
		{"cut off in the content", head + "1\r\n--b", nil, io.ErrUnexpectedEOF},
		{"cut off in the header", "--b\r\nContent-", nil, io.ErrUnexpectedEOF},
		{"no colon", "--b\r\nheader\r\n\r\n", nil, errForm},
		{"bare line feed", "--b\r\nA: b\n\r\n", nil, errForm},
		{"long header", "--b\r\nA: " + strings.Repeat("x", formBuffer), nil, io.ErrUnexpectedEOF},
		{"many headers", "--b\r\n" + strings.Repeat("A: b\r\n", maxHeaderLines) + "\r\n", nil, errForm},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, body := range []io.Reader{strings.NewReader(test.body), iotest.HalfReader(strings.NewReader(test.body))} {
				parts, err := formOf(body)
				if test.name == "long header" {
					require.Error(t, err)
					continue
				}
				require.ErrorIs(t, err, test.err)
				require.Equal(t, test.want, parts)
			}
		})
	}
}

func FuzzFormReader(f *testing.F) {
	f.Add("a.txt", []byte("\r\n--b\r\n"))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		formOf(bytes.NewReader(content))
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		file, err := w.CreateFormFile("files", name)
		require.NoError(t, err)
		file.Write(content)
		require.NoError(t, w.Close())
		r := httptest.NewRequest(http.MethodPost, partitionPath, &body)
		r.Header.Set("Content-Type", w.FormDataContentType())
		read, err := readForm(httptest.NewRecorder(), r, Options{MaxBody: 1 << 30, Timeout: time.Minute})
		require.NoError(t, err)
		require.Len(t, read.files, 1)
		require.Equal(t, string(content), readAll(t, read.files[0]))
	})
}

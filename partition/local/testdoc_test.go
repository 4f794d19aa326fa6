package local

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/quire-dev/quire/partition/element"
)

// The tests share one engine, since loading the PDF reader takes a while.
var sharedEngine = sync.OnceValue(func() *Engine {
	e, err := New(Options{})
	if err != nil {
		panic(err)
	}
	return e
})

func TestMain(m *testing.M) {
	if path := os.Getenv(bombFile); path != "" {
		readBomb(path)
		return
	}
	code := m.Run()
	err := sharedEngine().Close()
	if err == nil && code == 0 {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// A filePart is a file of a request; with an empty type the part says application/octet-stream, as
// Go's writer does.
type filePart struct {
	name, contentType string
	data              []byte
}

// multipartRequest builds a request with fields (name, value, name, value ...) and files.
func multipartRequest(t testing.TB, fields []string, files ...filePart) *http.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		require.NoError(t, w.WriteField(fields[i], fields[i+1]))
	}
	for _, f := range files {
		if f.contentType == "" {
			f.contentType = "application/octet-stream"
		}
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", `form-data; name="files"; filename="`+f.name+`"`)
		header.Set("Content-Type", f.contentType)
		part, err := w.CreatePart(header)
		require.NoError(t, err)
		_, err = part.Write(f.data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	r := httptest.NewRequest(http.MethodPost, partitionPath, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

// answerOf is the engine's status and body.
func answerOf(h http.Handler, r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// elementsOf partitions one file and requires success.
func elementsOf(t testing.TB, f filePart, fields ...string) []element.Element {
	t.Helper()
	status, body := answerOf(sharedEngine(), multipartRequest(t, fields, f))
	require.Equal(t, http.StatusOK, status, body)
	var elements []element.Element
	require.NoError(t, json.Unmarshal([]byte(body), &elements))
	return elements
}

// ignore takes elements and does nothing with them.
func ignore(element.Element) error { return nil }

// refuseAll takes no element.
func refuseAll(t testing.TB) func(element.Element) error {
	return func(e element.Element) error {
		t.Errorf("an element: %s", e.Type)
		return nil
	}
}

// typesAndTexts shows elements as lines "Type: text".
func typesAndTexts(elements []element.Element) []string {
	lines := []string{}
	for _, e := range elements {
		lines = append(lines, string(e.Type)+": "+e.Text)
	}
	return lines
}

// A textRun is text of a test PDF, in Helvetica, at a position from the page's lower left corner.
type textRun struct {
	x, y, size float64
	text       string
}

// testPDF writes a PDF of pages of 612 by 792 points. extra goes into every page's dictionary.
func testPDF(extra string, pages ...[]textRun) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var offsets []int
	object := func(body string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), body)
	}
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, runs := range pages {
		var content strings.Builder
		for _, r := range runs {
			text := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(r.text)
			fmt.Fprintf(&content, "BT /F1 %g Tf %g %g Td (%s) Tj ET\n", r.size, r.x, r.y, text)
		}
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"+
			" /Resources << /Font << /F1 3 0 R >> >> %s >>", 5+2*i, extra))
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String()))
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

// sample reads one of the real documents that lie beside the module, or skips the test.
func sample(t testing.TB, path string) filePart {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "samples", path))
	if os.IsNotExist(err) {
		t.Skip("no sample documents beside this checkout: " + path)
	}
	require.NoError(t, err)
	return filePart{name: filepath.Base(path), data: data}
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(data)
}

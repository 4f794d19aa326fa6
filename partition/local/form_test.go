package local

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var note = filePart{name: "note.txt", contentType: "text/plain", data: []byte("We are here.")}

func TestFormProblems(t *testing.T) {
	tests := []struct {
		name, field, value, want string
	}{
		{
			"strategy", "strategy", "FAST", `{"type":"literal_error","loc":["body","strategy"],` +
				`"msg":"Input should be 'fast', 'hi_res', 'auto' or 'ocr_only'","input":"FAST",` +
				`"ctx":{"expected":"'fast', 'hi_res', 'auto' or 'ocr_only'"}}`,
		},
		{
			"strategy of the hosted API", "strategy", "vlm", `{"type":"literal_error","loc":["body","strategy"],` +
				`"msg":"Input should be 'fast', 'hi_res', 'auto' or 'ocr_only'","input":"vlm",` +
				`"ctx":{"expected":"'fast', 'hi_res', 'auto' or 'ocr_only'"}}`,
		},
		{
			"output format with quotes", "output_format", `"text/csv"`, `{"type":"literal_error","loc":["body","output_format"],` +
				`"msg":"Input should be 'application/json' or 'text/csv'","input":"\"text/csv\"",` +
				`"ctx":{"expected":"'application/json' or 'text/csv'"}}`,
		},
		{
			"chunking", "chunking_strategy", "basic", `{"type":"literal_error","loc":["body","chunking_strategy"],` +
				`"msg":"Input should be 'by_title'","input":"basic","ctx":{"expected":"'by_title'"}}`,
		},
		{
			"chunking that is not built in", "chunking_strategy", "by_title",
			`{"type":"literal_error","loc":["body","chunking_strategy"],` +
				`"msg":"Input should be no value: the embedded engine does not chunk","input":"by_title",` +
				`"ctx":{"expected":"no value: the embedded engine does not chunk"}}`,
		},
		{
			"integer", "combine_under_n_chars", "forty", `{"type":"int_parsing","loc":["body","combine_under_n_chars"],` +
				`"msg":"Input should be a valid integer, unable to parse string as an integer","input":"forty"}`,
		},
		{
			"large integer", "starting_page_number", "99999999999999999999",
			`{"type":"int_parsing_size","loc":["body","starting_page_number"],` +
				`"msg":"Unable to parse input string as an integer, exceeded maximum size","input":"99999999999999999999"}`,
		},
		{
			"page number that pages cannot be added to", "starting_page_number", "9223372036854775807",
			`{"type":"int_parsing_size","loc":["body","starting_page_number"],` +
				`"msg":"Unable to parse input string as an integer, exceeded maximum size","input":"9223372036854775807"}`,
		},
		{
			"page number just too large", "starting_page_number", "2147483648",
			`{"type":"int_parsing_size","loc":["body","starting_page_number"],` +
				`"msg":"Unable to parse input string as an integer, exceeded maximum size","input":"2147483648"}`,
		},
		{
			"boolean", "include_page_breaks", "maybe", `{"type":"bool_parsing","loc":["body","include_page_breaks"],` +
				`"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, body := answerOf(sharedEngine(), multipartRequest(t, []string{test.field, test.value}, note))
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.Equal(t, `{"detail":[`+test.want+`]}`, body)
		})
	}
}

func TestFormAccepts(t *testing.T) {
	for _, fields := range [][]string{
		nil,
		{"strategy", `"fast"`},
		{"strategy", ""},
		{"coordinates", "certainly"},
		{"include_page_breaks", "ON"},
		{"starting_page_number", " 1_000.0 "},
		{"starting_page_number", "2147483647", "max_characters", "2147483648"},
		{"unknown", "x", "split_pdf_page", "true"},
		{"chunking_strategy", ""},
		{"strategy", "nonsense", "strategy", "auto"}, // the last one counts
	} {
		status, body := answerOf(sharedEngine(), multipartRequest(t, fields, note))
		require.Equal(t, http.StatusOK, status, "%v: %s", fields, body)
	}
}

func TestFormWithoutAFile(t *testing.T) {
	const missing = `{"detail":[{"type":"missing","loc":["body","files"],"msg":"Field required","input":null}]}`
	status, body := answerOf(sharedEngine(), multipartRequest(t, []string{"strategy", "fast"}))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, missing, body)

	status, body = answerOf(sharedEngine(), httptest.NewRequest(http.MethodPost, partitionPath, strings.NewReader("{}")))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, missing, body)

	status, body = answerOf(sharedEngine(), multipartRequest(t, []string{"files", "text"}))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, `{"detail":[{"type":"value_error","loc":["body","files",0],"msg":"Value error, Expected UploadFile, received: `+
		`<class 'str'>","input":"text","ctx":{"error":{}}}]}`, body)
}

func TestFormThatDoesNotParse(t *testing.T) {
	part := func(headers, body string) string { return "--b\r\n" + headers + "\r\n\r\n" + body + "\r\n--b--\r\n" }
	tests := []struct {
		name, contentType, body, want string
	}{
		{"no boundary", "multipart/form-data", "x", "Missing boundary in multipart."},
		{"not multipart", "multipart/form-data; boundary=b", "nonsense", "There was an error parsing the body"},
		{
			"cut off", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"strategy\"\r\n\r\nfa",
			"There was an error parsing the body",
		},
		{
			"no name", "multipart/form-data; boundary=b", part("Content-Disposition: form-data", "x"),
			`The Content-Disposition header field \"name\" must be provided.`,
		},
		{
			"large field", "multipart/form-data; boundary=b",
			part(`Content-Disposition: form-data; name="encoding"`, strings.Repeat("x", maxFieldBytes+1)),
			"Part exceeded maximum size of 1024KB.",
		},
		{
			"many fields", "multipart/form-data; boundary=b",
			strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n", maxFields+1) + "--b--\r\n",
			"Too many fields. Maximum number of fields is 1000.",
		},
		{
			"many files", "multipart/form-data; boundary=b",
			strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"x\"\r\n\r\n1\r\n", maxFiles+1) + "--b--\r\n",
			"Too many files. Maximum number of files is 1000.",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, partitionPath, strings.NewReader(test.body))
			r.Header.Set("Content-Type", test.contentType)
			status, body := answerOf(sharedEngine(), r)
			require.Equal(t, http.StatusBadRequest, status)
			require.Equal(t, `{"detail":"`+test.want+`"}`, body)
		})
	}
}

func TestBracketsAndListsOfLanguages(t *testing.T) {
	tests := []struct {
		fields []string
		want   []string
	}{
		{nil, []string{"eng"}},
		{[]string{"languages", ""}, []string{"eng"}},
		{[]string{"languages", "auto"}, []string{"eng"}},
		{[]string{"languages[]", "de", "languages[]", "fr"}, []string{"deu", "fra"}},
		{[]string{"languages", "eng+kor"}, []string{"eng", "kor"}},
		{[]string{"languages", "eng,kor"}, []string{"eng,kor"}},
		{[]string{"languages", `["ita","spa"]`}, []string{"ita", "spa"}},
		{[]string{"languages", "chi_sim"}, []string{"chi_sim"}},
	}
	for _, test := range tests {
		require.Equal(t, test.want, elementsOf(t, note, test.fields...)[0].Metadata.Languages, "%v", test.fields)
	}
}

func TestFileName(t *testing.T) {
	for sent, want := range map[string]string{
		"größe %22x.txt": "größe %22x.txt", "/home/jane/x.txt": "x.txt", `a\"b.txt`: `a"b.txt`, "": "",
	} {
		e := elementsOf(t, filePart{name: sent, contentType: "text/plain", data: []byte("We are here.")})
		require.Equal(t, want, e[0].Metadata.Filename)
	}
}

func TestMediaTypeOfTheRequest(t *testing.T) {
	text := []byte("We are here.")
	tests := []struct {
		name   string
		file   filePart
		fields []string
		status int
		want   string // of the answer
	}{
		{"part's type", filePart{"x", "text/plain; charset=utf-8", text}, nil, 200, `"filetype":"text/plain"`},
		{"form's type first", filePart{"x.txt", "text/plain", text}, []string{"content_type", "text/markdown"}, 200, `"text/markdown"`},
		{"alias", filePart{"x", "application/csv", text}, nil, 200, `"text/csv"`},
		{"by name", filePart{"x.md", "", text}, nil, 200, `"text/markdown"`},
		{"by content", filePart{"x", "", text}, nil, 200, `"text/plain"`},
		{"program text", filePart{"x.go", "", text}, nil, 200, `"text/plain"`},
		{"empty, sniffed", filePart{"x", "", nil}, nil, 400, `{"detail":"File type inode/x-empty: the embedded engine reads PDF, text, Markdown, HTML, CSV and TSV; inode/x-empty is not supported."}`},
		{"empty, text", filePart{"x", "text/plain", nil}, nil, 200, `[]`},
		{"image", filePart{"x.png", "image/png", text}, nil, 400, `{"detail":"File type .png: the embedded engine reads PDF, text, Markdown, HTML, CSV and TSV; .png is not supported."}`},
		{
			"archive as text",
			filePart{"x.txt", "text/plain", []byte("PK\x03\x04")},
			nil, 400,
			`{"detail":"File type application/zip: the embedded engine reads PDF, text, Markdown, HTML, CSV and TSV; application/zip is not supported."}`,
		},
		{
			"archive as PDF",
			filePart{"x.pdf", "application/pdf", []byte("PK\x03\x04")},
			nil, 422,
			`{"detail":"File does not appear to be a valid PDF. Error: it is damaged, or no PDF at all"}`,
		},
		{
			"JSON",
			filePart{"x.json", "application/json", []byte("[]")},
			nil, 400,
			`{"detail":"File type .json: the embedded engine reads PDF, text, Markdown, HTML, CSV and TSV; .json is not supported."}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, body := answerOf(sharedEngine(), multipartRequest(t, test.fields, test.file))
			require.Equal(t, test.status, status, body)
			require.Contains(t, body, test.want)
		})
	}
}

func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, "We are here.")
	require.NoError(t, w.Close())

	e := elementsOf(t, filePart{"note.txt.gz", "", packed.Bytes()})
	require.Equal(t, []string{"NarrativeText: We are here."}, typesAndTexts(e))
	require.Equal(t, "note.txt", e[0].Metadata.Filename)
	e = elementsOf(t, filePart{"note", "application/gzip", packed.Bytes()}, "gz_uncompressed_content_type", "text/markdown")
	require.Equal(t, "text/markdown", e[0].Metadata.Filetype)

	status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"x.gz", "", []byte("h\xffllo")}))
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, `{"detail":"Not a gzipped file (b'h\\xff')","retryable":false}`, body)

	small, err := New(Options{MaxBody: 4000})
	require.NoError(t, err)
	defer small.Close()
	var bomb bytes.Buffer
	w = gzip.NewWriter(&bomb)
	w.Write(make([]byte, 1<<20))
	require.NoError(t, w.Close())
	status, _ = answerOf(small, multipartRequest(t, nil, filePart{"x.txt.gz", "", bomb.Bytes()}))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
}

func TestBodyLimit(t *testing.T) {
	e, err := New(Options{MaxBody: 1000})
	require.NoError(t, err)
	defer e.Close()
	const want = `{"detail":"The request is larger than the limit of 1000 bytes."}`
	large := filePart{name: "x.txt", contentType: "text/plain", data: make([]byte, 2000)}
	status, body := answerOf(e, multipartRequest(t, nil, large))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Equal(t, want, body)
	r := multipartRequest(t, nil, large)
	r.ContentLength = -1
	status, body = answerOf(e, r)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Equal(t, want, body)
}

func TestLargeUploadLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := strings.Repeat("We are here. ", spoolBytes/10)
	e := elementsOf(t, filePart{name: "x.txt", contentType: "text/plain", data: []byte(text)})
	require.Len(t, e, 1)
	require.Equal(t, strings.TrimSpace(text), e[0].Text)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestOrderOfTheChecks(t *testing.T) {
	e, err := New(Options{APIKey: "right"})
	require.NoError(t, err)
	defer e.Close()
	docx := filePart{name: "x.docx", contentType: "application/msword", data: []byte("x")}

	status, body := answerOf(e, multipartRequest(t, []string{"strategy", "x"}, docx))
	require.Equal(t, http.StatusUnauthorized, status, "the key comes before the form")
	require.Equal(t, `{"detail":"API key None is invalid"}`, body)
	r := multipartRequest(t, nil, docx)
	r.Header.Set("unstructured-api-key", "wr0ng-key")
	status, body = answerOf(e, r)
	require.Equal(t, http.StatusUnauthorized, status)
	require.Equal(t, `{"detail":"API key is invalid"}`, body, "the key is not repeated")
	r = multipartRequest(t, nil, docx)
	r.Header.Set("unstructured-api-key", "right")
	status, body = answerOf(e, r)
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, `{"detail":"File type .doc: the embedded engine reads PDF, text, Markdown, HTML, CSV and TSV; .doc is not supported."}`, body)
	r = multipartRequest(t, []string{"strategy", "hi_res"}, filePart{name: "x.pdf", contentType: "application/pdf", data: []byte("%PDF-")})
	r.Header.Set("unstructured-api-key", "right")
	status, _ = answerOf(e, r)
	require.Equal(t, http.StatusUnprocessableEntity, status, "the PDF check comes before the strategy")
}

func TestRefusedStrategies(t *testing.T) {
	for _, strategy := range []string{"hi_res", "ocr_only"} {
		want := fmt.Sprintf(`{"detail":"Invalid strategy: %s. The embedded engine has fast, and auto, which means fast."}`, strategy)
		for _, f := range []filePart{note, {name: "x.pdf", contentType: "application/pdf", data: testPDF("", []textRun{{72, 400, 12, "x"}})}} {
			status, body := answerOf(sharedEngine(), multipartRequest(t, []string{"strategy", strategy}, f))
			require.Equal(t, http.StatusBadRequest, status)
			require.Equal(t, want, body)
		}
	}
}

func TestSeveralFiles(t *testing.T) {
	other := filePart{name: "b.txt", contentType: "text/plain", data: []byte("They are there.")}
	r := multipartRequest(t, nil, note, other)
	r.Header.Set("Accept", "*/*")
	status, body := answerOf(sharedEngine(), r)
	require.Equal(t, http.StatusOK, status)
	require.Regexp(t, `^\[\[\{.*We are here.*\}\],\[\{.*They are there.*\}\]\]$`, body)

	r = multipartRequest(t, nil, note, other)
	r.Header.Set("Accept", "application/json, */*")
	status, body = answerOf(sharedEngine(), r)
	require.Equal(t, http.StatusNotAcceptable, status)
	require.Equal(t, `{"detail":"Conflict in media type application/json, */* with response type 'multipart/mixed'.\n"}`, body)

	status, _ = answerOf(sharedEngine(), multipartRequest(t, []string{"output_format", "text/csv"}, note, other))
	require.Equal(t, http.StatusBadRequest, status)
}

func FuzzForm(f *testing.F) {
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"x.txt\"\r\n\r\nhi\r\n--b--"))
	f.Add("multipart/form-data", []byte(""))
	e, err := New(Options{MaxBody: 1 << 20, Timeout: time.Minute})
	require.NoError(f, err)
	f.Cleanup(func() { e.Close() })
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, partitionPath, bytes.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		status, answer := answerOf(e, r)
		require.NotContains(t, answer, `"Internal Server Error"`, "%d", status)
	})
}

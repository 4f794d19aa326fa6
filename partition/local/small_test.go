package local

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// locked encrypts a PDF with a user's password, which may be empty, and an owner's.
func locked(t *testing.T, data []byte, password string) []byte {
	t.Helper()
	api.DisableConfigDir()
	var out bytes.Buffer
	require.NoError(t, api.Encrypt(bytes.NewReader(data), &out, model.NewAESConfiguration(password, "owner", 256)))
	return out.Bytes()
}

func TestEncryptedPDF(t *testing.T) {
	plain := testPDF("", article(1))
	r := multipartRequest(t, nil, filePart{"a.pdf", "application/pdf", locked(t, plain, "secret")})
	status, body := answerOf(sharedEngine(), r)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, `{"detail":"File is encrypted. Please decrypt it with password."}`, body)

	want := elementsOf(t, filePart{"a.pdf", "application/pdf", plain})
	got := elementsOf(t, filePart{"a.pdf", "application/pdf", locked(t, plain, "")})
	require.Equal(t, pageLocal(want), pageLocal(got), "an owner's password alone does not matter")
}

func TestChunksGiveTheSameElements(t *testing.T) {
	pages := make([][]textRun, 25)
	for i := range pages {
		pages[i] = article(i + 1)
	}
	file := filePart{"a.pdf", "application/pdf", testPDF("", pages...)}
	whole := elementsOf(t, file, "coordinates", "true")
	require.Len(t, whole, 8*25)
	require.Equal(t, pageLocal(whole), pageLocal(inChunks(t, file)))
}

func TestHyphenAtTheEndOfALineStays(t *testing.T) {
	e := elementsOf(t, filePart{"a.pdf", "", testPDF("", []textRun{
		{72, 400, 10, "the advantages of re-"}, {72, 388, 10, "cent advances are known"},
	})})
	require.Equal(t, []string{"NarrativeText: the advantages of re- cent advances are known"}, typesAndTexts(e))
}

func TestTextBesideAListItemBelongsToIt(t *testing.T) {
	e := elementsOf(t, filePart{"a.pdf", "", testPDF("", []textRun{
		{72, 400, 10, "- water the plants of the garden"}, {72, 388, 10, "every day in the morning"},
	})})
	require.Equal(t, []string{"ListItem: water the plants of the garden every day in the morning"}, typesAndTexts(e))
}

func TestE2WeightOfHTML(t *testing.T) {
	many := strings.Repeat("<p>", 80_000) // 80,000 nodes of 128 bytes are 10 MB
	var attributes strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&attributes, " a%d", i)
	}
	tag := "<p" + attributes.String() + ">"
	tests := []struct {
		name, html string
		heavy      bool
	}{
		{"plain", many, false},
		{"closed formatting", "<b>a</b><b><i>c</i></b>" + many, false},
		{"formatting that holds a block", strings.Repeat("<b><p>a</p></b>", 3) + strings.Repeat("<i><p>a</p></i>", 3) + many, false},
		{"nine times as many nodes", strings.Repeat("<b><p>a</p></b>", 8) + many + many, true},
		{"closed in another order", "<b><i>a</b></i>" + many, false},
		{"attributes", tag, false},
		{"many attributes", strings.Repeat(tag, 9), true}, // 1,800,000 of 64 bytes
		{"style in svg", "<svg><style>a{}</style></svg>" + many, false},
		{"tags in a style in svg", "<svg><style><a></style></svg>" + many + many, true},
		{"tags in a style", "<style><a></style>" + many + many, false},
		{"tags in a text in brackets", "<svg><![CDATA[<a>]]></svg>" + many + many, true},
		{"long text", strings.Repeat("a ", 2*maxToken), true},
		{"long word", strings.Repeat("a", 2*maxToken), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.heavy {
				require.EqualError(t, weighHTML(test.html), "422: The HTML would take more than 96 MiB of memory to read.")
				return
			}
			require.NoError(t, weighHTML(test.html))
		})
	}
}

func TestE2AnswerIsBounded(t *testing.T) {
	a := newAnswer(false)
	defer a.close()
	require.NoError(t, a.write(make([]byte, maxAnswer)))
	require.EqualError(t, a.write([]byte("]")),
		"422: The document's elements take more than 64 MiB. Split the document into smaller ones.")
}

func TestQuotedLength(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "a\"b\\c\n\t": 11, "\x01": 6, "é": 2} {
		require.Equal(t, want, quotedLength(text), "%q", text)
	}
}

func TestAnswerWithoutATemporaryFolderIsAFailure(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "missing"))
	text := []byte(strings.Repeat("We are here.\n\n", 4000))
	status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"a.txt", "text/plain", text}))
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, body, `"detail":"temporary file: `)
	require.NotContains(t, body, "missing", "no path of the server")
}

// What goes through a temporary file is what was sent, and the answer what it would be in memory.
func TestAnswerFromATemporaryFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := strings.Repeat("We are here.\n\n", 4000)
	for _, fields := range [][]string{nil, {"output_format", "text/csv"}} {
		w := httptest.NewRecorder()
		sharedEngine().ServeHTTP(w, multipartRequest(t, fields, filePart{"a.txt", "text/plain", []byte(text)}))
		require.Equal(t, http.StatusOK, w.Code)
		require.Greater(t, w.Body.Len(), spoolBytes)
		require.Equal(t, 4000, strings.Count(w.Body.String(), "We are here."))
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

package partition

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/partition/internal/media"
)

func TestFormBytes(t *testing.T) {
	file := func() io.Reader { return strings.NewReader("content") }
	f := newUpload([]form.Pair{{Name: "strategy", Value: "fast"}, {Name: "languages[]", Value: "eng"}, {Name: "languages[]", Value: "deu"}}, `Ünï "q"\文.txt`, "text/plain", file, 7)
	f.boundary = strings.Repeat("b", 32)
	r, err := f.open()
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Len(t, data, int(f.length()))
	_, params, err := mime.ParseMediaType(newUpload(nil, "", "", file, 0).contentType())
	require.NoError(t, err)
	require.Len(t, params["boundary"], 32)

	real, _, _ := strings.Cut(string(data), "\r\n")
	require.Equal(t, strings.Join([]string{
		real, `Content-Disposition: form-data; name="strategy"`, ``, `fast`,
		real, `Content-Disposition: form-data; name="languages[]"`, ``, `eng`,
		real, `Content-Disposition: form-data; name="languages[]"`, ``, `deu`,
		real, `Content-Disposition: form-data; name="files"; filename="Ünï %22q%22\\文.txt"`, `Content-Type: text/plain`, ``, `content`,
		real + "--", "",
	}, "\r\n"), string(data))
	parts, err := multipart.NewReader(bytes.NewReader(data), strings.TrimPrefix(real, "--")).ReadForm(1 << 20)
	require.NoError(t, err)
	require.Equal(t, []string{"eng", "deu"}, parts.Value["languages[]"])
	require.Equal(t, int64(7), parts.File["files"][0].Size)
}

func TestEscapeName(t *testing.T) {
	for name, want := range map[string]string{
		`a"b`: `a%22b`, `a\b`: `a\\b`, "a\r\nX: y": "a%0D%0AX: y", "\x1b": "\x1b", "é": "é", "a%b": "a%b", "\x00": "%00",
	} {
		require.Equal(t, want, escapeName(name))
	}
}

func TestWireName(t *testing.T) {
	for name, want := range map[string]string{
		"/home/me/a.pdf": "a.pdf", "a.pdf": "a.pdf", "../x/b.txt": "b.txt", `C:\Users\me\a.pdf`: "a.pdf", `\\host\share\a.pdf`: "a.pdf",
		`odd\name.pdf`: `odd\name.pdf`, "bad\xff.pdf": "bad\uFFFD.pdf", "": "document.pdf", "文档.pdf": "文档.pdf",
	} {
		require.Equal(t, want, (&Document{name: name}).wireName(media.PDF), name)
	}
}

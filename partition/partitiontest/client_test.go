package partitiontest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// field is one part of a form, head the lines before its content.
type field struct{ head, content string }

func plain(name, value string) field {
	return field{fmt.Sprintf("Content-Disposition: form-data; name=%q\r\n", name), value}
}

func file(name, mediaType string, content []byte) field {
	head := "Content-Disposition: form-data; name=\"files\"; filename=\"" + name + "\"\r\n"
	if mediaType != "" {
		head += "Content-Type: " + mediaType + "\r\n"
	}
	return field{head, string(content)}
}

func form(fields ...field) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		b.WriteString("--boundary\r\n" + f.head + "\r\n" + f.content + "\r\n")
	}
	b.WriteString("--boundary--\r\n")
	return b.Bytes()
}

func newRequest(ctx context.Context, srv *partitiontest.Server, body io.Reader) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/general/v0/general", body)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "multipart/form-data; boundary=boundary")
	return req
}

// post sends a form and returns the answer with its whole body, and the error of either.
func post(ctx context.Context, srv *partitiontest.Server, fields ...field) (*http.Response, []byte, error) {
	resp, err := srv.Client().Do(newRequest(ctx, srv, bytes.NewReader(form(fields...))))
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

// mustPost is post for answers that arrive.
func mustPost(t *testing.T, srv *partitiontest.Server, fields ...field) (*http.Response, string) {
	t.Helper()
	resp, body, err := post(t.Context(), srv, fields...)
	require.NoError(t, err)
	return resp, string(body)
}

func texts(t *testing.T, body string) []string {
	t.Helper()
	var elements []element.Element
	require.NoError(t, json.Unmarshal([]byte(body), &elements))
	var texts []string
	for _, e := range elements {
		texts = append(texts, e.Text)
	}
	return texts
}

func pdf(pages int) field {
	return file("report.pdf", "application/pdf", partitiontest.NewPDF(pages))
}

func notes() field { return file("notes.txt", "text/plain", []byte("some notes")) }

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func newServer(t *testing.T, o partitiontest.Options) *partitiontest.Server {
	t.Helper()
	srv := partitiontest.NewServer(o)
	t.Cleanup(srv.Close)
	return srv
}

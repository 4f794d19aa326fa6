package split

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// withTable encrypts a document for a reader of classic cross-reference tables.
func withTable(t *testing.T, c *model.Configuration, f *pdfFile) []byte {
	t.Helper()
	c.WriteObjectStream, c.WriteXRefStream = false, false
	return encrypted(t, c, f.bytes())
}

var encryptEntry = regexp.MustCompile(`/Encrypt (\d+) 0 R`)

// encryption returns the number and the text of a file's encryption dictionary.
func encryption(t *testing.T, data []byte) (nr, dict string) {
	t.Helper()
	nr = string(encryptEntry.FindSubmatch(data)[1])
	_, after, found := bytes.Cut(data, []byte("\n"+nr+" 0 obj"))
	require.True(t, found)
	text, _, found := bytes.Cut(after, []byte("endobj"))
	require.True(t, found)
	return nr, string(text)
}

func TestOpenEncryptionInTrailer(t *testing.T) {
	for _, user := range []string{"", "user"} {
		data := withTable(t, model.NewAESConfiguration(user, "owner", 256), manual(2))
		_, dict := encryption(t, data)
		direct := encryptEntry.ReplaceAllLiteral(data, []byte("/Encrypt "+dict))
		if user != "" {
			_, err := openBytes(direct, Options{})
			require.EqualError(t, err, "encrypted PDF: it needs a password")
		}
		d, err := openBytes(direct, Options{Password: user})
		require.NoError(t, err)
		require.True(t, d.Encrypted())
		requirePage(t, d, 2, "(Page 2) Tj")
	}
}

func TestOpenEncryptionWithoutKeyLength(t *testing.T) {
	const length = "/Filter/Standard/Length 128"
	without := func(user string) []byte {
		data := withTable(t, model.NewAESConfiguration(user, "owner", 128), manual(2))
		require.Contains(t, string(data), length)
		return bytes.Replace(data, []byte(length), []byte("/Filter/Standard           "), 1)
	}
	d, err := openBytes(without(""), Options{})
	require.NoError(t, err)
	requirePage(t, d, 1, "(Page 1) Tj")

	secret := without("user")
	_, err = openBytes(secret, Options{Password: "wrong"})
	require.EqualError(t, err, "encrypted PDF: the password does not open it")
	_, err = openBytes(secret, Options{Password: "user"})
	require.NoError(t, err)
}

// A stream whose length leads in a circle stops pdfcpu.
func circle(f *pdfFile) int {
	first := len(f.objects) + 1
	f.add("<</Length %d 0 R>>\nstream\nx\nendstream", first+1)
	return f.add("<</Length %d 0 R>>\nstream\nx\nendstream", first)
}

func TestOpenWithUnreadableStream(t *testing.T) {
	f := manual(2)
	nr := circle(f)
	d, err := openBytes(f.bytes(), Options{})
	require.NoError(t, err, "nothing leads to it")
	requirePage(t, d, 2, "(Page 2) Tj")

	f.set(7, "<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", nr)
	_, err = openBytes(f.bytes(), Options{})
	require.ErrorIs(t, err, ErrDamaged)
	require.Regexp(t, `^damaged PDF: object \d+ cannot be read$`, err.Error())

	for range mostMends {
		circle(f)
	}
	_, err = openBytes(f.bytes(), Options{})
	require.ErrorIs(t, err, ErrDamaged)
	require.Contains(t, err.Error(), "it cannot be parsed")
}

// The last trailer is that of a table, or the dictionary of a stream.
func TestTrailer(t *testing.T) {
	trailer := func(data []byte) string {
		m := &mender{file: bytes.NewReader(data), size: int64(len(data))}
		d, at, ok := m.trailer()
		require.True(t, ok)
		require.Greater(t, at, int64(len(data)/2))
		return d.PDFString()
	}
	require.Equal(t, "<</Root 1 0 R/Size 6>>", trailer(manual(1).bytes()))
	require.Equal(t, "<</Encrypt<</V 5>>/Length 28/Root 1 0 R/Size 4/Type/XRef/W[1 4 2]>>", trailer(xrefStreamFile(map[int]string{
		1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[]/Odd(" + strings.Repeat("x", 200) + ")>>",
	}, nil, "/Encrypt<</V 5>>")))
	for _, data := range []string{"", "%PDF-1.7", "%PDF-1.7 startxref 3", "%PDF-1.7\nstartxref\n999999999999999\n", "x" + string(manual(1).bytes())} {
		m := &mender{file: strings.NewReader(data), size: int64(len(data))}
		_, _, ok := m.trailer()
		require.False(t, ok, data)
	}
}

func TestAppended(t *testing.T) {
	a := appended{strings.NewReader("0123456789"), 10, []byte("abc")}
	for off := range 14 {
		for length := range 15 {
			buf := make([]byte, length)
			n, err := a.ReadAt(buf, int64(off))
			want := "0123456789abc"[min(off, 13):min(off+length, 13)]
			require.Equal(t, want, string(buf[:n]), fmt.Sprint(off, length))
			require.Equal(t, n < length, err != nil, fmt.Sprint(off, length))
		}
	}
}

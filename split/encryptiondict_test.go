package split

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// withTable encrypts a document for a reader of classic cross-reference tables.
func withTable(t testing.TB, c *model.Configuration, f *pdfFile) []byte {
	t.Helper()
	c.WriteObjectStream, c.WriteXRefStream = false, false
	return encrypted(t, c, f.bytes())
}

var encryptEntry = regexp.MustCompile(`/Encrypt (\d+) 0 R`)

// encryptionDict returns the number and the text of a file's encryption dictionary.
func encryptionDict(t *testing.T, data []byte) (nr, dict string) {
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
		_, dict := encryptionDict(t, data)
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

// Two streams have each other for a length.
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
	d, err = openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	requirePage(t, d, 2, "x")
}

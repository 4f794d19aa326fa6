package split

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

func encrypted(t testing.TB, c *model.Configuration, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, api.Encrypt(bytes.NewReader(data), &out, c))
	return out.Bytes()
}

func TestEncrypted(t *testing.T) {
	plain := manual(3).bytes()
	ciphers := map[string]func(user, owner string) *model.Configuration{
		"RC4 128": func(u, o string) *model.Configuration { return model.NewRC4Configuration(u, o, 128) },
		"AES 128": func(u, o string) *model.Configuration { return model.NewAESConfiguration(u, o, 128) },
		"AES 256": func(u, o string) *model.Configuration { return model.NewAESConfiguration(u, o, 256) },
	}
	for name, configuration := range ciphers {
		t.Run(name, func(t *testing.T) {
			locked := encrypted(t, configuration("", "owner"), plain)
			secret := encrypted(t, configuration("user", "owner"), plain)

			d, err := openBytes(locked, Options{})
			require.NoError(t, err, "an empty user password opens")
			require.True(t, d.Encrypted())
			requirePage(t, d, 2, "(Page 2) Tj")

			_, err = openBytes(secret, Options{})
			require.EqualError(t, err, "encrypted PDF: it needs a password")
			_, err = openBytes(secret, Options{Password: "wrong"})
			require.EqualError(t, err, "encrypted PDF: the password does not open it")
			for _, password := range []string{"user", "owner"} {
				d, err := openBytes(secret, Options{Password: password})
				require.NoError(t, err, password)
				require.True(t, d.Encrypted())
				requirePage(t, d, 3, "(Page 3) Tj")
			}
		})
	}
	d, err := openBytes(plain, Options{Password: "needless"})
	require.NoError(t, err)
	require.False(t, d.Encrypted())
}

// A key that seems to be right, and turns all streams into noise, is none.
func TestOpenChecksTheKey(t *testing.T) {
	f := manual(2)
	content := deflated(t, "BT /F1 12 Tf (text) Tj ET", 0, 0)
	for _, nr := range []int{4, 6} {
		f.set(nr, "<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", len(content), content)
	}
	data := withTable(t, model.NewAESConfiguration("", "owner", 128), f)
	_, err := openBytes(data, Options{})
	require.NoError(t, err)

	start := []byte("stream\n")
	for at := 0; ; {
		i := bytes.Index(data[at:], start)
		if i < 0 {
			break
		}
		at += i + len(start)
		if !bytes.HasSuffix(data[:at], []byte("endstream\n")) {
			data[at] ^= 0xff // of the initial vector: the first block is another then
		}
	}
	_, err = openBytes(data, Options{})
	require.EqualError(t, err, "damaged PDF: none of its streams can be read")
}

// One damaged stream is no wrong key.
func TestOpenChecksTheKeyWithSeveralStreams(t *testing.T) {
	f := manual(2)
	f.stream("/Filter/FlateDecode", []byte("no zlib stream starts like this"))
	f.stream("/Filter/FlateDecode", deflated(t, "text", 0, 0))
	d, err := openBytes(withTable(t, model.NewRC4Configuration("", "owner", 128), f), Options{})
	require.NoError(t, err)
	require.True(t, d.Encrypted())
}

// The files are manual(7), encrypted by qpdf in each revision of the standard security handler.
func TestEncryptedByQPDF(t *testing.T) {
	for _, revision := range []string{"r2", "r3", "r4", "r5", "r6"} {
		t.Run(revision, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "encrypted", revision+".pdf"))
			require.NoError(t, err)
			for _, password := range []string{"user", "owner"} {
				d, err := openBytes(data, Options{Password: password})
				require.NoError(t, err, password)
				require.True(t, d.Encrypted())
				require.Equal(t, ReaderTable, d.Reader())
				requireRight(t, d)
			}
			_, err = openBytes(data, Options{})
			require.EqualError(t, err, "encrypted PDF: it needs a password")
			_, err = openBytes(data, Options{Password: "Us\u00e9r"})
			require.EqualError(t, err, "encrypted PDF: the password does not open it")
		})
	}
}

// However a chunk of an encrypted document is read, it is the same.
func TestEncryptedChunkReads(t *testing.T) {
	f := manual(2)
	f.set(4, "<</Length 20000>>\nstream\n%s\nendstream", strings.Repeat("0123456789", 2000))
	for name, c := range map[string]*model.Configuration{
		"RC4": model.NewRC4Configuration("", "owner", 128), "AES": model.NewAESConfiguration("", "owner", 256),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := openBytes(encrypted(t, c, f.bytes()), Options{})
			require.NoError(t, err)
			chunk, err := d.Chunk(t.Context(), PageRange{1, 2})
			require.NoError(t, err)
			var whole bytes.Buffer
			_, err = chunk.WriteTo(&whole)
			require.NoError(t, err)
			require.NoError(t, iotest.TestReader(io.NewSectionReader(chunk, 0, chunk.Size()), whole.Bytes()))
			requirePage(t, d, 1, strings.Repeat("0123456789", 2000))
		})
	}
}

package split

import (
	"bytes"
	"testing"

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

package text_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/text"
)

func TestUTF8Reader(t *testing.T) {
	for in, want := range map[string]struct {
		out      string
		replaced int64
	}{
		"":                           {"", 0},
		"plain":                      {"plain", 0},
		"Größe 表 😀 \ufffd":           {"Größe 表 😀 \ufffd", 0},
		"Gr\xf6\xdfe":                {"Gr\ufffd\ufffde", 2},
		"\xe8\xa1":                   {"\ufffd\ufffd", 2},
		"a\xf0\x9f\x98":              {"a\ufffd\ufffd\ufffd", 3},
		"\xe8\xa1x表\xff":             {"\ufffd\ufffdx表\ufffd", 3},
		"\xed\xa0\x80":               {"\ufffd\ufffd\ufffd", 3}, // half a surrogate
		strings.Repeat("表\xff", 2e4): {strings.Repeat("表\ufffd", 2e4), 2e4},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)), "data with the end": iotest.DataErrReader(strings.NewReader(in)),
		} {
			u := text.NewUTF8Reader(r)
			out, err := io.ReadAll(u)
			require.NoError(t, err, name)
			require.Equal(t, want.out, string(out), name)
			require.Equal(t, want.replaced, u.Replaced, name)
		}
	}
	u := text.NewUTF8Reader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab"))))
	_, err := io.ReadAll(u)
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

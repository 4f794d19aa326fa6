package text_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/text"
)

func TestPairReader(t *testing.T) {
	for in, want := range map[string]struct {
		out      string
		replaced int64
	}{
		``:                             {``, 0},
		`"plain \n \\ \" \u0041"`:      {`"plain \n \\ \" \u0041"`, 0},
		`"\ud83d\ude00 \uD83D\uDE00"`:  {`"\ud83d\ude00 \uD83D\uDE00"`, 0},
		`"\ud800"`:                     {`"\ufffd"`, 1},
		`"\uDFFFx"`:                    {`"\ufffdx"`, 1},
		`"\ud83d\ud83d\ude00"`:         {`"\ufffd\ud83d\ude00"`, 1},
		`"\ude00\ud83d"`:               {`"\ufffd\ufffd"`, 2},
		`"\ud83d\u0041"`:               {`"\ufffd\u0041"`, 1},
		`"\ud83d\n"`:                   {`"\ufffd\n"`, 1},
		`"\\ud800 \\\ud800 \\\\ud800"`: {`"\\ud800 \\\ufffd \\\\ud800"`, 1},
		`"\ud8`:                        {`"\ud8`, 0}, // breaks off
		`"\ud83d`:                      {`"\ud83d`, 0},
		`"\uzzzz\ud8zz"`:               {`"\uzzzz\ud8zz"`, 0}, // no JSON: left to the parser
		strings.Repeat(`\ud800é`, 2e4): {strings.Repeat(`\ufffdé`, 2e4), 2e4},
	} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)), "data with the end": iotest.DataErrReader(strings.NewReader(in)),
		} {
			p := text.NewPairReader(r)
			out, err := io.ReadAll(p)
			require.NoError(t, err, name)
			require.Equal(t, want.out, string(out), name)
			require.Equal(t, want.replaced, p.Replaced, name+in)
		}
	}
	_, err := io.ReadAll(text.NewPairReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab")))))
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

package screen

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\r\n表 😀 \u00ad\u200d\ufeff\n": "plain\ttext\r\n表 😀 \u00ad\u200d\ufeff\n",
		"\x00\x1b[31m\x7f\u0080\u009f\u00a0":      `\u0000\u001b[31m\u007f\u0080\u009f` + "\u00a0",
		"\u202a\u202e\u2066\u2069\u200f\u2028":    `\u202a\u202e\u2066\u2069` + "\u200f\u2028",
		"a\rb\r\r\nc":                             `a\u000db\u000d` + "\r\nc",
		"\x9b31m \xc2":                            "\ufffd31m \ufffd",
	} {
		whole, rest := visible([]byte(text), true)
		require.Equal(t, want, string(whole))
		require.Empty(t, rest)

		var out bytes.Buffer
		v := &visibleWriter{w: &out}
		for i := range len(text) {
			n, err := v.Write([]byte{text[i]})
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
		_, err := v.Write([]byte("."))
		require.NoError(t, err)
		require.Equal(t, want+".", out.String())
	}
	lost := errors.New("gone")
	r, w := io.Pipe()
	require.NoError(t, r.CloseWithError(lost))
	n, err := (&visibleWriter{w: w}).Write([]byte("a"))
	require.ErrorIs(t, err, lost)
	require.Zero(t, n)
	require.Equal(t, io.Writer(w), Visible(w), "no terminal")
}

// What a line says of foreign texts does not steer the terminal, whoever says it.
func TestE12LinesDoNotSteerTheTerminal(t *testing.T) {
	for _, way := range []string{ProgressNone, ProgressJSON} {
		var out bytes.Buffer
		c := New(Options{W: &out, Progress: way})
		c.Say("%s", "a\u009b31m\x1b[2J\x7f")
		_, err := c.Write([]byte("{\"document\":\"\u009b\u202e\"}\n"))
		require.NoError(t, err)
		c.Close()
		require.NotRegexp(t, "[\u0080-\u009f\u202e\x1b\x7f]", out.String())
		require.Contains(t, out.String(), `a\u009b31m`)
		require.Contains(t, out.String(), `{"document":"\u009b\u202e"}`+"\n")
	}
}

package walk

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestFilesList(t *testing.T) {
	longest := strings.Repeat("x", listedPathLimit)
	for name, test := range map[string]struct {
		text string
		want []string
		err  string
	}{
		"nothing":                {"", []string{}, ""},
		"lines":                  {"b\na\n", []string{"b", "a"}, ""},
		"no last end":            {"a\nb", []string{"a", "b"}, ""},
		"windows":                {"\ufeffa\r\n\r\nb c\r\n", []string{"a", "b c"}, ""},
		"blank lines":            {"\n\na\n\n \n", []string{"a", " "}, ""},
		"a return inside":        {"a\rb\n", []string{"a\rb"}, ""},
		"NUL":                    {"a\nb\x00c\r\x00\x00d", []string{"a\nb", "c\r", "d"}, ""},
		"not UTF-8":              {"\xff\xfe\n", []string{"\xff\xfe"}, ""},
		"the longest line":       {longest + "\r\n" + longest, []string{longest, longest}, ""},
		"the longest NUL":        {longest + "\x00" + longest + "\x00", []string{longest, longest}, ""},
		"too long":               {"a\n" + longest + "x\n", nil, "line 2: longer than 65536 bytes; this is not a list of files"},
		"too long, no end":       {longest + longest, nil, "line 1: longer than 65536 bytes; this is not a list of files"},
		"too long for NUL":       {"a\x00" + longest + "x\x00", nil, "line 2: longer than 65536 bytes; this is not a list of files"},
		"NUL far behind the top": {longest + "\n" + "a\x00b\n", nil, "line 2: a NUL byte in a list with one path per line"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				list, err := ReadList(r)
				if test.err != "" {
					require.EqualError(t, err, test.err)
					continue
				}
				require.NoError(t, err)
				got := []string{}
				for _, l := range list {
					require.Empty(t, l.Name)
					got = append(got, l.Path)
				}
				require.Equal(t, test.want, got)
			}
		})
	}
}

// A list is read or refused, and what was read is what a list of the same paths would be.
func FuzzFilesList(f *testing.F) {
	for _, seed := range []string{"a\nb", "a\x00b\x00", "\r\n", "\ufeffx", "a\x00\n\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadList(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.NotNil(t, list)
		var again bytes.Buffer
		for _, l := range list {
			require.NotContains(t, l.Path, "\x00")
			require.NotEmpty(t, l.Path)
			again.WriteString(l.Path + "\x00")
		}
		same, err := ReadList(&again)
		require.NoError(t, err)
		require.Equal(t, list, same)
	})
}

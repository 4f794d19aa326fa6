package walk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"unicode/utf16"

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
		"NUL":                    {"a\nb\x00c\r\x00d", []string{"a\nb", "c\r", "d"}, ""},
		"not UTF-8":              {"\xff\xfd\n", []string{"\xff\xfd"}, ""},
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

// TestA1 reads lists as their byte order marks say, and refuses what is not clearly a list: a
// character of it that became a path could be a folder.
func TestA1(t *testing.T) {
	wide := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	little, big := binary.LittleEndian, binary.BigEndian
	for name, test := range map[string]struct {
		text string
		want []string
		err  error
	}{
		"UTF-16LE":                 {wide(little, "\ufeffdocs/a.txt\r\ndocs/\u00e9\u6587\U0001f600\r\n"), []string{"docs/a.txt", "docs/\u00e9\u6587\U0001f600"}, nil},
		"UTF-16BE":                 {wide(big, "\ufeffdocs/a.txt\nb"), []string{"docs/a.txt", "b"}, nil},
		"UTF-16LE, empty":          {"\xff\xfe", []string{}, nil},
		"UTF-8":                    {"\xef\xbb\xbfa\nb\n", []string{"a", "b"}, nil},
		"UTF-8, NUL":               {"\xef\xbb\xbfdocs/a\x00b\x00", []string{"docs/a", "b"}, nil},
		"UTF-16LE, no mark":        {wide(little, "docs/a.txt\r\n"), nil, errNoList},
		"UTF-16BE, no mark":        {wide(big, "docs/a.txt\r\n"), nil, errNoList},
		"UTF-16LE, no mark, short": {wide(little, "/\n"), nil, errNoList},
		"UTF-16BE, no mark, wide":  {wide(big, "\u6587/a\n"), nil, errNoList},
		"UTF-16LE, no mark, wide":  {wide(little, "\u6587/a\n"), nil, errNoList},
		"UTF-16 behind UTF-8":      {"docs/a.txt\n" + wide(little, "docs/b.txt\n"), nil, errNoList},
		"UTF-16LE cut":             {wide(little, "\ufeffdocs/a")[:5], nil, errHalfUTF16},
		"half a pair":              {"\xff\xfe\x3d\xd8a\x00", nil, errHalfUTF16},
		"half a pair at the end":   {"\xff\xfe\x3d\xd8", nil, errHalfUTF16},
		"NUL in UTF-16":            {wide(little, "\ufeffa\x00b\x00"), nil, errNULUTF16},
		"UTF-32LE":                 {"\xff\xfe\x00\x00/\x00\x00\x00", nil, errNULUTF16},
		"UTF-32BE":                 {"\x00\x00\xfe\xff\x00\x00\x00/", nil, errNoList},
		"UTF-32LE, no mark":        {"/\x00\x00\x00", nil, errNoList},
		"an empty path":            {"docs/a\x00\x00docs/b\x00", nil, errNoList},
		"one short path":           {".\x00./docs/a\x00", []string{".", "./docs/a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				list, err := ReadList(r)
				require.ErrorIs(t, err, test.err)
				var got []string
				if err == nil {
					got = []string{}
				}
				for _, l := range list {
					got = append(got, l.Path)
				}
				require.Equal(t, test.want, got)
			}
		})
	}
}

// A decoded line is there as soon as it was written, mark or no mark.
func TestDecodedWaitsForNothing(t *testing.T) {
	for _, text := range []string{"a\n", "\xef\xbb\xbfa\n", "\xff\xfea\x00\n\x00", "\xef\n"} {
		synctest.Test(t, func(t *testing.T) {
			out, in := io.Pipe()
			go func() { _, _ = io.WriteString(in, text) }()
			line := make(chan string, 1)
			go func() {
				read, err := bufio.NewReader(Decoded(out)).ReadString('\n')
				if err == nil {
					line <- read
				}
			}()
			synctest.Wait()
			require.Len(t, line, 1)
			require.True(t, strings.HasSuffix(<-line, "\n"))
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
			again.WriteString("./" + l.Path + "\x00") // no path of one byte
		}
		same, err := ReadList(&again)
		require.NoError(t, err)
		for i := range list {
			list[i].Path = "./" + list[i].Path
		}
		require.Equal(t, list, same)
	})
}

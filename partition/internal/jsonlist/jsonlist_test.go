package jsonlist_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/jsonlist"
)

// values reads all values of a list, each from its place.
func values(list string, r io.Reader) ([]string, error) {
	read := []string{}
	for l := jsonlist.New(bufio.NewReaderSize(r, 16), 1<<20); ; {
		v, err := l.Next()
		if errors.Is(err, io.EOF) {
			return read, nil
		}
		if err != nil {
			return nil, err
		}
		read = append(read, list[v.At:v.At+v.Size])
	}
}

func TestReader(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	for list, want := range map[string][]string{
		`[]`:                     {},
		" [ \n] \t\r\n":          {},
		`[{}]`:                   {`{}`},
		` [ {"a" : 1 } , {} ] `:  {`{"a" : 1 }`, `{}`},
		`[1,-0.5e+10,0,"x",[ ]]`: {`1`, `-0.5e+10`, `0`, `"x"`, `[ ]`},
		`[true,false,null,1]`:    {`true`, `false`, `null`, `1`},
		`[{"a\"\u00e9\\":[{"b":[1,2,{"c":null}]},""]},"]"]`: {`{"a\"\u00e9\\":[{"b":[1,2,{"c":null}]},""]}`, `"]"`},
		`["` + strings.Repeat("x", 1e5) + `"]`:              {`"` + strings.Repeat("x", 1e5) + `"`},
		`[` + deep + `]`:                                    {deep},
	} {
		for _, r := range []io.Reader{strings.NewReader(list), iotest.OneByteReader(strings.NewReader(list))} {
			read, err := values(list, r)
			require.NoError(t, err, list)
			require.Equal(t, want, read)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	for list, want := range map[string]string{
		``:              "unexpected EOF",
		`[`:             "unexpected EOF",
		`[{"a":"`:       "unexpected EOF",
		`[1`:            "unexpected EOF",
		`[{},`:          "unexpected EOF",
		`{}`:            "the body is not a list of elements",
		`[{}]{`:         "unexpected data after the list of elements",
		`[{},]`:         "invalid character ']' looking for beginning of value",
		`[{} {}]`:       "invalid character '{' after array element",
		`[,]`:           "invalid character ',' looking for beginning of value",
		`[{"a" 1}]`:     "invalid character '1' after object key",
		`[{"a":x}]`:     "invalid character 'x' looking for beginning of value",
		`[{"a":1 "b"}]`: `invalid character '"' after a value`,
		`[{a:1}]`:       "invalid character 'a' looking for beginning of object key string",
		`[{"a":1,}]`:    "invalid character '}' looking for beginning of object key string",
		"[\"\n\"]":      `invalid character '\n' in string literal`,
		`["\x"]`:        "invalid character 'x' in string escape code",
		`["\u00g0"]`:    `invalid character 'g' in \u hexadecimal character escape`,
		`[-x]`:          "invalid character 'x' in numeric literal",
		`[1.x]`:         "invalid character 'x' after decimal point in numeric literal",
		`[1ex]`:         "invalid character 'x' in exponent of numeric literal",
		`[{"a":01}]`:    "invalid character '1' after a value",
		`[nul1]`:        "invalid character '1' in literal true, false or null",
		"[\"" + strings.Repeat("x", 1<<20) + "\"]": "an element is longer than 1 MiB",
		strings.Repeat("[", 10_002):                "invalid character '[' inside of 10000 objects and lists",
	} {
		_, err := values(list, strings.NewReader(list))
		require.EqualError(t, err, want, "%.80s", list)
	}
	syntax := (*jsonlist.SyntaxError)(nil)
	_, err := values("", strings.NewReader(`[{"a":x}]`))
	require.ErrorAs(t, err, &syntax)
	require.Equal(t, int64(7), syntax.Offset)
	_, err = values("", iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("[1]"))))
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

// FuzzReader takes what encoding/json takes, with the same values.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"a":[1,-2.5e-3,true,null]},"\u00e9\\"]`, `[1 2]`, `[{"a":1,}]`, "[\"\x01\"]", `[01]`, `[-]`, `[1.]`, `[1e]`, `[tru]`, `{}`, `[]x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		read, err := values(string(list), bytes.NewReader(list))
		var want []json.RawMessage
		valid := json.Unmarshal(list, &want) == nil && len(bytes.TrimSpace(list)) > 0 && bytes.TrimSpace(list)[0] == '['
		require.Equal(t, valid, err == nil, "%v", err)
		if !valid {
			return
		}
		require.Len(t, read, len(want))
		for i := range want {
			require.Equal(t, strings.TrimSpace(string(want[i])), read[i])
		}
	})
}

package format_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
)

func readAll(r io.Reader) (elements []element.Element, err error) {
	for e, err := range format.Read(r) {
		if err != nil {
			return elements, err
		}
		elements = append(elements, e)
	}
	return elements, nil
}

// What the two formats write comes back, byte for byte.
func TestRead(t *testing.T) {
	lines := []string{
		`{"type":"Title","new":[1,null],"element_id":"1","text":"<&>","metadata":{"page_number":1.0,"x":null}}`,
		`{"metadata":{},"type":"Table","text":"","element_id":"2","source":{"path":"a","sha256":"b"}}`,
	}
	for name, output := range map[string]string{
		"json": "[\n" + strings.Join(lines, ",\n") + "\n]\n", "jsonl": strings.Join(lines, "\n") + "\n", "spaces": "  \n[" + strings.Join(lines, " , ") + "]",
	} {
		elements, err := readAll(iotest.OneByteReader(strings.NewReader(output)))
		require.NoError(t, err, name)
		require.Len(t, elements, 2, name)
		for i, e := range elements {
			require.Equal(t, lines[i], string(e.Raw()), name)
		}
	}
	for _, empty := range []string{"", "[]", " \n"} {
		elements, err := readAll(strings.NewReader(empty))
		require.NoError(t, err)
		require.Empty(t, elements)
	}
}

func TestReadErrors(t *testing.T) {
	const one = `{"type":"Title"}`
	for output, want := range map[string]string{
		"<html>":                "not a list of elements in the format json or jsonl: invalid character '<' looking for beginning of value",
		"7":                     "not a list of elements in the format json or jsonl: element is not a JSON object",
		"[{}]":                  "not a list of elements in the format json or jsonl: element 1 has no type",
		"[" + one + ",":         "element 2: the file ends too early",
		"[" + one:               "the list of elements ends too early",
		"[" + one + "] x":       "unexpected data after the list of elements",
		one + "\n" + `{"type":`: "element 2: the file ends too early",
		one + "\n]":             "element 2: invalid character ']' looking for beginning of value",
	} {
		_, err := readAll(strings.NewReader(output))
		require.EqualError(t, err, want, output)
		require.Equal(t, strings.HasPrefix(want, "not a list"), errors.Is(err, format.ErrNotElements), output)
	}
	broken := errors.New("broken")
	elements, err := readAll(io.MultiReader(strings.NewReader(one+"\n"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Len(t, elements, 1)
	for range format.Read(strings.NewReader(one + one)) {
		break
	}
}

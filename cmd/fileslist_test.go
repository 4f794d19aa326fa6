package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
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
		"too long":               {"a\n" + longest + "x\n", nil, "line 2: longer than 65536 bytes, no list of files"},
		"too long, no end":       {longest + longest, nil, "line 1: longer than 65536 bytes, no list of files"},
		"too long for NUL":       {"a\x00" + longest + "x\x00", nil, "line 2: longer than 65536 bytes, no list of files"},
		"NUL far behind the top": {longest + "\n" + "a\x00b\n", nil, "line 2: a NUL byte in a list of lines"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				list, err := parseFilesList(r)
				if test.err != "" {
					require.EqualError(t, err, test.err)
					continue
				}
				require.NoError(t, err)
				got := []string{}
				for _, l := range list {
					require.Empty(t, l.name)
					got = append(got, l.path)
				}
				require.Equal(t, test.want, got)
			}
		})
	}
}

func TestReadFilesList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	_, err := readFilesList(t.Context(), path, nil)
	require.EqualError(t, err, "--files-from "+path+": no such file or folder")
	require.Equal(t, exitUsage, exitCode(err))
	require.NoError(t, os.WriteFile(path, []byte("a\nb\n"), 0o600))
	list, err := readFilesList(t.Context(), path, nil)
	require.NoError(t, err)
	require.Equal(t, []listed{{path: "a"}, {path: "b"}}, list)
	list, err = readFilesList(t.Context(), "-", strings.NewReader("c"))
	require.NoError(t, err)
	require.Equal(t, []listed{{path: "c"}}, list)
	_, err = readFilesList(t.Context(), "-", iotest.ErrReader(errors.New("torn")))
	require.EqualError(t, err, "--files-from -: torn")
	_, err = readFilesList(t.Context(), filepath.Dir(path), nil)
	require.Equal(t, exitUsage, exitCode(err))

	// An interrupt ends the waiting for a list that does not come.
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	stdin, typist := io.Pipe()
	defer typist.Close()
	go func() {
		_, _ = typist.Write([]byte("a\n"))
		cancel(&stopped{os.Interrupt})
	}()
	_, err = readFilesList(ctx, "-", stdin)
	require.Equal(t, exitInterrupted, exitCode(err))
}

// A list is read or refused, and what was read is what a list of the same paths would be.
func FuzzFilesList(f *testing.F) {
	for _, seed := range []string{"a\nb", "a\x00b\x00", "\r\n", "\ufeffx", "a\x00\n\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseFilesList(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.NotNil(t, list)
		var again bytes.Buffer
		for _, l := range list {
			require.NotContains(t, l.path, "\x00")
			require.NotEmpty(t, l.path)
			again.WriteString(l.path + "\x00")
		}
		same, err := parseFilesList(&again)
		require.NoError(t, err)
		require.Equal(t, list, same)
	})
}

func TestWalkFlags(t *testing.T) {
	sh := &shell{stdin: strings.NewReader("a\n")}
	f := walkFlags{hidden: true, include: []string{"*.a"}, exclude: []string{"*.b"}, maxSize: 5, filesFrom: "-"}
	o, err := f.options(t.Context(), sh, []string{"x"})
	require.NoError(t, err)
	require.Equal(t, walkOptions{
		roots: []string{"x"}, list: []listed{{path: "a"}}, hidden: true, include: []string{"*.a"}, exclude: []string{"*.b"}, maxSize: 5,
	}, o)
	f.filesFrom = ""
	o, err = f.options(t.Context(), sh, []string{"-"})
	require.NoError(t, err)
	require.Nil(t, o.list)
}

package words_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/words"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{words.Count(0, "page"), "0 pages"},
		{words.Count(1, "page"), "1 page"},
		{words.Count(2, "page"), "2 pages"},
		{words.Size(1), "1 byte"},
		{words.Size(9_999), "9999 bytes"},
		{words.Size(10_000), "10 kB"},
		{words.Size(340_000_000), "340 MB"},
		{words.Size(9_999_999_999), "9999 MB"},
		{words.Size(12e9), "12 GB"},
	} {
		require.Equal(t, test.want, test.got)
	}
}

func TestErrors(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "out/a", Err: errors.New("no space")}
	require.EqualError(t, words.Reason(full), "no space")
	require.EqualError(t, words.Reason(&os.LinkError{Op: "rename", Old: "a", New: "b", Err: errors.New("no space")}), "no space")
	require.EqualError(t, words.Reason(errors.New("torn")), "torn")
	require.Equal(t, "out/a: no space", words.PathError("out/a", full))
	require.Equal(t, "a: no such file or folder", words.PathError("a", &fs.PathError{Op: "stat", Path: "a", Err: fs.ErrNotExist}))
}

package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/walk"
)

func TestReadFilesList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	_, err := readFilesList(t.Context(), path, nil)
	require.EqualError(t, err, "--files-from "+path+": no such file or folder")
	require.Equal(t, exitUsage, exitCode(err))
	require.NoError(t, os.WriteFile(path, []byte("a\nb\n"), 0o600))
	list, err := readFilesList(t.Context(), path, nil)
	require.NoError(t, err)
	require.Equal(t, []walk.Listed{{Path: "a"}, {Path: "b"}}, list)
	list, err = readFilesList(t.Context(), "-", strings.NewReader("c"))
	require.NoError(t, err)
	require.Equal(t, []walk.Listed{{Path: "c"}}, list)
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

func TestWalkFlags(t *testing.T) {
	sh := &shell{stdin: strings.NewReader("a\n")}
	f := walkFlags{hidden: true, include: []string{"*.a"}, exclude: []string{"*.b"}, maxSize: 5, filesFrom: "-"}
	o, err := f.options(t.Context(), sh, []string{"x"})
	require.NoError(t, err)
	require.Equal(t, walk.Options{
		Roots: []string{"x"}, List: []walk.Listed{{Path: "a"}}, Hidden: true, Include: []string{"*.a"}, Exclude: []string{"*.b"}, MaxSize: 5,
	}, o)
	f.filesFrom = ""
	o, err = f.options(t.Context(), sh, []string{"-"})
	require.NoError(t, err)
	require.Nil(t, o.List)
}

package folder

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func openFolder(t *testing.T) (*Folder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	f, err := Open(dir, healthy(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f, dir
}

// names are the files below a folder, with slashes.
func names(t *testing.T, dir string) []string {
	t.Helper()
	names := []string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

// An output has its name once it is whole, and not before.
func TestFileIsWholeOrNotThere(t *testing.T) {
	f, dir := openFolder(t)
	file, err := f.Create("a/b.json")
	require.NoError(t, err)
	_, err = file.WriteString("[]")
	require.NoError(t, err)
	require.Len(t, names(t, dir), 1)
	require.NoFileExists(t, filepath.Join(dir, "a", "b.json"))
	require.NoError(t, file.Commit())
	require.Equal(t, []string{"a/b.json"}, names(t, dir))

	file, err = f.Create("a/b.json")
	require.NoError(t, err)
	_, err = file.WriteString("half")
	require.NoError(t, err)
	file.Discard()
	file.Discard()
	data, err := os.ReadFile(filepath.Join(dir, "a", "b.json"))
	require.NoError(t, err)
	require.Equal(t, "[]", string(data))
	require.Equal(t, []string{"a/b.json"}, names(t, dir))

	file, err = f.Create("c.json")
	require.NoError(t, err)
	err = file.Fill(func(io.Writer) error { return errors.New("no more") })
	require.EqualError(t, err, "c.json: output: no more")
	require.Equal(t, []string{"a/b.json"}, names(t, dir))
}

// What cannot be written because of its name does not keep others from being written.
func TestRefusedNames(t *testing.T) {
	f, dir := openFolder(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "taken"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for name, want := range map[string]string{
		"taken":        "x: output: a folder has this name",
		".quire/x":     "x: output: .quire is reserved for the state of runs",
		".QUIRE/x":     "x: output: .quire is reserved for the state of runs",
		"../out.json":  "x: output: path escapes from parent",
		"file/x.jsonl": "x: output: not a directory",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "file/x.jsonl" && runtime.GOOS == "windows" {
				t.Skip("the error has another text there")
			}
			_, err := f.Create(name)
			unwritable := &WriteError{"x", err}
			require.EqualError(t, unwritable, want)
			require.True(t, unwritable.OfItsName())
		})
	}
	require.False(t, (&WriteError{"x", errors.New("no space left on device")}).OfItsName())
}

func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "summary.json")
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	file, err := OpenFile("summary", path, healthy(t))
	require.NoError(t, err)
	require.NoError(t, file.Fill(write("new")))

	require.NoError(t, os.Chmod(path, 0o640))
	if err := os.Symlink("summary.json", filepath.Join(dir, "link")); err == nil {
		file, err = OpenFile("summary", filepath.Join(dir, "link"), healthy(t))
		require.NoError(t, err)
		require.NoError(t, file.Fill(write("through the link")))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "through the link", string(data))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
		require.Equal(t, []string{"link", "summary.json"}, names(t, dir))
	}
	_, err = OpenFile("summary", dir, healthy(t))
	require.EqualError(t, err, "summary "+dir+": a folder has this name")
	_, err = OpenFile("summary", filepath.Join(dir, "missing", "x"), healthy(t))
	require.ErrorContains(t, err, "summary "+filepath.Join(dir, "missing", "x")+": ")
	if runtime.GOOS != "windows" {
		file, err = OpenFile("report", os.DevNull, healthy(t)) // written as it comes, and not replaced
		require.NoError(t, err)
		require.NoError(t, file.Fill(write("gone")))
		info, err := os.Stat(os.DevNull)
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeDevice)
	}
}

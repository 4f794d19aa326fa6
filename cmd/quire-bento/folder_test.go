package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
)

// The configuration for a folder writes what the command writes.
func TestAFolderIsWhatTheCommandMakesOfIt(t *testing.T) {
	dir := t.TempDir()
	in, out, want := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "want")
	require.NoError(t, os.CopyFS(filepath.Join(in, "deep", "er"), os.DirFS("../../testdata/demo")))
	require.NoError(t, os.WriteFile(filepath.Join(in, "letter.txt"), []byte("A letter of one line.\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(in, "minutes.docx"), []byte("PK\x03\x04 of no use"), 0o600))

	var said bytes.Buffer
	code := cmd.Main([]string{"partition", in, "-o", want, "-f", "jsonl", "--local", "--no-cache"}, nil, strings.NewReader(""), &said, &said)
	require.Equal(t, 3, code, said.String())
	for range 2 { // the second time over the outputs of the first
		require.NoError(t, worker(t, "config/folder.yaml", "LOCAL=true", "DOCUMENTS="+in, "OUT="+out, "CACHE="+filepath.Join(dir, "cache")).Run())
	}

	compared := 0
	require.NoError(t, filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" || strings.Contains(path, ".quire") {
			return err
		}
		expected, err := os.ReadFile(path)
		require.NoError(t, err)
		name, err := filepath.Rel(want, path)
		require.NoError(t, err)
		actual, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		require.Equal(t, string(expected), string(actual), name)
		compared++
		return nil
	}))
	require.Equal(t, 6, compared)

	failed, err := os.ReadFile(filepath.Join(out, "failed.jsonl"))
	require.NoError(t, err)
	line, _, _ := bytes.Cut(failed, []byte("\n"))
	var record struct{ Path, Kind, Message string }
	require.NoError(t, json.Unmarshal(line, &record))
	require.Equal(t, filepath.Join(in, "minutes.docx"), record.Path)
	require.Equal(t, "unsupported_type", record.Kind)
	require.Contains(t, record.Message, "minutes.docx")
}

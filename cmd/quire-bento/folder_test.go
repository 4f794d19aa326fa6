package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
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

// folderRun is a run of the configuration for a folder that asks a server, over 60 texts, of which the server cannot read those called bad.
func folderRun(t *testing.T, name string) (out string, start func() *exec.Cmd, srv *partitiontest.Server) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	out = filepath.Join(dir, "out")
	require.NoError(t, os.Mkdir(in, 0o700))
	require.NoError(t, os.Mkdir(out, 0o700))
	for i := range 60 {
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%s-%d.txt", name, i)), fmt.Appendf(nil, "Text %d.\n", i), 0o600))
	}
	srv = newServer(t, partitiontest.Fault{File: "bad-*", Do: partitiontest.Detail(422, strings.Repeat("Cannot be read. ", 12))},
		partitiontest.Fault{Do: partitiontest.Delay(5 * time.Millisecond)})
	return out, func() *exec.Cmd {
		return worker(t, "config/folder.yaml", "DOCUMENTS="+in, "OUT="+out, "UNSTRUCTURED_API_URL="+srv.URL)
	}, srv
}

// wholeOutputs is how many outputs there are; each has to be whole.
func wholeOutputs(t *testing.T, out string) int {
	names, err := filepath.Glob(filepath.Join(out, "good-*.jsonl"))
	require.NoError(t, err)
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Contains(t, string(content), "all of "+strings.TrimSuffix(filepath.Base(name), ".jsonl"))
		require.True(t, strings.HasSuffix(string(content), "}\n"), "%s: %s", name, content)
	}
	return len(names)
}

// failures are the documents of a list of failures, each of whose lines has to be whole, by the number of lines.
func failures(t *testing.T, out string) map[string]int {
	list, err := os.ReadFile(filepath.Join(out, "failed.jsonl"))
	require.NoError(t, err)
	all := map[string]int{}
	for line := range strings.Lines(string(list)) {
		var record struct{ Path, Kind string }
		require.NoError(t, json.Unmarshal([]byte(line), &record), "%q", line)
		all[filepath.Base(record.Path)+" "+record.Kind]++
	}
	return all
}

// TestA9FolderIsKilledInTheMiddle: at any time a file is whole or not there, and the next run has everything once.
func TestA9FolderIsKilledInTheMiddle(t *testing.T) {
	for _, name := range []string{"good", "bad"} {
		out, start, srv := folderRun(t, name)
		for range 3 {
			before, run := len(srv.Requests()), start()
			require.NoError(t, run.Start())
			require.Eventually(t, func() bool { return len(srv.Requests()) > before+20 }, time.Minute, time.Millisecond)
			require.NoError(t, run.Process.Kill())
			require.Error(t, run.Wait())
			wholeOutputs(t, out)
		}
		require.NoError(t, start().Run())
		failed := failures(t, out)
		require.Equal(t, 60, wholeOutputs(t, out)+len(failed), name)
		for document, lines := range failed {
			require.Equal(t, 1, lines, document)
		}
	}
}

// TestC11FolderRunEndsWithCounts: once, whatever the number of threads.
func TestC11FolderRunEndsWithCounts(t *testing.T) {
	out, start, _ := folderRun(t, "good")
	require.NoError(t, os.WriteFile(filepath.Join(out, "..", "in", "bad-1.txt"), []byte("Text.\n"), 0o600))
	run := start()
	said := sayingOf(run, "61 documents: 60 answered, 1 failed")
	require.NoError(t, run.Run())
	said.await(t)
	require.Equal(t, 1, strings.Count(said.text.String(), " documents: "))
}

// TestA9FolderWithANameTooLong: a document without a possible output does not stop those behind it.
func TestA9FolderWithANameTooLong(t *testing.T) {
	out, start, _ := folderRun(t, "good")
	long := strings.Repeat("n", 251) + ".txt"
	require.NoError(t, os.WriteFile(filepath.Join(out, "..", "in", long), []byte("Text.\n"), 0o600))
	require.NoError(t, start().Run())
	require.Equal(t, map[string]int{long + " output": 1}, failures(t, out))
	require.Equal(t, 60, wholeOutputs(t, out))
}

// TestA9FolderWithFilesThatCannotBeRead: each of them is listed, and none stops those behind it.
func TestA9FolderWithFilesThatCannotBeRead(t *testing.T) {
	out, start, _ := folderRun(t, "good")
	in := filepath.Join(out, "..", "in")
	vanishing := filepath.Join(in, "good-vanishing.txt")
	require.NoError(t, os.WriteFile(vanishing, []byte("Text.\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(in, "README"), []byte("No dot.\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(in, "a.folder"), 0o700))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(in, "a.link")))
	vanished := make(chan struct{})
	srv := newServer(t, partitiontest.Fault{Do: partitiontest.Until(vanished)})
	run := start()
	run.Env = append(run.Env, "UNSTRUCTURED_API_URL="+srv.URL)
	left := sayingOf(run, ": 1, a link that leads nowhere")
	require.NoError(t, run.Start())
	require.Eventually(t, func() bool { return srv.InFlight() > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, os.Remove(vanishing)) // the last in the order of names
	close(vanished)
	require.NoError(t, run.Wait())
	left.await(t)
	require.FileExists(t, filepath.Join(out, "README.jsonl"))
	require.Equal(t, 60, wholeOutputs(t, out))
	require.Equal(t, map[string]int{"good-vanishing.txt local_io": 1}, failures(t, out))
}

// However the folder is written, the outputs have the same names.
func TestA9FolderIsNamedInAnyWay(t *testing.T) {
	config, err := filepath.Abs("config/folder.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a.b", "in", "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.b", "in", "sub", "x.txt"), []byte("A text.\n"), 0o600))
	require.NoError(t, os.Symlink("a.b/in", filepath.Join(dir, "documents")))
	whole, above := filepath.Join(dir, "a.b", "in"), filepath.Join("..", filepath.Base(dir), "a.b", "in")
	for i, name := range []string{"a.b/in", "a.b/in/", "./a.b/in", ".//a.b/in//", whole, whole + "/", above, ""} {
		run := worker(t, config, "LOCAL=true", "OUT=out"+strconv.Itoa(i))
		if name != "" {
			run.Env = append(run.Env, "DOCUMENTS="+name)
		}
		run.Dir = dir
		require.NoError(t, run.Run())
		require.FileExists(t, filepath.Join(dir, "out"+strconv.Itoa(i), "sub", "x.txt.jsonl"), name)
	}
}

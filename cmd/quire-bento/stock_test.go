package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// The command quire in a Bento of one's own, without this program: a process for each document.
func TestAProcessADocument(t *testing.T) {
	out, _ := runStream(t, `
command:
  name: `+quire(t)+`
  args_mapping: '[ "partition", "-", "--name", metadata("path").string(), "-f", "jsonl", "--no-cache" ]'
`, message(partitiontest.NewPDF(3), "a.pdf"), message([]byte("text"), "b.txt"), message([]byte("bad"), "bad.txt"))
	require.Len(t, strings.Split(strings.TrimSpace(out["inbox/a.pdf"].content), "\n"), 3)
	require.Contains(t, out["inbox/b.txt"].content, "all of b.txt")
	require.ErrorContains(t, out["inbox/bad.txt"].err, "Cannot be read.")
	require.Equal(t, "bad", out["inbox/bad.txt"].content)
}

// The same with one process for all documents, which are named by their paths. Bento takes a line of standard error for an answer:
// there is none.
func TestAProcessForAllDocuments(t *testing.T) {
	dir := t.TempDir()
	var in []*service.Message
	add := func(name string, content []byte) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		in = append(in, message([]byte(path), name))
	}
	add("bad.txt", []byte("bad"))
	add("a.pdf", partitiontest.NewPDF(3))
	add("worse.txt", []byte("worse"))
	add("b.txt", []byte("text"))
	out, _ := runStream(t, `
try:
  - subprocess:
      name: `+quire(t)+`
      args: [ partition, --stdin-list, --no-cache ]
      max_buffer: 100000000 # a line is a whole document
  - mapping: 'root = if this.exists("error") { throw(this.error.message) } else { this.elements }'
`, in...)
	var elements []element.Element
	require.NoError(t, json.Unmarshal([]byte(out["inbox/a.pdf"].content), &elements))
	require.Len(t, elements, 3)
	require.NoError(t, json.Unmarshal([]byte(out["inbox/b.txt"].content), &elements))
	require.Equal(t, "all of b.txt", elements[0].Text)
	require.ErrorContains(t, out["inbox/bad.txt"].err, "bad.txt: ")
	require.ErrorContains(t, out["inbox/worse.txt"].err, "worse.txt: ")
}

// quire is the command, for processes of this test; it asks a server that cannot read bad.txt and worse.txt.
func quire(t *testing.T) string {
	srv := newServer(t, partitiontest.Fault{File: "[bw][ao]*.txt", Do: partitiontest.Detail(422, "Cannot be read.")})
	binary, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(asProgram, "quire")
	t.Setenv(partition.EnvAPIURL, srv.URL)
	return binary
}

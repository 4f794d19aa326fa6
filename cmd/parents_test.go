package cmd_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// Parents across chunks are repaired by default. To turn that off, or to ask for it, makes the output
// anew from the answers in the cache.
func TestD4ParentsInOutputs(t *testing.T) {
	server := partitiontest.NewServer(partitiontest.Options{Engine: parentsOfFirstPages})
	defer server.Close()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.pdf", partitiontest.NewPDF(4), 0o600))
	cacheDir := t.TempDir()
	for _, step := range []struct {
		args    []string
		parents int
		said    string
	}{
		{[]string{"--repair-parents=false"}, 1, "1 done"},
		{nil, 2, "1 done"},
		{nil, 2, "1 unchanged"},
		{[]string{"--repair-parents"}, 2, "1 done"},
		{[]string{"--repair-parents=true"}, 2, "1 unchanged"},
		{[]string{"--repair-parents=false"}, 1, "1 done"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"partition", "a.pdf", "-o", "out", "--cache-dir", cacheDir}, step.args...)
		require.Zero(t, cmd.Main(args, []string{"UNSTRUCTURED_API_URL=" + server.URL}, strings.NewReader(""), &stdout, &stderr), stderr.String())
		require.Contains(t, stderr.String(), step.said, step.args)
		written, err := os.ReadFile("out/a.pdf.json")
		require.NoError(t, err)
		require.Equal(t, step.parents, strings.Count(string(written), `"parent_id":"a"`), step.args)
		require.Len(t, server.Requests(), 2)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"partition", "a.pdf", "--repair-parents=perhaps"}
	require.Equal(t, 2, cmd.Main(args, nil, strings.NewReader(""), &stdout, &stderr))
	require.Contains(t, stderr.String(), `"perhaps" is neither true nor false`)
}

// parentsOfFirstPages answers as the real server does: the text of a page has the title above as its
// parent, and the title is on page 1.
var parentsOfFirstPages = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	request, _ := partitiontest.FromContext(r.Context())
	elements := []element.Element{{Type: element.TypeNarrativeText, ID: "b", Text: "b", Metadata: element.Metadata{PageNumber: request.Pages.First}}}
	if request.Pages.First == 1 {
		elements[0].Metadata.ParentID = "a"
		elements = append([]element.Element{{Type: element.TypeTitle, ID: "a", Text: "a"}}, elements...)
	}
	_ = json.NewEncoder(w).Encode(elements)
})

// Outputs of version 0.1.0 stay as they are; with --force their parents are restored, from the cache
// and without a request.
func TestD4OutputsOfEarlierVersions(t *testing.T) {
	server := partitiontest.NewServer(partitiontest.Options{Engine: parentsOfFirstPages})
	defer server.Close()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.pdf", partitiontest.NewPDF(4), 0o600))
	cacheDir := t.TempDir()
	run := func(said string, args ...string) {
		var stdout, stderr bytes.Buffer
		args = append([]string{"partition", "a.pdf", "-o", "out"}, args...)
		require.Zero(t, cmd.Main(args, []string{"UNSTRUCTURED_API_URL=" + server.URL}, strings.NewReader(""), &stdout, &stderr), stderr.String())
		require.Contains(t, stderr.String(), said, args)
		require.Len(t, server.Requests(), 2)
	}
	parents := func() int {
		written, err := os.ReadFile("out/a.pdf.json")
		require.NoError(t, err)
		return strings.Count(string(written), `"parent_id":"a"`)
	}
	rewrite := func(name, old, replacement string, at int) {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		pieces := strings.Split(string(content), old)
		require.Greater(t, len(pieces), at, name)
		changed := strings.Join(pieces[:at], old) + replacement + strings.Join(pieces[at:], old)
		require.NoError(t, os.WriteFile(name, []byte(changed), 0o600))
	}
	run("1 done", "--cache-dir", cacheDir)
	require.Equal(t, 2, parents())
	rewrite("out/.quire/manifest.jsonl", `"repaired":true,`, "", 1)
	const parent = `,"parent_id":"a"`
	rewrite("out/a.pdf.json", parent, strings.Repeat(" ", len(parent)), 2) // its size is on record
	require.Equal(t, 1, parents())

	run("1 unchanged", "--cache-dir", cacheDir)
	run("1 unchanged", "--no-cache", "--force")
	require.Equal(t, 1, parents())
	run("1 done", "--cache-dir", cacheDir, "--force")
	require.Equal(t, 2, parents())
	run("1 unchanged", "--cache-dir", cacheDir, "--force")
}

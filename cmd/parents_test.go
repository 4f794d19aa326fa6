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
	engine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		elements := []element.Element{{Type: element.TypeNarrativeText, ID: "b", Text: "b", Metadata: element.Metadata{PageNumber: request.Pages.First}}}
		if request.Pages.First == 1 {
			elements[0].Metadata.ParentID = "a"
			elements = append([]element.Element{{Type: element.TypeTitle, ID: "a", Text: "a"}}, elements...)
		}
		_ = json.NewEncoder(w).Encode(elements)
	})
	server := partitiontest.NewServer(partitiontest.Options{Engine: engine})
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

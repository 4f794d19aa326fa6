package partition_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/local"
	"github.com/quire-dev/quire/split"
)

// An oddPDF is a file of testdata/pdf/odd, as package split's tests describe it in the index.
type oddPDF struct {
	File  string
	Right string   // "split", "damaged", "split or damaged", "password" or "no pages"
	Says  []string // a text for each page; "" where it says nothing
}

// oddPassword opens the files that need one.
const oddPassword = "reader"

// otherRepairs are files that the embedded engine's reader repairs in another way than package
// split does.
var otherRepairs = map[string]string{
	"xref-one-off.pdf":       "the engine leaves out the content whose place in the table is that of another",
	"tree-count-low.pdf":     "the engine believes the /Count",
	"tree-nested-packed.pdf": "the engine finds what a page inherits by its /Parent, which is not there",
}

// Every odd PDF is sent both ways to the embedded engine. What is split gives the same elements as
// the whole, and every text once, in order. What is damaged goes whole, with a warning. What needs
// a password is not sent without, and is split with it.
func TestOddPDFs(t *testing.T) {
	folder := filepath.Join("..", "testdata", "pdf", "odd")
	data, err := os.ReadFile(filepath.Join(folder, "index.json"))
	require.NoError(t, err)
	var files []oddPDF
	require.NoError(t, json.Unmarshal(data, &files))
	require.NotEmpty(t, files)
	engine, err := local.New(local.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	for _, file := range files {
		t.Run(file.File, func(t *testing.T) {
			t.Parallel()
			transport := &countingTransport{next: engine.RoundTripper()}
			client, err := partition.New(partition.WithBaseURL("http://embedded.invalid"), partition.WithAPIKey(""),
				partition.WithHTTPClient(&http.Client{Transport: transport}))
			require.NoError(t, err)
			send := func(s partition.Split) ([]element.Element, partition.Report, int64, error) {
				d, err := partition.Open(filepath.Join(folder, file.File))
				require.NoError(t, err)
				defer d.Close()
				before := transport.requests.Load()
				result, err := client.Partition(t.Context(), d, partition.Params{Strategy: "fast", Coordinates: new(true), Split: s})
				return result.Elements, result.Report, transport.requests.Load() - before, err
			}
			cut := partition.Split{Concurrency: 50}
			if file.Right == "password" {
				_, _, requests, err := send(cut)
				require.ErrorIs(t, err, split.ErrEncrypted)
				require.Zero(t, requests)
				cut.Password = oddPassword
			}
			parts, report, requests, err := send(cut)
			if file.Right == "split" || file.Right == "password" {
				require.NoError(t, err)
				require.EqualValues(t, len(split.Plan(len(file.Says), 50)), requests)
				require.Equal(t, says(file.Says), texts(parts))
			}
			if file.Right == "damaged" {
				require.EqualValues(t, 1, requests)
				require.NotEmpty(t, report.Warnings)
			}
			if file.Right == "password" {
				return // the embedded engine takes no password
			}
			whole, _, requests, wholeErr := send(partition.Split{Off: true})
			require.LessOrEqual(t, requests, int64(1))
			if wholeErr != nil || otherRepairs[file.File] != "" {
				return
			}
			require.NoError(t, err, "the whole can be read")
			require.Len(t, parts, len(whole))
			for i := range whole {
				require.Equal(t, withoutParent(t, whole[i]), withoutParent(t, parts[i]))
			}
		})
	}
}

// says is what all pages say together.
func says(pages []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(pages), func(text string) bool { return text == "" }), " ")
}

func texts(elements []element.Element) string {
	var all []string
	for _, e := range elements {
		all = append(all, e.Text)
	}
	return strings.Join(all, " ")
}

// withoutParent is an element without its parent, which may stand in an earlier chunk.
func withoutParent(t *testing.T, e element.Element) map[string]any {
	t.Helper()
	encoded, err := e.MarshalJSON()
	require.NoError(t, err)
	var element map[string]any
	require.NoError(t, json.Unmarshal(encoded, &element))
	metadata, _ := element["metadata"].(map[string]any)
	delete(metadata, "parent_id")
	return element
}

// A countingTransport counts the requests that pass.
type countingTransport struct {
	next     http.RoundTripper
	requests atomic.Int64
}

func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return c.next.RoundTrip(r)
}

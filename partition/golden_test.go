package partition_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/local"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// The elements of testdata/elements/handmade.json are written by hand, with every kind of member
// and what programs stumble over. They come through the client as they are, number for number.
func TestHandmadeElementsComeThrough(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "testdata", "elements", "handmade.json"))
	require.NoError(t, err)
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	server.Script(partitiontest.Fault{Do: partitiontest.Reply(200, string(want))})
	client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithHTTPClient(server.Client()))
	require.NoError(t, err)
	const text = "High at six."
	document := partition.FromReaderAt("tides.txt", strings.NewReader(text), int64(len(text)))
	defer document.Close()
	result, err := client.Partition(t.Context(), document, partition.Params{})
	require.NoError(t, err)
	got, err := json.Marshal(result.Elements)
	require.NoError(t, err)
	require.Equal(t, withNumbers(t, want), withNumbers(t, got))

	elements := result.Elements
	require.Len(t, elements, 10)
	require.Equal(t, "Tide tables\nfor Sandwick", elements[0].Text)
	require.Equal(t, "5f0a6f5a1c0e4b52a3a1d3b0f1f2a301", elements[1].Metadata.ParentID)
	require.Equal(t, "Naïve readers wait: 読者 🌊 \x00 \u2028 \"quoted\" <b>&amp;</b> \\", elements[1].Text)
	require.Equal(t, 2, elements[2].Metadata.PageNumber)
	require.EqualValues(t, "SomethingNew", elements[8].Type)
	originals, err := elements[6].Metadata.DecodeOrigElements()
	require.NoError(t, err)
	require.Len(t, originals, 2)
	require.Equal(t, "chunk of text.", originals[1].Text)
	require.Equal(t, 5, originals[1].Metadata.PageNumber)
}

// withNumbers decodes JSON with numbers as they are spelled.
func withNumbers(t *testing.T, data []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v))
	return v
}

// A demoElement is an element of the project's own small documents as a reader of these sees it.
type demoElement struct {
	Type   string
	Text   string
	Page   int
	Parent string   // the text of the element that it stands under
	Links  []string // where they lead
	HTML   string   // of a table
}

// The elements of testdata/elements/demo.json are read off the documents of testdata/demo by hand.
// The embedded engine returns them, and no others, whether a document is split or not.
func TestDemoElements(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "elements", "demo.json"))
	require.NoError(t, err)
	var documents map[string][]demoElement
	require.NoError(t, json.Unmarshal(data, &documents))
	require.Len(t, documents, 5)
	engine, err := local.New(local.Options{})
	require.NoError(t, err)
	defer engine.Close()
	client, err := partition.New(partition.WithBaseURL("http://embedded.invalid"), partition.WithAPIKey(""),
		partition.WithHTTPClient(&http.Client{Transport: engine.RoundTripper()}))
	require.NoError(t, err)
	for name, want := range documents {
		for mode, cut := range map[string]partition.Split{
			"whole": {Off: true}, "split": {}, "split finely": {Concurrency: 50},
		} {
			t.Run(name+" "+mode, func(t *testing.T) {
				document, err := partition.Open(filepath.Join("..", "testdata", "demo", name))
				require.NoError(t, err)
				defer document.Close()
				result, err := client.Partition(t.Context(), document, partition.Params{Strategy: "fast", Split: cut})
				require.NoError(t, err)
				require.Equal(t, want, demoElements(t, result.Elements))
			})
		}
	}
}

func demoElements(t *testing.T, elements []element.Element) []demoElement {
	t.Helper()
	texts := map[string]string{}
	var seen []demoElement
	for _, e := range elements {
		texts[e.ID] = e.Text
		encoded, err := e.MarshalJSON()
		require.NoError(t, err)
		var members struct {
			Metadata struct {
				PageNumber int      `json:"page_number"`
				ParentID   string   `json:"parent_id"`
				LinkURLs   []string `json:"link_urls"`
				TextAsHTML string   `json:"text_as_html"`
			}
		}
		require.NoError(t, json.Unmarshal(encoded, &members))
		m := members.Metadata
		if m.ParentID != "" {
			require.Contains(t, texts, m.ParentID, "a parent that does not come before")
		}
		seen = append(seen, demoElement{
			Type: string(e.Type), Text: e.Text, Page: m.PageNumber, Parent: texts[m.ParentID], Links: m.LinkURLs, HTML: strings.TrimSpace(m.TextAsHTML),
		})
	}
	return seen
}

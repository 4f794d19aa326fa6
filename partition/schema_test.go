package partition_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// A list of what is decidedly no element is no answer: it is asked for twice, and fails with a line
// that says which item and which member.
func TestE12ListsOfNoElements(t *testing.T) {
	const good = `{"type":"Title","element_id":"1","text":"a","metadata":{"page_number":1}}`
	withMetadata := func(member string) string {
		return `[` + good + `,{"type":"Title","element_id":"2","text":"b","metadata":{` + member + `}}]`
	}
	for body, want := range map[string]string{
		`[{}]`:                                "item 1 of the list is no element: it has no type: {}",
		`[1]`:                                 "item 1 of the list is not a JSON object: 1",
		`[null]`:                              "item 1 of the list is not a JSON object: null",
		`[[` + good + `]]`:                    "item 1 of the list is not a JSON object: [{",
		`[{"type":5,"text":"a"}]`:             "item 1 of the list is no element: its type is a number, not a string: 5",
		`[{"type":null,"text":"a"}]`:          "item 1 of the list is no element: it has no type",
		`[{"type":"","text":"a"}]`:            "item 1 of the list is no element: it has no type",
		`[{"Type":"Title","Text":"a"}]`:       "item 1 of the list is no element: it has no type",
		`[{"type":"error","message":"busy"}]`: "item 1 of the list is no element: it has no text: {\"type\":\"error\"",
		`[` + good + `,{"text":["x"]}]`:       "item 2 of the list is no element: its text is a list, not a string: [\"x\"]",
		`[{"type":"Title","text":"a","element_id":7}]`:                                           "item 1 of the list is no element: its element_id is a number, not a string: 7",
		`[{"type":"Title","text":"a","metadata":"page 1"}]`:                                      "item 1 of the list is no element: its metadata is a string, not an object: \"page 1\"",
		`[{"type":"Title","text":"a","metadata":[]}]`:                                            "its metadata is a list, not an object",
		`[{"type":"Title","text":"a","text":false}]`:                                             "its text is a boolean, not a string: false",
		withMetadata(`"page_number":"2"`):                                                        "item 2 of the list is no element: its metadata.page_number is a string, not a whole number: \"2\"",
		withMetadata(`"page_number":2.5`):                                                        "metadata.page_number is a number, not a whole number: 2.5",
		withMetadata(`"page_number":1e999`):                                                      "metadata.page_number is a number, not a whole number: 1e999",
		withMetadata(`"parent_id":{"id":"1"}`):                                                   "metadata.parent_id is an object, not a string",
		withMetadata(`"languages":"eng"`):                                                        "metadata.languages is a string, not a list of strings",
		withMetadata(`"languages":["eng",5]`):                                                    "metadata.languages is a list, not a list of strings: [\"eng\",5]",
		withMetadata(`"coordinates":"none"`):                                                     "metadata.coordinates is a string, not an object",
		withMetadata(`"link_start_indexes":[0,"1"]`):                                             "metadata.link_start_indexes is a list, not a list of whole numbers",
		withMetadata(`"x":` + strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300)):               "item 2 of the list is nested 302 deep, more than 256",
		withMetadata(`"x":` + strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000)): "inside of 10000 objects and lists",
		withMetadata(`"x":NaN`):                                                                  "the body is not valid JSON",
	} {
		t.Run(body[:min(len(body), 90)], func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, body)})
				result, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
				require.ErrorContains(t, err, want)
				require.NotContains(t, err.Error(), "\n")
				require.Equal(t, partition.KindBadResponse, partition.KindOf(err))
				require.Empty(t, result.Elements)
				require.Len(t, s.Requests(), 2)
			})
		})
	}
}

// Servers differ: what an element has beyond the API's members, or lacks of those that are optional,
// is no reason to refuse it, and is written as it came.
func TestE12UnusualElements(t *testing.T) {
	for _, raw := range []string{
		`{"type":"Title","text":"a"}`,
		`{"type":"NobodyKnowsIt","text":"","element_id":null,"metadata":null}`,
		`{"type":"Image","text":null,"metadata":{"page_number":null,"languages":null,"link_texts":["here",null]}}`,
		`{"type":"CheckBox","element_id":"1","checked":true,"metadata":{}}`,
		`{"type":"PageBreak","element_id":"","text":"","metadata":{}}`,
		`{"type":"CompositeElement","text":"a","embeddings":[0.10,1e999],"coordinates":[[1,2]],"metadata":{"x":{"y":[1,"z"]},"is_extracted":true}}`,
		`{"type":"Title","Type":5,"text":"a","TEXT":["x"],"metadata":{"Page_Number":"x","coordinates":{"points":null}}}`,
		`{"type":5,"type":"Title","text":"a"}`,
	} {
		t.Run(raw, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, "["+raw+"]")})
				result, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
				require.NoError(t, err)
				require.Len(t, result.Elements, 1)
				require.Equal(t, raw, string(result.Elements[0].Raw()))
				require.Len(t, s.Requests(), 1)
			})
		})
	}
}

// What an earlier build stored stays an answer: it was paid for.
func TestE12StoredAnswersStay(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, `[{"type":"Title","text":"a"}]`)})
		store, err := cache.Open(t.TempDir(), cache.Options{})
		require.NoError(t, err)
		older := olderCache{store, `[{"type":"Title","text":"a","metadata":{"page_number":"1"}}]`}
		for range 2 {
			_, err = newClient(t, s, partition.WithCache(older)).Partition(t.Context(), text("hello"), partition.Params{})
			require.NoError(t, err)
		}
		require.Len(t, s.Requests(), 1)
	})
}

// An olderCache has another answer wherever it has one.
type olderCache struct {
	partition.Cache
	answer string
}

func (c olderCache) Get(ctx context.Context, k partition.Key) (io.ReadCloser, error) {
	stored, err := c.Cache.Get(ctx, k)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(strings.NewReader(c.answer)), stored.Close()
}

// Every element of the API's answers that are here passes.
func TestE12RealElements(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "golden", "*", "*.json"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join("..", "..", "shared", "golden", "*", "*", "*.json"))
	require.NoError(t, err)
	if files = append(files, more...); len(files) == 0 {
		t.Skip("no golden elements: ../shared/golden is not here")
	}
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithHTTPClient(server.Client()))
	require.NoError(t, err)
	for _, file := range files {
		body, err = os.ReadFile(file)
		require.NoError(t, err)
		var chunks struct {
			Elements json.RawMessage `json:"elements"`
		}
		if json.Unmarshal(body, &chunks) == nil {
			body = chunks.Elements
		}
		var want []element.Element
		require.NoError(t, json.Unmarshal(body, &want))
		result, err := client.Partition(t.Context(), text("hello"), partition.Params{})
		require.NoError(t, err, file)
		require.Len(t, result.Elements, len(want), file)
	}
}

package partition_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// An answer of parentServer: the elements of its pages as "Title", "Text" and, with a parent that the
// server gives, "Text<id".
type pageElements map[int][]string

// parentServer answers with these elements, the id of each being its page and its place there.
func (p pageElements) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, _ := partitiontest.FromContext(r.Context())
	elements := []element.Element{}
	for page := request.Pages.First; page <= request.Pages.Last; page++ {
		for i, said := range p[page] {
			kind, parent, _ := strings.Cut(said, "<")
			elements = append(elements, element.Element{
				Type: map[string]element.ElementType{"Title": element.TypeTitle, "Text": element.TypeNarrativeText}[kind],
				ID:   fmt.Sprintf("%d.%d", page, i+1), Metadata: element.Metadata{PageNumber: page, ParentID: parent},
			})
		}
	}
	_ = json.NewEncoder(w).Encode(elements)
}

// A document of eight pages is cut in chunks of two. What its elements stand under is the same as if
// the server had seen it whole, wherever the answers prove how it finds parents; nothing is invented.
func TestD4ParentsAcrossChunks(t *testing.T) {
	all := []string{"", "1.1", "1.1", "1.1", "1.1", "1.1", "1.1", "1.1", "1.1"}
	given := []string{"", "1.1", "1.1", "", "", "", "", "", ""}
	one := pageElements{1: {"Title", "Text<1.1"}, 2: {"Text<1.1"}, 3: {"Text"}, 4: {"Text"}, 5: {"Text"}, 6: {"Text"}, 7: {"Text"}, 8: {"Text"}}
	with := func(page int, elements ...string) pageElements {
		changed := maps.Clone(one)
		changed[page] = elements
		return changed
	}
	for name, test := range map[string]struct {
		pages   pageElements
		failing int // a page
		repair  *bool
		want    []string
	}{
		"by default": {one, 0, nil, all},
		"asked for":  {one, 0, new(true), all},
		"turned off": {one, 0, new(false), given},
		"another rule": {
			with(5, "Text<other"), 0, nil, []string{"", "1.1", "1.1", "1.1", "1.1", "other", "", "", ""},
		},
		"another rule, and a proof after it": {
			pageElements{1: {"Title", "Text<1.1"}, 3: {"Text<other"}, 5: {"Title", "Text<5.1"}, 7: {"Text"}},
			0, nil,
			[]string{"", "1.1", "other", "", "5.1", "5.1"},
		},
		"a gap": {one, 3, nil, []string{"", "1.1", "1.1", "", "", "", ""}},
		"the nearest title": {
			pageElements{1: {"Title", "Text<1.1"}, 3: {"Title", "Text<3.1"}, 4: {"Text<3.1"}, 5: {"Text"}, 7: {"Text"}},
			0, nil,
			[]string{"", "1.1", "", "3.1", "3.1", "3.1", "3.1"},
		},
		"a server without parents": {
			pageElements{1: {"Title"}, 3: {"Text"}, 5: {"Text"}, 7: {"Title", "Text"}}, 0, nil, []string{"", "", "", "", ""},
		},
		"nothing contradicts": {
			pageElements{1: {"Title"}, 3: {"Text"}}, 0, new(true), []string{"", "1.1"},
		},
		"proven later": {
			pageElements{1: {"Title"}, 3: {"Text", "Title", "Text<3.2"}}, 0, nil, []string{"", "1.1", "", "3.2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{Engine: test.pages}, func(t *testing.T, s *partitiontest.Server) {
				if test.failing > 0 {
					s.Script(partitiontest.Fault{Pages: split.PageRange{First: test.failing, Last: test.failing}, Do: partitiontest.Detail(400, "x")})
				}
				store, err := cache.Open(t.TempDir(), cache.Options{})
				require.NoError(t, err)
				for range 2 { // from the server, and from the cache
					result, err := newClient(t, s, partition.WithCache(store)).Partition(t.Context(), pdf("a.pdf", 8),
						partition.Params{Split: partition.Split{RepairParents: test.repair, AllowFailed: true}})
					if test.failing == 0 {
						require.NoError(t, err)
						require.Len(t, s.Requests(), 4)
					}
					var got []string
					for _, e := range result.Elements {
						got = append(got, e.Metadata.ParentID)
					}
					require.Equal(t, test.want, got)
				}
			})
		})
	}
}

// The second request of text chunking sends the elements as they were answered, as earlier builds
// did: what is stored of these stays found. Only who asks for the repair has it there too.
func TestD4TextChunkingAfter(t *testing.T) {
	pages := pageElements{1: {"Title", "Text<1.1"}, 3: {"Text"}}
	second := func(repair *bool) (sent partitiontest.Request) {
		bubble(t, partitiontest.Options{Engine: pages}, func(t *testing.T, s *partitiontest.Server) {
			_, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 4), partition.Params{
				ChunkingStrategy: "basic", Split: partition.Split{RepairParents: repair, Scope: partition.ChunkingAfter},
			})
			require.NoError(t, err)
			require.Len(t, s.Requests(), 3)
			sent = s.Requests()[2]
		})
		return sent
	}
	require.Equal(t, second(new(false)).SHA256, second(nil).SHA256)
	require.Equal(t, second(nil).Size+int64(len(`"parent_id":"1.1",`)), second(new(true)).Size)
}

// The answers of the open-source server to whole PDFs, as it would give them to chunks: all parents
// come back by default. From a server that gives no parents, none are invented.
func TestD4RealParents(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "golden", "fast", "*.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no golden elements: ../shared/golden is not here")
	}
	documents, lost, back := 0, 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var whole []element.Element
		require.NoError(t, json.Unmarshal(data, &whole))
		if len(whole) == 0 || whole[len(whole)-1].Metadata.PageNumber < 3 {
			continue
		}
		documents++
		for _, parentless := range []bool{false, true} {
			chunks := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				request, _ := partitiontest.FromContext(r.Context())
				answer, ids := []element.Element{}, map[string]bool{}
				for _, e := range whole {
					if page := e.Metadata.PageNumber; page < request.Pages.First || page > request.Pages.Last {
						continue
					}
					ids[e.ID] = true
					if parentless || !ids[e.Metadata.ParentID] {
						e.Metadata.ParentID = ""
					}
					answer = append(answer, e)
				}
				_ = json.NewEncoder(w).Encode(answer)
			})
			bubble(t, partitiontest.Options{Engine: chunks}, func(t *testing.T, s *partitiontest.Server) {
				send := func(repair *bool) []element.Element {
					result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", whole[len(whole)-1].Metadata.PageNumber),
						partition.Params{Split: partition.Split{RepairParents: repair}})
					require.NoError(t, err)
					require.Len(t, result.Elements, len(whole))
					return result.Elements
				}
				answered, repaired := send(new(false)), send(nil)
				for i, e := range whole {
					parent := repaired[i].Metadata.ParentID
					switch {
					case parentless:
						require.Empty(t, parent, file)
					case answered[i].Metadata.ParentID != e.Metadata.ParentID:
						lost++
						if parent == e.Metadata.ParentID {
							back++
						}
					default:
						require.Equal(t, e.Metadata.ParentID, parent, file)
					}
				}
			})
		}
	}
	t.Logf("%d documents: %d of %d parents across chunks came back", documents, back, lost)
	require.Equal(t, lost, back)
}

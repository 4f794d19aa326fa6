package partition_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestRepairParents has a title on the first page and texts on all: unsplit all have the title as
// their parent. The server gives those of the first chunk only, and the repair gives the rest, but
// not over an answer that follows another rule, nor a gap.
func TestRepairParents(t *testing.T) {
	engine := func(odd string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			request, _ := partitiontest.FromContext(r.Context())
			start := request.Pages.First
			var elements []element.Element
			if start == 1 {
				elements = append(elements, element.Element{Type: element.TypeTitle, ID: "title", Metadata: element.Metadata{PageNumber: 1}})
			}
			for page := start; page <= request.Pages.Last; page++ {
				e := element.Element{Type: element.TypeNarrativeText, ID: fmt.Sprint(page), Metadata: element.Metadata{PageNumber: page}}
				if start == 1 {
					e.Metadata.ParentID = "title"
				}
				if start == 5 && odd != "" {
					e.Metadata.ParentID = odd
				}
				elements = append(elements, e)
			}
			_ = json.NewEncoder(w).Encode(elements)
		})
	}
	parents := func(t *testing.T, odd string, repair bool, faults ...partitiontest.Fault) []string {
		var got []string
		bubble(t, partitiontest.Options{Engine: engine(odd)}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(faults...)
			result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 8), partition.Params{Split: partition.Split{RepairParents: repair, AllowFailed: true}})
			if len(faults) == 0 {
				require.NoError(t, err)
			}
			for _, e := range result.Elements {
				got = append(got, e.Metadata.ParentID)
			}
		})
		return got
	}
	require.Equal(t, []string{"", "title", "title", "", "", "", "", "", ""}, parents(t, "", false))
	require.Equal(t, []string{"", "title", "title", "title", "title", "title", "title", "title", "title"}, parents(t, "", true))
	require.Equal(t, []string{"", "title", "title", "title", "title", "other", "other", "", ""}, parents(t, "other", true))
	gap := partitiontest.Fault{Match: func(r partitiontest.Request) bool { return r.Pages.First == 3 }, Do: partitiontest.Detail(400, "x")}
	require.Equal(t, []string{"", "title", "title", "", "", "", ""}, parents(t, "", true, gap))
}

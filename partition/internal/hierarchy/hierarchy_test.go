package hierarchy_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/hierarchy"
)

func TestHierarchy(t *testing.T) {
	type row struct {
		kind   string
		depth  int
		parent string
	}
	for name, rows := range map[string][]row{
		"texts under a title":           {{"Title", 0, ""}, {"NarrativeText", 0, "0"}, {"ListItem", 0, "0"}, {"Table", 0, "0"}},
		"nested titles":                 {{"Title", 0, ""}, {"Title", 1, "0"}, {"NarrativeText", 0, "1"}, {"Title", 0, ""}, {"NarrativeText", 0, "3"}},
		"a header above a title":        {{"Header", 0, ""}, {"Title", 0, "0"}, {"NarrativeText", 0, "1"}},
		"a formula ends the reach":      {{"Title", 0, ""}, {"Formula", 0, ""}, {"NarrativeText", 0, ""}},
		"list items by their depth":     {{"ListItem", 1, ""}, {"ListItem", 2, "0"}, {"ListItem", 1, ""}},
		"nothing stands above a header": {{"Title", 0, ""}, {"Header", 0, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			var tree hierarchy.Tree
			for i, r := range rows {
				require.Equal(t, r.parent, tree.Parent(fmt.Sprint(i), r.kind, new(r.depth)), i)
			}
		})
	}
}

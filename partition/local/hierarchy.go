package local

import (
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/internal/hierarchy"
)

// assignParents sets the parent of every element whose ids are set.
func assignParents(elements []partition.Element) {
	var tree hierarchy.Tree
	for i := range elements {
		e := &elements[i]
		e.Metadata.ParentID = tree.Parent(e.ID, string(e.Type), e.Metadata.CategoryDepth)
	}
}

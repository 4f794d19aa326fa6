package local

import "github.com/quire-dev/quire/partition"

// assignParents sets the parent of every element whose ids are set.
func assignParents(elements []partition.Element) {
	var hierarchy partition.Hierarchy
	for i := range elements {
		elements[i].Metadata.ParentID = hierarchy.Parent(elements[i])
	}
}

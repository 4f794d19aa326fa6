package local

import "github.com/quire-dev/quire/partition"

// children says which types of elements stand below a title and below a header.
var children = map[partition.ElementType]map[partition.ElementType]bool{
	partition.Title:  below(),
	partition.Header: below(partition.Title),
}

func below(more ...partition.ElementType) map[partition.ElementType]bool {
	types := map[partition.ElementType]bool{
		partition.UncategorizedText: true,
		partition.NarrativeText:     true,
		partition.ListItem:          true,
		partition.Table:             true,
		partition.FigureCaption:     true,
		partition.CheckBox:          true,
	}
	for _, t := range more {
		types[t] = true
	}
	return types
}

// assignParents sets the parent of every element whose ids are set: the nearest earlier element that may stand above it, where
// an element that may not ends the reach of those before. Two elements of one type are parent and child only if the earlier one
// has the smaller depth.
func assignParents(elements []partition.Element) {
	var open []*partition.Element
	for i := range elements {
		e := &elements[i]
		for len(open) > 0 && !isParent(open[len(open)-1], e) {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			e.Metadata.ParentID = open[len(open)-1].ID
		}
		open = append(open, e)
	}
}

func isParent(above, e *partition.Element) bool {
	if above.Type == e.Type {
		return depth(above) < depth(e)
	}
	return children[above.Type][e.Type]
}

func depth(e *partition.Element) int {
	if e.Metadata.CategoryDepth == nil {
		return 0
	}
	return *e.Metadata.CategoryDepth
}

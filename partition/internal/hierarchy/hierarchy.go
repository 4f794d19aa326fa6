// Package hierarchy finds the parents of elements as the API does.
package hierarchy

// A Tree finds the parent of each element, going through a document's elements in order: the
// nearest earlier element that may stand above it, where an element that may not ends the reach of
// those before. A Title stands above texts, list items, tables, captions and check boxes, a Header
// above those and titles; of one type only the element with the smaller depth stands above another.
// The zero value is ready to use.
type Tree struct{ open []node }

type node struct {
	id    string
	kind  string
	depth int
}

// Parent returns the id of the next element's parent, "" where it has none. kind is the element's
// type, depth its category_depth; nil is 0.
func (t *Tree) Parent(id, kind string, depth *int) string {
	next := node{id: id, kind: kind}
	if depth != nil {
		next.depth = *depth
	}
	for len(t.open) > 0 && !t.open[len(t.open)-1].above(next) {
		t.open = t.open[:len(t.open)-1]
	}
	parent := ""
	if len(t.open) > 0 {
		parent = t.open[len(t.open)-1].id
	}
	t.open = append(t.open, next)
	return parent
}

func (n node) above(next node) bool {
	if n.kind == next.kind {
		return n.depth < next.depth
	}
	switch next.kind {
	case "UncategorizedText", "NarrativeText", "ListItem", "Table", "FigureCaption", "CheckBox", "Text", "BulletedText":
		return n.kind == "Title" || n.kind == "Header"
	case "Title":
		return n.kind == "Header"
	default:
		return false
	}
}

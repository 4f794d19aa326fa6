package partition

// A Hierarchy finds the parent of each element as the API does, going through a document's elements in order: the nearest earlier
// element that may stand above it, where an element that may not ends the reach of those before. A Title stands above texts, list
// items, tables, captions and check boxes, a Header above those and titles; of one type only the element with the smaller depth
// stands above another. The zero value is ready to use.
type Hierarchy struct{ open []opened }

type opened struct {
	id    string
	kind  ElementType
	depth int
}

// Parent returns the id of the next element's parent, "" where it has none. The element's own parent is not looked at.
func (h *Hierarchy) Parent(e Element) string {
	next := opened{id: e.ID, kind: e.Type}
	if e.Metadata.CategoryDepth != nil {
		next.depth = *e.Metadata.CategoryDepth
	}
	for len(h.open) > 0 && !h.open[len(h.open)-1].above(next) {
		h.open = h.open[:len(h.open)-1]
	}
	parent := ""
	if len(h.open) > 0 {
		parent = h.open[len(h.open)-1].id
	}
	h.open = append(h.open, next)
	return parent
}

func (o opened) above(next opened) bool {
	if o.kind == next.kind {
		return o.depth < next.depth
	}
	switch next.kind {
	case TypeUncategorizedText, TypeNarrativeText, TypeListItem, TypeTable, TypeFigureCaption, TypeCheckBox, "Text", "BulletedText":
		return o.kind == TypeTitle || o.kind == TypeHeader
	case TypeTitle:
		return o.kind == TypeHeader
	default:
		return false
	}
}

// A parentRepair gives elements the parent that stands in an earlier answer of the same document: the server saw each chunk by
// itself. It does so only where the rule reproduces every parent inside the answer, so that it is known to be the server's.
type parentRepair struct {
	carried Hierarchy
	broken  bool // the hierarchy before the next answer is not known
}

// trust tells whether the rule gives the parents that an answer has; reading stops at an error.
func (r *parentRepair) trust(a *answer) (bool, error) {
	var own Hierarchy
	same := true
	for e, err := range a.all() {
		if err != nil {
			return false, err
		}
		same = same && own.Parent(e) == e.Metadata.ParentID
	}
	if !same || r.broken {
		r.carried = Hierarchy{}
	}
	r.broken = !same
	return same, nil
}

// gap forgets what stands above: pages are missing here.
func (r *parentRepair) gap() { r.carried, r.broken = Hierarchy{}, true }

// mend returns the element with its parent.
func (r *parentRepair) mend(e Element) Element {
	parent := r.carried.Parent(e)
	if e.Metadata.ParentID == "" {
		e.Metadata.ParentID = parent
	}
	return e
}

package partition

import (
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/hierarchy"
	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// A parentProof is what the parents inside one answer say of the rule that finds them.
type parentProof struct {
	own          hierarchy.Tree
	contradicted bool // the rule gives an element another parent than the server did
	confirmed    bool // it gives the parent that the server gave
}

// note compares the parent that an element has with the one that the rule gives.
func (p *parentProof) note(m *elementMembers) {
	var depth *int
	if n, ok := jsonobject.Whole(m.metadata[memberDepth]); ok {
		depth = &n
	}
	parent := jsonobject.Text(m.metadata[memberParent])
	rule := p.own.Parent(jsonobject.Text(m.element[memberID]), jsonobject.Text(m.element[memberKind]), depth)
	p.contradicted = p.contradicted || rule != parent
	p.confirmed = p.confirmed || rule == parent && parent != ""
}

// A parentRepair gives elements the parent that stands in an earlier answer of the same document:
// the server saw each chunk by itself. It does so only where the rule is known to be the server's:
// it gives every parent inside the answer and, since it was last contradicted, has given one.
type parentRepair struct {
	carried hierarchy.Tree
	broken  bool // the hierarchy before the next answer is not known
	proven  bool
}

// enter begins with the next answer, and reports whether parents may be given to its elements.
// unproven is enough where nobody contradicts.
func (r *parentRepair) enter(p *parentProof, unproven bool) bool {
	if p.contradicted || r.broken {
		r.carried = hierarchy.Tree{}
	}
	r.broken = p.contradicted
	r.proven = !p.contradicted && (r.proven || p.confirmed)
	return !p.contradicted && (r.proven || unproven)
}

// gap forgets what stands above: pages are missing here.
func (r *parentRepair) gap() { r.carried, r.broken = hierarchy.Tree{}, true }

// parent goes on to the next element, and returns its parent, "" where it has none.
func (r *parentRepair) parent(e element.Element) string {
	return r.carried.Parent(e.ID, string(e.Type), e.Metadata.CategoryDepth)
}

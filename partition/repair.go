package partition

import (
	"context"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/internal/hierarchy"
)

// A parentRepair gives elements the parent that stands in an earlier answer of the same document:
// the server saw each chunk by itself. It does so only where the rule reproduces every parent
// inside the answer, so that it is known to be the server's.
type parentRepair struct {
	carried hierarchy.Tree
	broken  bool // the hierarchy before the next answer is not known
}

// trust reports whether the rule gives the parents that an answer has; reading stops at an error.
func (r *parentRepair) trust(ctx context.Context, a *answer, turns elementTurns) (bool, error) {
	var own hierarchy.Tree
	same := true
	for e, err := range a.all(ctx, turns) {
		if err != nil {
			return false, err
		}
		same = same && parentIn(&own, e) == e.Metadata.ParentID
	}
	if !same || r.broken {
		r.carried = hierarchy.Tree{}
	}
	r.broken = !same
	return same, nil
}

// gap forgets what stands above: pages are missing here.
func (r *parentRepair) gap() { r.carried, r.broken = hierarchy.Tree{}, true }

// mend returns the element with its parent.
func (r *parentRepair) mend(e element.Element) element.Element {
	parent := parentIn(&r.carried, e)
	if e.Metadata.ParentID == "" {
		e.Metadata.ParentID = parent
	}
	return e
}

func parentIn(t *hierarchy.Tree, e element.Element) string {
	return t.Parent(e.ID, string(e.Type), e.Metadata.CategoryDepth)
}

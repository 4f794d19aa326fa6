package split

import (
	"context"
	"maps"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// tree is what a walk over the page tree finds.
type tree struct {
	pages    []page
	nodes    map[int]bool // object numbers of the tree's inner nodes
	leaves   map[int]bool // object numbers of the pages
	uses     map[int]int  // resource dictionaries and their parts: on how many pages
	warnings []string

	view   *view
	path   map[int]bool
	forms  map[int]bool // that were counted
	looked map[int]bool // contents that were looked at
	visits int
}

// page is a leaf of the page tree.
type page struct {
	number    int        // its object number, 0 for a page without one
	direct    types.Dict // such a page itself
	inherited *attributes
}

// attributes are what the nodes above a page say about it.
type attributes struct {
	dict types.Dict
	key  int // identity of the Resources in dict: an object number, or a negative one of our own
}

var inheritable = []string{"CropBox", "MediaBox", "Resources", "Rotate"}

// maxTreeDepth allows for writers that make a chain of a tree.
const maxTreeDepth = 10_000

func (t *tree) walk(src *source, tab *table) error {
	t.nodes, t.leaves, t.uses = map[int]bool{}, map[int]bool{}, map[int]int{}
	t.path, t.forms, t.looked = map[int]bool{}, map[int]bool{}, map[int]bool{}
	t.view = newView(tab, src)
	defer func() { t.view, t.path, t.forms, t.looked = nil, nil, nil, nil }()

	top, err := t.top(tab)
	if err == nil {
		err = t.node(src.ctx, top, &attributes{}, 0)
	}
	if err == nil {
		err = t.view.err
	}
	if err != nil {
		return err
	}
	if len(t.pages) == 0 {
		return refuse(ErrNoPages, "its page tree is empty")
	}
	return nil
}

// top returns the root of the page tree. Where the catalog does not lead to one, any catalog, then
// any node without a parent that can be found will do.
func (t *tree) top(tab *table) (types.Object, error) {
	if pages := t.view.dict(types.IndirectRef{ObjectNumber: types.Integer(tab.root)})["Pages"]; t.view.dict(pages) != nil {
		return pages, nil
	}
	var parentless types.Object
	for _, nr := range tab.places.numbers() {
		ref := types.IndirectRef{ObjectNumber: types.Integer(nr)}
		d := t.view.dict(ref)
		switch t.view.name(d["Type"]) {
		case "Catalog":
			if t.view.dict(d["Pages"]) != nil {
				t.warn("the trailer leads to no catalog: another one was found")
				return d["Pages"], nil
			}
		case "Pages":
			if d["Parent"] == nil && parentless == nil {
				parentless = ref
			}
		}
	}
	if parentless == nil {
		return nil, refuse(ErrDamaged, "it has no page tree")
	}
	t.warn("no catalog leads to the page tree")
	return parentless, nil
}

func (t *tree) node(ctx context.Context, o types.Object, above *attributes, depth int) error {
	l := t.view.table.limits
	if t.visits++; t.visits > l.Pages+l.Objects || len(t.pages) > l.Pages {
		return refuse(ErrTooLarge, "it has more than %d pages", l.Pages)
	}
	if depth > maxTreeDepth {
		return refuse(ErrTooLarge, "its page tree is more than %d levels deep", maxTreeDepth)
	}
	if t.visits%1000 == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	nr := refNumber(o)
	d, ok := t.view.follow(o).(types.Dict)
	if !ok {
		if s, isStream := t.view.follow(o).(*stream); isStream {
			d, ok = s.Dict, t.view.name(s.Dict["Type"]) == "Page"
		}
	}
	if !ok {
		if t.view.err != nil {
			return t.view.err
		}
		// Going on would lose a page that another reader may find.
		return refuse(ErrDamaged, "page %d cannot be read", len(t.pages)+1)
	}
	kids, inner := d["Kids"]
	inner = inner || t.view.name(d["Type"]) == "Pages"
	if !t.belongs(d, inner) {
		return refuse(ErrDamaged, "its page tree leads to what is no page, after page %d", len(t.pages))
	}
	if !inner {
		t.leaf(nr, d, above)
		return t.checkContents(d["Contents"])
	}
	if nr != 0 {
		if t.path[nr] {
			return refuse(ErrDamaged, "its page tree loops")
		}
		t.path[nr], t.nodes[nr] = true, true
		defer delete(t.path, nr)
	}
	attrs := t.inherit(d, above)
	all, ok := t.view.follow(kids).(types.Array)
	if !ok && t.view.follow(kids) != nil {
		return refuse(ErrDamaged, "its page tree cannot be read after page %d", len(t.pages))
	}
	for _, kid := range all {
		if err := t.node(ctx, kid, attrs, depth+1); err != nil {
			return err
		}
	}
	return t.view.err
}

// belongs reports whether a dictionary is a page, or a node of the tree. A page may lack its type.
// To take a font or a content for a page would take it from the pages that need it.
func (t *tree) belongs(d types.Dict, inner bool) bool {
	switch kind := t.view.name(d["Type"]); {
	case kind == "Page", inner && kind == "Pages":
		return true
	case kind != "" || inner && (d["T"] != nil || d["FT"] != nil):
		return false
	case inner:
		return true
	case d["Subtype"] != nil:
		return false
	}
	for _, key := range []string{"Contents", "MediaBox", "Parent", "Resources"} {
		if d[key] != nil {
			return true
		}
	}
	return false
}

func (t *tree) inherit(d types.Dict, above *attributes) *attributes {
	var attrs *attributes
	for _, key := range inheritable {
		value := d[key]
		if t.view.follow(value) == nil {
			continue
		}
		if attrs == nil {
			attrs = &attributes{dict: types.Dict{}, key: above.key}
			maps.Copy(attrs.dict, above.dict)
		}
		attrs.dict[key] = value
		if key == "Resources" {
			if attrs.key = refNumber(value); attrs.key == 0 {
				attrs.key = -t.visits
			}
		}
	}
	if attrs == nil {
		return above
	}
	return attrs
}

func (t *tree) leaf(nr int, d types.Dict, above *attributes) {
	p := page{number: nr, inherited: above}
	if nr == 0 {
		p.direct = d
	}
	t.pages = append(t.pages, p)
	if nr != 0 {
		t.leaves[nr] = true
	}
	res := p.resources(t.view, d)
	if res.key != 0 {
		t.uses[res.key]++
	}
	if res.key == 0 || t.uses[res.key] == 1 {
		t.countForms(res.dict)
	}
	for _, kind := range resourceKinds {
		if nr := refNumber(res.dict[kind]); nr != 0 {
			t.uses[nr]++
		}
	}
}

// countForms counts the resources of the forms that a page may draw: some writers wrap each page in
// a form, and give all forms one dictionary.
func (t *tree) countForms(res types.Dict) {
	for _, o := range t.view.dict(res["XObject"]) {
		form, ok := t.view.follow(o).(*stream)
		if !ok {
			continue
		}
		own := refNumber(form.Dict["Resources"])
		if nr := refNumber(o); own != 0 && !t.forms[nr] {
			t.forms[nr] = true
			t.uses[own]++
		}
	}
}

// dict returns the page's dictionary.
func (p *page) dict(v *view) types.Dict {
	if p.direct != nil {
		return p.direct
	}
	return v.dict(types.IndirectRef{ObjectNumber: types.Integer(p.number)})
}

// resources returns the page's resources. The key is 0 where no other page has that dictionary.
func (p *page) resources(v *view, d types.Dict) resources {
	if own := d["Resources"]; v.follow(own) != nil {
		return resources{v.dict(own), refNumber(own)}
	}
	return resources{v.dict(p.inherited.dict["Resources"]), p.inherited.key}
}

// contents returns the object numbers of what the first pages show.
func (t *tree) contents(v *view) []int {
	const most = 100 // pages
	var numbers []int
	for i := range t.pages[:min(len(t.pages), most)] {
		o := t.pages[i].dict(v)["Contents"]
		numbers = append(numbers, refNumber(o))
		for _, part := range v.array(o) {
			numbers = append(numbers, refNumber(part))
		}
	}
	return numbers
}

func (t *tree) warn(s string) {
	const most = 20 // of a page tree that is all wrong, these say enough
	if len(t.warnings) < most {
		t.warnings = append(t.warnings, s)
	}
}

package split

import (
	"context"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// filter says which entries of resource dictionaries a chunk needs. Some writers give all pages of
// a document one dictionary with every font and image of the document: copied as it is, each chunk
// would have them all.
//
// Dictionaries go by a key: their object number, or, without one, a negative number. Where there is
// no set of names for a key, all of it is kept.
type filter struct {
	resources map[int]names // dictionaries of resources
	parts     map[int]names // parts of such that are objects of their own
	whole     map[int]bool  // keys of either that are kept whole

	// known are the objects with resources (forms, fonts) that were looked into. If the copier
	// meets another one that uses a filtered dictionary, the search has missed something: the
	// dictionary is then kept whole, and the chunk copied again.
	known     map[int]bool
	surprised bool
}

type names map[string]bool

// resourceKinds are the parts of a resource dictionary that go by names.
var resourceKinds = []string{"ColorSpace", "ExtGState", "Font", "Pattern", "Properties", "Shading", "XObject"}

// fewNames is up to which size a dictionary is not worth the search.
const fewNames = 4

// newFilter looks into the content of the pages if they share resources.
func newFilter(ctx context.Context, v *view, t *tree, form *form, pages []page) (*filter, error) {
	f := &filter{
		resources: map[int]names{}, parts: map[int]names{},
		whole: map[int]bool{}, known: map[int]bool{},
	}
	for i := range pages {
		if t.shares(v, &pages[i]) {
			s := &search{view: v, filter: f, seen: map[use]bool{}}
			return f, s.run(ctx, form, pages)
		}
	}
	return f, v.err
}

// shares reports whether a page uses resources that other pages use, too, or that several forms
// have.
func (t *tree) shares(v *view, p *page) bool {
	res := p.resources(v, p.dict(v))
	if t.shared(v, res) >= fewNames {
		return true
	}
	for _, o := range v.dict(res.dict["XObject"]) {
		if form, ok := v.follow(o).(*stream); ok && refNumber(form.Dict["Resources"]) != 0 {
			own := form.Dict["Resources"]
			if t.shared(v, resources{v.dict(own), refNumber(own)}) >= fewNames {
				return true
			}
		}
	}
	return false
}

// shared returns how many resources of these are used elsewhere, too.
func (t *tree) shared(v *view, res resources) int {
	all := res.key != 0 && t.uses[res.key] > 1
	size := 0
	for _, kind := range resourceKinds {
		if nr := refNumber(res.dict[kind]); all || nr != 0 && t.uses[nr] > 1 {
			size += len(v.dict(res.dict[kind]))
		}
	}
	return size
}

// selected returns the names of dictionary key to be kept, false for all.
func (f *filter) selected(from map[int]names, key int) (names, bool) {
	if key == 0 || f.whole[key] {
		return nil, false
	}
	n, ok := from[key]
	return n, ok
}

// keep exempts a dictionary of resources and its parts.
func (f *filter) keep(res resources) {
	f.whole[res.key] = true
	for _, kind := range resourceKinds {
		f.whole[refNumber(res.dict[kind])] = true
	}
}

// check is told by the copier that object nr has resources.
func (f *filter) check(nr int, res resources) {
	if f.known[nr] {
		return
	}
	_, filtered := f.selected(f.resources, res.key)
	for _, kind := range resourceKinds {
		if _, ok := f.selected(f.parts, refNumber(res.dict[kind])); ok {
			filtered = true
		}
	}
	if filtered {
		f.keep(res)
		f.surprised = true
	}
}

// drops reports whether an entry of a part may go. The default colour spaces are in use without
// being named.
func (n names) drops(name string) bool {
	switch name {
	case "DefaultGray", "DefaultRGB", "DefaultCMYK":
		return false
	}
	return !n[name]
}

// appendResources writes a dictionary of resources.
func (c *copier) appendResources(b []byte, res resources) []byte {
	used, ok := c.filter.selected(c.filter.resources, res.key)
	if !ok {
		return c.appendObject(b, res.dict)
	}
	b = append(b, "<<"...)
	for _, key := range sortedKeys(res.dict) {
		if part, ok := res.dict[key].(types.Dict); ok && isResourceKind(key) {
			b = c.appendPart(appendName(b, key), part, used)
			continue
		}
		b = c.appendEntry(b, key, res.dict[key])
	}
	return append(b, ">>"...)
}

// appendPart writes a part of a dictionary of resources.
func (c *copier) appendPart(b []byte, part types.Dict, used names) []byte {
	b = append(b, "<<"...)
	for _, name := range sortedKeys(part) {
		if !used.drops(name) {
			b = c.appendEntry(b, name, part[name])
		}
	}
	return append(b, ">>"...)
}

func isResourceKind(key string) bool {
	return slices.Contains(resourceKinds, key)
}

package split

import (
	"cmp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// view reads a [table] for one task: it keeps what it has parsed for a while, and the first error,
// so that its methods can just return nothing. It is not safe for concurrent use.
type view struct {
	table  *table
	src    *source
	parsed map[int]types.Object
	text   int // length of the text that parsed comes from
	err    error

	inflated int64 // bytes of content decompressed so far
	warnings []string
}

// What a view keeps: objects, and the text that they were parsed from.
const mostParsed, mostText = 10_000, mebi

func newView(t *table, src *source) *view {
	return &view{table: t, src: src}
}

// object returns the object of that number, nil for none.
func (v *view) object(nr int) types.Object {
	if o, ok := v.parsed[nr]; ok {
		return o
	}
	o, length, err := v.table.object(v.src, nr)
	if err != nil && v.err == nil {
		v.err = err
	}
	if v.parsed == nil {
		v.parsed = map[int]types.Object{}
	}
	if v.text += length; v.text > mostText || len(v.parsed) >= mostParsed {
		clear(v.parsed)
		v.text = length
	}
	v.parsed[nr] = o
	return o
}

// follow returns the object that o refers to, or o itself.
func (v *view) follow(o types.Object) types.Object {
	const longest = 10 // an object that is but a reference is odd; a chain of them is an attack
	for range longest {
		ref, ok := o.(types.IndirectRef)
		if !ok {
			return o
		}
		o = v.object(ref.ObjectNumber.Value())
	}
	return nil
}

// dict returns o as a dictionary, also that of a stream; nil for anything else.
func (v *view) dict(o types.Object) types.Dict {
	switch o := v.follow(o).(type) {
	case types.Dict:
		return o
	case *stream:
		return o.Dict
	}
	return nil
}

func (v *view) array(o types.Object) types.Array {
	a, _ := v.follow(o).(types.Array)
	return a
}

func (v *view) name(o types.Object) string {
	n, _ := v.follow(o).(types.Name)
	return string(n)
}

// refNumber returns the number that o refers to, 0 where it is no reference.
func refNumber(o types.Object) int {
	if ref, ok := o.(types.IndirectRef); ok {
		return ref.ObjectNumber.Value()
	}
	return 0
}

// Maps are always read in order: the same document gives the same chunk.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

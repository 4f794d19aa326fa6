package split

import (
	"context"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// search finds the names that the chunk's pages use of their resources: a name counts where it
// occurs anywhere in the content of a page, or of the forms, patterns and glyphs that it draws.
// Rather a name too many than one too few; where a content cannot be read, its resources are kept
// whole.
type search struct {
	*view
	filter *filter
	seen   map[use]bool
}

// use is a stream with the resources that its names are looked up in.
type use struct{ stream, key int }

// privateKeys is below the keys of dictionaries that several pages have; those of objects are below
// it, those of pages below twice that.
const privateKeys = -1 << 29

// resources are a dictionary of resources and its key, see [filter].
type resources struct {
	dict types.Dict
	key  int
}

func (s *search) run(ctx context.Context, form *form, pages []page) error {
	if form.dict != nil {
		s.filter.keep(resources{s.dict(form.dict["DR"]), refNumber(form.dict["DR"])})
	}
	for i := range pages {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d := pages[i].dict(s.view)
		res := pages[i].resources(s.view, d)
		if res.key == 0 {
			res.key = 2*privateKeys - i
		}
		used, ok := s.names(d["Contents"])
		if !ok {
			s.warnings = append(s.warnings, fmt.Sprintf("the content of its page %d cannot be read, all its resources are kept", i+1))
		}
		s.drawn(used, ok, res)
		for _, annot := range s.array(d["Annots"]) {
			for _, state := range s.dict(s.dict(annot)["AP"]) {
				s.appearance(state, res)
			}
		}
	}
	return s.err
}

// appearance looks into an annotation's appearance stream, or into each of those that it has for
// its states.
func (s *search) appearance(o types.Object, res resources) {
	if _, ok := s.follow(o).(*stream); ok {
		s.stream(o, res)
		return
	}
	for _, state := range s.dict(o) {
		s.stream(state, res)
	}
}

// stream looks into a form, pattern or glyph. One without resources of its own has those of where
// it is used.
func (s *search) stream(o types.Object, res resources) {
	d, ok := s.follow(o).(*stream)
	if !ok || d.image() {
		return
	}
	nr := refNumber(o)
	res = s.own(nr, d.Dict, res)
	if s.seen[use{nr, res.key}] {
		return
	}
	s.seen[use{nr, res.key}] = true
	used, ok := s.names(o)
	s.drawn(used, ok, res)
}

// own returns the resources of object nr itself, or those of where it is used.
func (s *search) own(nr int, d types.Dict, res resources) resources {
	o := d["Resources"]
	if s.follow(o) == nil {
		return res
	}
	own := resources{s.dict(o), refNumber(o)}
	if nr == 0 {
		// A font inside of another object: too rare for a key of its own.
		s.filter.keep(own)
	}
	if own.key == 0 {
		own.key = privateKeys - nr
	}
	s.filter.known[nr] = true
	return own
}

// drawn looks into what a content draws with its resources: by the names that it uses, or, where it
// cannot be read, with all of them.
func (s *search) drawn(used names, readable bool, res resources) {
	if !readable {
		used = names{}
		s.filter.keep(res)
		for _, kind := range resourceKinds {
			for name := range s.dict(res.dict[kind]) {
				used[name] = true
			}
		}
	}
	s.mark(used, res)
	forms, patterns := s.dict(res.dict["XObject"]), s.dict(res.dict["Pattern"])
	states, fonts := s.dict(res.dict["ExtGState"]), s.dict(res.dict["Font"])
	for _, name := range sortedKeys(used) {
		s.stream(forms[name], res)
		s.stream(patterns[name], res)
		if mask := s.dict(s.dict(states[name])["SMask"]); mask != nil {
			s.stream(mask["G"], res)
		}
		if font := s.dict(fonts[name]); s.name(font["Subtype"]) == "Type3" {
			own := s.own(refNumber(fonts[name]), font, res)
			for _, glyph := range s.dict(font["CharProcs"]) {
				s.stream(glyph, own)
			}
		}
	}
}

// mark records names as used of a dictionary and of its parts.
func (s *search) mark(used names, res resources) {
	add(s.filter.resources, res.key, used)
	for _, kind := range resourceKinds {
		if nr := refNumber(res.dict[kind]); nr != 0 {
			add(s.filter.parts, nr, used)
		}
	}
}

func add(to map[int]names, key int, used names) {
	if to[key] == nil {
		to[key] = make(names, len(used))
	}
	for name := range used {
		to[key][name] = true
	}
}

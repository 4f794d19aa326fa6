package split

import (
	"bytes"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// place draws what is not of the content itself.
func (s *sight) place(op string, l *lexer) bool {
	switch op {
	case "Do":
		s.object(s.dict(s.resources["XObject"])[lastName(l.args)])
	case "sh":
		s.painted = true
		if s.state.clip.area() < mostOfPage*s.page.area() {
			s.sketch([]rect{s.state.clip})
		}
		s.darken(s.state.clip)
	case "BI":
	case "ID":
		d := types.Dict{}
		for i, a := range l.args {
			if a.kind == '/' && (string(a.text) == "IM" || string(a.text) == "ImageMask") {
				d["ImageMask"] = types.Boolean(i+1 >= len(l.args) || l.args[i+1].kind != 'n')
			}
		}
		if !l.image() {
			s.doubt = true
		}
		s.image(d)
	case "EI":
	default:
		return false
	}
	return true
}

// object draws an external object.
func (s *sight) object(o types.Object) {
	x, ok := s.follow(o).(*stream)
	if !ok {
		s.unsure = true // nothing, to all readers
		return
	}
	switch s.name(x.Dict["Subtype"]) {
	case "Image":
		s.image(x.Dict)
	case "Form":
		s.form(o, x, identity)
	default:
		s.unsure = true
	}
}

// image draws an image into the unit square.
func (s *sight) image(d types.Dict) {
	r := s.state.ctm.bounds(rect{0, 0, 1, 1}).meet(s.state.clip)
	if r.x0 > r.x1 || r.y0 > r.y1 {
		return
	}
	mask := s.follow(d["ImageMask"]) == types.Boolean(true)
	if mask && !s.inks(s.state.fill) {
		s.unsure = true
		return
	}
	s.painted = true
	s.darken(r)
	if w, h := s.number(d["Width"]), s.number(d["Height"]); w*h == 1 { // an area in one colour
		s.lines.add(r)
		return
	}
	s.pictures += r.area()
	if s.state.glass || mask || d["SMask"] != nil || d["Mask"] != nil || r.area() < mostOfPage*s.page.area() {
		return
	}
	// It covers what was drawn before. Looking for that counts as operators.
	s.operators += len(s.texts) / 100
	s.texts = slices.DeleteFunc(s.texts, func(t run) bool { return r.has(t.x, t.y) })
}

// form draws a form, mapped by m.
func (s *sight) form(o types.Object, x *stream, m matrix) {
	nr := refNumber(o)
	if len(s.forms) >= deepestForm {
		s.doubt = true
		return
	}
	if s.forms[nr] {
		s.unsure = true
		return
	}
	s.forms[nr] = true
	defer delete(s.forms, nr)
	content, ok := s.content(x)
	if !ok {
		s.doubt = true
		return
	}
	state, resources := s.state, s.resources
	defer func() { s.state, s.resources = state, resources }()
	if own := s.dict(x.Dict["Resources"]); own != nil {
		s.resources = own
	}
	s.state.ctm = s.matrix(x.Dict["Matrix"]).then(m).then(s.state.ctm)
	if box, ok := s.rect(s.array(x.Dict["BBox"])); ok {
		s.state.clip = s.state.clip.meet(s.state.ctm.bounds(box))
	}
	s.draw(content)
}

// content returns the content of a page or form: of a stream, or of an array of them. It is false
// where not all of it can be read, or more than is sensible.
func (v *view) content(o types.Object) ([]byte, bool) {
	var all []byte
	switch o := v.follow(o).(type) {
	case nil:
		return nil, true
	case *stream:
		err := v.inflate(o, min(v.table.limits.DecodedBytes-v.inflated, mostContent), func(data []byte) { all = bytes.Clone(data) })
		v.inflated += int64(len(all))
		return all, err == nil
	case types.Array:
		for _, part := range o {
			if _, nested := v.follow(part).(types.Array); nested {
				return nil, false
			}
			data, ok := v.content(part)
			if !ok || v.err != nil {
				return nil, false
			}
			all = append(append(all, data...), '\n')
		}
		return all, true
	}
	return nil, false
}

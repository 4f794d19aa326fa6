package split

import (
	"math"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// write follows the operators of text.
func (s *sight) write(op string, args []operand) bool {
	g := &s.state
	switch op {
	case "BT":
		g.text, g.line = identity, identity
	case "ET":
	case "Tf":
		if len(args) >= 2 {
			g.font, g.size = s.font(lastName(args[:len(args)-1])), args[len(args)-1].number
		}
	case "Td", "TD":
		n := values(args, 2)
		if op == "TD" {
			g.leading = -n[1]
		}
		g.move(n[0], n[1])
	case "Tm":
		n := values(args, 6)
		g.line = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}
		g.text = g.line
	case "T*":
		g.move(0, -g.leading)
	case "TL":
		g.leading = values(args, 1)[0]
	case "Ts":
		g.rise = values(args, 1)[0]
	case "Tc":
		g.spacing = values(args, 1)[0]
	case "Tw":
		g.words = values(args, 1)[0]
	case "Tz":
		g.width = values(args, 1)[0] / 100
	case "Tr":
		g.mode = int(values(args, 1)[0])
	case "Tj", "TJ":
		s.show(args)
	case "'", "\"":
		g.move(0, -g.leading)
		s.show(args[max(0, len(args)-1):])
	default:
		return false
	}
	return true
}

func (g *graphics) move(x, y float64) {
	g.line = matrix{1, 0, 0, 1, x, y}.then(g.line)
	g.text = g.line
}

// show shows strings. How wide glyphs are is a guess: half of their height.
func (s *sight) show(args []operand) {
	g := &s.state
	if g.font == nil {
		s.unsure = true // readers take some other font
		return
	}
	inked, all, gap := 0, 0, 0.0
	for _, a := range args {
		if a.kind == 'n' {
			gap -= a.number / 1000 * g.size * g.width
			continue
		}
		n, of := g.font.glyphs(a)
		inked, all = inked+n, all+of
	}
	from := matrix{1, 0, 0, 1, 0, g.rise}.then(g.text).then(g.ctm)
	advance := (float64(all)*(g.size*0.5+g.spacing) + gap) * g.width
	g.text = matrix{1, 0, 0, 1, advance, 0}.then(g.text)
	const clipOnly, invisible = 7, 3
	if inked == 0 || !g.font.drawn && (g.mode == clipOnly || g.mode == invisible) {
		return
	}
	if len(s.texts) >= mostShown {
		s.doubt = true
		return
	}
	height := math.Abs(g.size) * 0.5
	if !from.bounds(rect{min(0, advance), -height / 4, max(0, advance), height}).meets(s.state.clip) || s.state.clip.area() <= 0 {
		s.unsure = true // as its width is a guess
		return
	}
	s.texts = append(s.texts, s.run(from, inked))
}

func (s *sight) run(at matrix, inked int) run {
	g := &s.state
	t := run{x: at.e, y: at.f}
	if g.font.readable {
		t.readable = inked
	} else {
		t.private = inked
	}
	colour := g.fill
	if g.mode%4 == 1 {
		colour = g.stroke
	}
	onDark := slices.ContainsFunc(s.dark, func(r rect) bool { return r.has(t.x, t.y) })
	t.white = !g.font.drawn && (g.faint || colour.white && !colour.pattern && !onDark)
	return t
}

// annotations draws the annotations of a page.
func (s *sight) annotations(o types.Object) {
	const hidden, noView = 2, 32
	for _, o := range s.array(o) {
		d := s.dict(o)
		if s.operators++; s.operators > mostOperators {
			s.doubt = true
			return
		}
		kind := s.name(d["Subtype"])
		if d == nil || int(s.number(d["F"]))&(hidden|noView) != 0 || kind == "Popup" {
			continue
		}
		s.saved, s.state = s.saved[:0], newGraphics(s.page)
		look := s.dict(d["AP"])["N"]
		if states, ok := s.follow(look).(types.Dict); ok {
			look = states[s.name(d["AS"])]
		}
		if form, ok := s.follow(look).(*stream); ok {
			s.appearance(look, form, d)
			continue
		}
		// Readers may give it a look of their own.
		s.unsure = s.unsure || kind != "Link" || !s.borderless(d)
	}
}

// borderless reports whether a link has no border.
func (s *sight) borderless(d types.Dict) bool {
	if style := s.dict(d["BS"]); style != nil {
		return style["W"] != nil && s.number(style["W"]) == 0
	}
	border := s.array(d["Border"])
	return len(border) >= 3 && s.number(border[2]) == 0
}

// appearance draws a form so that its box fills the annotation's rectangle.
func (s *sight) appearance(o types.Object, form *stream, d types.Dict) {
	to, ok := s.rect(s.array(d["Rect"]))
	box, okBox := s.rect(s.array(form.Dict["BBox"]))
	box = s.matrix(form.Dict["Matrix"]).bounds(box)
	if !ok || !okBox || box.area() <= 0 {
		s.unsure = true
		return
	}
	x, y := (to.x1-to.x0)/(box.x1-box.x0), (to.y1-to.y0)/(box.y1-box.y0)
	s.form(o, form, matrix{x, 0, 0, y, to.x0 - x*box.x0, to.y0 - y*box.y0})
}

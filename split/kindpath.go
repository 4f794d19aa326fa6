package split

import "math"

// path is the path under construction: its bounds, and its straight and other parts.
type path struct {
	x, y, startX, startY float64
	bounds               rect
	straight             []rect // segments along the axes
	boxes                []rect // rectangles
	bent                 []rect // bounds of the other segments
	clips                bool
}

func (s *sight) construct(p *path, op string, args []operand) bool {
	switch op {
	case "m":
		n := values(args, 2)
		p.x, p.y = s.state.ctm.apply(n[0], n[1])
		p.startX, p.startY = p.x, p.y
	case "l":
		n := values(args, 2)
		p.to(s.state.ctm.apply(n[0], n[1]))
	case "c", "v", "y":
		count := 4
		if op == "c" {
			count = 6
		}
		n := values(args, count)
		p.curve(s.state.ctm.apply(n[count-2], n[count-1]))
	case "h":
		p.to(p.startX, p.startY)
	case "re":
		n := values(args, 4)
		m := s.state.ctm
		r := m.bounds(rect{min(n[0], n[0]+n[2]), min(n[1], n[1]+n[3]), max(n[0], n[0]+n[2]), max(n[1], n[1]+n[3])})
		p.bounds = p.bounds.with(r.x0, r.y0).with(r.x1, r.y1)
		if straight(m) {
			p.boxes = append(p.boxes, r)
		} else {
			p.bent = append(p.bent, r)
		}
		p.x, p.y = m.apply(n[0], n[1])
		p.startX, p.startY = p.x, p.y
	case "W", "W*":
		p.clips = true
	default:
		return false
	}
	return true
}

// straight reports whether a matrix leaves lines along the axes along the axes.
func straight(m matrix) bool {
	const little = 1e-3
	return math.Abs(m.b)+math.Abs(m.c) < little*(math.Abs(m.a)+math.Abs(m.d)) ||
		math.Abs(m.a)+math.Abs(m.d) < little*(math.Abs(m.b)+math.Abs(m.c))
}

func (p *path) to(x, y float64) {
	r := nowhere.with(p.x, p.y).with(x, y)
	p.bounds = p.bounds.with(r.x0, r.y0).with(r.x1, r.y1)
	p.x, p.y = x, y
	if r.x1-r.x0 < 0.5 || r.y1-r.y0 < 0.5 {
		p.straight = append(p.straight, r)
	} else {
		p.bent = append(p.bent, r)
	}
}

func (p *path) curve(x, y float64) {
	r := nowhere.with(p.x, p.y).with(x, y)
	p.bounds = p.bounds.with(r.x0, r.y0).with(r.x1, r.y1)
	p.x, p.y = x, y
	p.bent = append(p.bent, r)
}

// paintPath ends a path.
func (s *sight) paintPath(p *path, op string) bool {
	fill, stroke := false, false
	switch op {
	case "f", "F", "f*":
		fill = true
	case "S", "s":
		stroke = true
	case "B", "B*", "b", "b*":
		fill, stroke = true, true
	case "n":
	default:
		return false
	}
	if fill && s.inks(s.state.fill) {
		s.filled(p)
	}
	if stroke && s.inks(s.state.stroke) {
		s.stroked(p)
	}
	if p.clips {
		s.state.clip = s.state.clip.meet(p.bounds)
	}
	*p = path{bounds: nowhere, straight: p.straight[:0], boxes: p.boxes[:0], bent: p.bent[:0]}
	return true
}

// inks reports whether a colour shows on white.
func (s *sight) inks(c paint) bool {
	if s.state.faint {
		s.unsure = true
		return false
	}
	return !c.white || c.pattern
}

func (s *sight) filled(p *path) {
	if !p.bounds.meets(s.state.clip) {
		return
	}
	s.painted = true
	for _, b := range p.boxes {
		if b = b.meet(s.state.clip); b.x0 <= b.x1 && b.y0 <= b.y1 && !s.lines.add(b) {
			s.darken(b)
			s.outline(b)
		}
	}
	if len(p.boxes) > 0 && len(p.bent)+len(p.straight) == 0 {
		return
	}
	if len(p.bent) == 0 { // a polygon along the axes
		if b := p.bounds.meet(s.state.clip); !s.lines.add(b) {
			s.darken(b)
		}
		return
	}
	s.darken(p.bounds.meet(s.state.clip))
	s.sketch(p.bent)
}

func (s *sight) stroked(p *path) {
	if !p.bounds.meets(s.state.clip) {
		return
	}
	s.painted = true
	for _, r := range p.straight {
		s.line(r)
	}
	for _, b := range p.boxes {
		s.outline(b)
	}
	s.sketch(p.bent)
}

// outline takes the sides of a box for lines: the cells of some tables are filled boxes.
func (s *sight) outline(b rect) {
	s.line(rect{b.x0, b.y0, b.x1, b.y0})
	s.line(rect{b.x0, b.y1, b.x1, b.y1})
	s.line(rect{b.x0, b.y0, b.x0, b.y1})
	s.line(rect{b.x1, b.y0, b.x1, b.y1})
}

func (s *sight) line(r rect) {
	if r = r.meet(s.state.clip); r.x0 <= r.x1 && r.y0 <= r.y1 {
		s.lines.add(r)
	}
}

func (s *sight) darken(r rect) {
	if r.area() > 0 && len(s.dark) < mostDark {
		s.dark = append(s.dark, r)
	}
}

// sketch marks where parts of a drawing are.
func (s *sight) sketch(parts []rect) {
	w, h := s.page.x1-s.page.x0, s.page.y1-s.page.y0
	cell := func(at, from, size float64) int {
		return max(0, min(drawnCells-1, int((at-from)/size*drawnCells)))
	}
	for _, r := range parts {
		if r = r.meet(s.state.clip); r.x0 > r.x1 || r.y0 > r.y1 {
			continue
		}
		for y := cell(r.y0, s.page.y0, h); y <= cell(r.y1, s.page.y0, h); y++ {
			for x := cell(r.x0, s.page.x0, w); x <= cell(r.x1, s.page.x0, w); x++ {
				s.cells[y][x] = true
			}
		}
	}
}

// drawn returns the share of the page that drawings touch.
func (s *sight) drawn() float64 {
	n := 0
	for _, row := range s.cells {
		for _, touched := range row {
			if touched {
				n++
			}
		}
	}
	return float64(n) / (drawnCells * drawnCells)
}

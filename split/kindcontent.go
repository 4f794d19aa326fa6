package split

import (
	"bytes"
	"math"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// sight collects what a page shows. It follows the content as a renderer does, with rectangles in
// place of shapes: a clip is the rectangle around its path.
type sight struct {
	*view
	fonts     map[int]*typeface // of the document, by object number
	page      rect
	resources types.Dict
	state     graphics
	saved     []graphics
	forms     map[int]bool // that are being drawn
	operators int
	unknown   int // operators that do not exist

	texts    []run
	pictures float64 // their areas
	dark     []rect  // what white text shows on
	lines    rules
	cells    [drawnCells][drawnCells]bool // that drawings touch

	painted bool // something was
	unsure  bool // something may have been
	doubt   bool // the page was not understood
}

// run is a string at the place where it starts.
type run struct {
	x, y              float64
	readable, private int // characters that show, by whether the font says what they are
	white             bool
}

// graphics is the graphics state.
type graphics struct {
	ctm                   matrix
	clip                  rect
	fill, stroke          paint
	faint                 bool // nearly transparent
	glass                 bool // not opaque
	font                  *typeface
	size, leading, rise   float64
	spacing, words, width float64
	mode                  int
	text, line            matrix
}

// paint is a colour, as far as it matters here.
type paint struct {
	white   bool
	pattern bool
	bright  bool // of a space in which only ones are white
}

func newGraphics(clip rect) graphics {
	return graphics{ctm: identity, clip: clip, width: 1, text: identity, line: identity}
}

// The bounds of a page.
const (
	mostOperators = 1_000_000
	deepestForm   = 12
	mostSaved     = 500
	mostShown     = 100_000
	mostDark      = 200
	drawnCells    = 40
)

// path is the path under construction: its bounds, and its straight and other parts.
type path struct {
	x, y, startX, startY float64
	bounds               rect
	straight             []rect // segments along the axes
	boxes                []rect // rectangles
	bent                 []rect // bounds of the other segments
	clips                bool
}

// draw follows a content.
func (s *sight) draw(content []byte) {
	l := &lexer{text: content}
	p := &path{bounds: nowhere}
	depth := len(s.saved)
	for op := l.next(); op != ""; op = l.next() {
		s.operators++
		if s.operators > mostOperators || l.full || s.err != nil || s.src.ctx.Err() != nil {
			s.doubt = true
		}
		if s.doubt {
			return
		}
		switch {
		case s.construct(p, op, l.args):
		case s.paintPath(p, op):
		case s.set(op, l.args, depth):
		case s.colour(op, l.args):
		case s.write(op, l.args):
		case !s.place(op, l):
			s.unknown++
			s.unsure = true
		}
	}
	s.saved = s.saved[:min(len(s.saved), depth)]
	const few = 20
	if s.unknown*few > s.operators {
		s.doubt = true
	}
}

// values returns the last n numbers of the operands, zeros where there are fewer.
func values(args []operand, n int) [6]float64 {
	var out [6]float64
	args = args[max(0, len(args)-n):]
	for i, a := range args {
		out[i] = a.number
	}
	return out
}

func lastName(args []operand) string {
	if n := len(args); n > 0 && args[n-1].kind == '/' {
		return unescapeName(string(args[n-1].text))
	}
	return ""
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

// set changes the graphics state.
func (s *sight) set(op string, args []operand, depth int) bool {
	g := &s.state
	switch op {
	case "q":
		if len(s.saved) >= mostSaved {
			s.doubt = true
			return true
		}
		s.saved = append(s.saved, *g)
	case "Q":
		if n := len(s.saved); n > depth {
			text, line := g.text, g.line
			*g, s.saved = s.saved[n-1], s.saved[:n-1]
			g.text, g.line = text, line
		}
	case "cm":
		n := values(args, 6)
		g.ctm = matrix{n[0], n[1], n[2], n[3], n[4], n[5]}.then(g.ctm)
	case "gs":
		s.setDict(s.dict(s.dict(s.resources["ExtGState"])[lastName(args)]))
	case "w", "J", "j", "M", "d", "ri", "i", "BMC", "BDC", "EMC", "MP", "DP", "BX", "EX", "d0", "d1":
	default:
		return false
	}
	return true
}

func (s *sight) setDict(d types.Dict) {
	const nearlyNothing = 0.05
	if d["ca"] != nil {
		alpha := s.number(d["ca"])
		s.state.faint, s.state.glass = alpha < nearlyNothing, alpha < 1
	}
	if mask := s.dict(d["SMask"]); mask != nil {
		s.state.glass = true
	}
	if font := s.array(d["Font"]); len(font) == 2 {
		s.state.font, s.state.size = s.typeface(s.dict(font[0])), s.number(font[1])
	}
}

// colour sets a colour. It is known to be white in a few spaces only.
func (s *sight) colour(op string, args []operand) bool {
	target := &s.state.fill
	switch op {
	case "G", "RG", "K", "CS", "SC", "SCN":
		target = &s.state.stroke
	}
	all := func(value float64) bool {
		return len(args) > 0 && !slices.ContainsFunc(args, func(a operand) bool { return a.number != value })
	}
	switch op {
	case "g", "G", "rg", "RG":
		*target = paint{white: all(1), bright: true}
	case "k", "K":
		*target = paint{white: all(0)}
	case "cs", "CS":
		*target = paint{bright: s.bright(lastName(args))}
	case "sc", "SC", "scn", "SCN":
		*target = paint{white: target.bright && all(1), pattern: lastName(args) != "", bright: target.bright}
	default:
		return false
	}
	return true
}

// bright reports whether a colour space is gray or red, green and blue. In others a one may be all
// the ink that there is.
func (s *sight) bright(name string) bool {
	a := s.array(s.dict(s.resources["ColorSpace"])[name])
	if len(a) > 0 {
		name = s.name(a[0])
	}
	switch name {
	case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB":
		return true
	case "ICCBased":
		n := s.number(s.dict(a[len(a)-1])["N"])
		return n == 1 || n == 3
	}
	return false
}

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

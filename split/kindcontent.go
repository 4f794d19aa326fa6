package split

import (
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

package split

import (
	"cmp"
	"math"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// rect is a rectangle with its sides along the axes.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) area() float64 { return max(0, r.x1-r.x0) * max(0, r.y1-r.y0) }

func (r rect) meet(o rect) rect {
	return rect{max(r.x0, o.x0), max(r.y0, o.y0), min(r.x1, o.x1), min(r.y1, o.y1)}
}

// meets reports whether two rectangles have a point in common. A line is a rectangle, too.
func (r rect) meets(o rect) bool {
	m := r.meet(o)
	return m.x0 <= m.x1 && m.y0 <= m.y1
}

func (r rect) has(x, y float64) bool { return x >= r.x0 && x <= r.x1 && y >= r.y0 && y <= r.y1 }

func (r rect) with(x, y float64) rect {
	return rect{min(r.x0, x), min(r.y0, y), max(r.x1, x), max(r.y1, y)}
}

// nowhere is the rectangle that holds no point.
var nowhere = rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

// rect reads a rectangle of which any two corners are given.
func (v *view) rect(a types.Array) (rect, bool) {
	if len(a) < 4 {
		return rect{}, false
	}
	x0, y0, x1, y1 := v.number(a[0]), v.number(a[1]), v.number(a[2]), v.number(a[3])
	return rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}, true
}

// matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then maps by m first, then by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// bounds returns the rectangle around what m makes of r.
func (m matrix) bounds(r rect) rect {
	b := nowhere
	for _, x := range [2]float64{r.x0, r.x1} {
		for _, y := range [2]float64{r.y0, r.y1} {
			b = b.with(m.apply(x, y))
		}
	}
	return b
}

func (v *view) matrix(o types.Object) matrix {
	a := v.array(o)
	if len(a) != 6 {
		return identity
	}
	return matrix{v.number(a[0]), v.number(a[1]), v.number(a[2]), v.number(a[3]), v.number(a[4]), v.number(a[5])}
}

// rule is a straight line along an axis: where it lies on the other axis, and from where to where
// it goes.
type rule struct{ at, from, to float64 }

// rules are the lines on a page that may be those of a table.
type rules struct{ across, down []rule }

// What is taken for lines, in points.
const (
	mostRules  = 5000
	thickest   = 3 // a filled rectangle that is a line
	shortest   = 5
	touching   = 3 // lines that end this close to another one meet it
	lowestRow  = 6 // less apart, lines are one level: a double line, or a staff of music
	thinColumn = 6
)

// add takes a line, or a rectangle as thin as one.
func (l *rules) add(r rect) bool {
	w, h := r.x1-r.x0, r.y1-r.y0
	switch {
	case h <= thickest && w >= shortest && len(l.across) < mostRules:
		l.across = append(l.across, rule{(r.y0 + r.y1) / 2, r.x0, r.x1})
	case w <= thickest && h >= shortest && len(l.down) < mostRules:
		l.down = append(l.down, rule{(r.x0 + r.x1) / 2, r.y0, r.y1})
	default:
		return w <= thickest && h <= thickest
	}
	return true
}

// joined makes one line of those that continue each other.
func joined(all []rule) []rule {
	slices.SortFunc(all, func(a, b rule) int {
		return cmp.Or(cmp.Compare(math.Round(a.at), math.Round(b.at)), cmp.Compare(a.from, b.from))
	})
	var out []rule
	for _, r := range all {
		if n := len(out) - 1; n >= 0 && math.Abs(out[n].at-r.at) <= 1.5 && r.from <= out[n].to+touching {
			out[n].to = max(out[n].to, r.to)
			continue
		}
		out = append(out, r)
	}
	return out[:min(len(out), mostRules/10)]
}

// takeStaves takes sets of lines out that are too close for rows of text: staves of music, hatching.
func (l *rules) takeStaves() []rect {
	const fewest = 4
	all := joined(l.across)
	slices.SortFunc(all, func(a, b rule) int {
		return cmp.Or(cmp.Compare(math.Round(a.from), math.Round(b.from)), cmp.Compare(math.Round(a.to), math.Round(b.to)), cmp.Compare(a.at, b.at))
	})
	var staves []rect
	l.across = nil
	for first := 0; first < len(all); {
		last := first
		for last+1 < len(all) && all[last+1].at-all[last].at < lowestRow && all[last+1].at >= all[last].at &&
			math.Round(all[last+1].from) == math.Round(all[first].from) {
			last++
		}
		if last-first+1 >= fewest {
			staves = append(staves, rect{all[first].from, all[first].at, all[first].to, all[last].at})
		} else {
			l.across = append(l.across, all[first:last+1]...)
		}
		first = last + 1
	}
	return staves
}

// enclose reports whether lines make a grid of at least two rows and columns, in cells of which
// there is text. The lines across are those that [rules.takeStaves] leaves.
func (l *rules) enclose(texts []run, page rect) bool {
	across, down := l.across, joined(l.down)
	for len(down) > 0 {
		grid := nowhere
		var rows, columns []float64
		rest := down[:0:0]
		for _, d := range down {
			levels := crossing(d, across)
			if len(levels) < 3 {
				continue
			}
			if len(columns) > 0 && (d.from > grid.y1 || d.to < grid.y0) {
				rest = append(rest, d) // of another table
				continue
			}
			columns = append(columns, d.at)
			rows = append(rows, levels...)
			grid = grid.with(d.at, levels[0]).with(d.at, levels[len(levels)-1])
		}
		if len(columns) == 0 {
			return false
		}
		rows, columns = apart(rows, lowestRow), apart(columns, thinColumn)
		if len(rows) >= 3 && len(columns) >= 3 && grid.area() >= smallestTable*page.area() && filled(rows, columns, texts) {
			return true
		}
		down = rest
	}
	return false
}

// crossing returns where lines across meet a line down, from low to high.
func crossing(d rule, across []rule) []float64 {
	var levels []float64
	for _, a := range across {
		if a.at >= d.from-touching && a.at <= d.to+touching && d.at >= a.from-touching && d.at <= a.to+touching {
			levels = append(levels, a.at)
		}
	}
	return apart(levels, lowestRow)
}

// apart sorts positions, and keeps the first of those that are close to each other.
func apart(all []float64, least float64) []float64 {
	slices.Sort(all)
	out := all[:0:0]
	for i, x := range all {
		if i == 0 || x-all[i-1] >= least {
			out = append(out, x)
		}
	}
	return out
}

// filled reports whether there is text in four cells and in a quarter of all cells.
func filled(rows, columns []float64, texts []run) bool {
	type cell struct{ row, column int }
	used := map[cell]bool{}
	for _, t := range texts {
		row, _ := slices.BinarySearch(rows, t.y)
		column, _ := slices.BinarySearch(columns, t.x)
		if row > 0 && row < len(rows) && column > 0 && column < len(columns) {
			used[cell{row, column}] = true
		}
	}
	return len(used) >= 4 && 4*len(used) >= (len(rows)-1)*(len(columns)-1)
}

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quire-dev/quire/partition/wire"
)

// A chart is boxes over time.
type chart struct {
	Boxes  []box
	Middle string // what stands below the middle and the end of the axis
	End    string
	Most   int // the height of the overview
}

// A box is a rectangle; across in percent of the chart, down in pixels.
type box struct{ X, Width, Y, Height, Class, Title string }

// A drawing is a document's timeline.
type drawing struct {
	Anchor, Name, State, Took, From string
	Open                            bool // shown at once
	Middle, End                     string
	Rows                            []drawnRow
	LeftOut                         int
}

type drawnRow struct {
	What  string // pages
	Came  string // what its attempts brought
	Boxes []box
}

// The heights of the charts, in pixels, as in run.css.
const (
	overviewHeight = 80
	rowHeight      = 16
)

// maxCame is how many of a chunk's answers are named.
const maxCame = 6

// A scale places times between two ends.
type scale struct{ from, to time.Duration }

// place is a box between two times, wide enough to be seen; ok is false where it is outside.
func (s scale) place(from, to time.Duration) (b box, ok bool) {
	if to < s.from || from > s.to {
		return box{}, false
	}
	from, to = max(from, s.from), min(to, s.to)
	whole := float64(max(s.to-s.from, 1))
	x, width := 100*float64(from-s.from)/whole, max(100*float64(to-from)/whole, 0.5)
	x = min(x, 100-width)
	return box{X: percent(x), Width: percent(width), Y: "0", Height: strconv.Itoa(rowHeight)}, true
}

func percent(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) + "%" }

// drawOverview shows the answers of the whole run, and when the gate was closed.
func (r *Run) drawOverview() chart {
	o := &r.overview
	most := o.most()
	if most == 0 {
		return chart{}
	}
	s := scale{0, max(r.last, 1)}
	c := chart{Middle: span(s.to / 2), End: span(s.to), Most: most}
	c.Boxes = r.drawClosings(s, overviewHeight)
	for i, b := range o.bins {
		if b.ok+b.bad == 0 {
			continue
		}
		from := time.Duration(i) * o.width
		place, _ := s.place(from, from+o.width)
		title := fmt.Sprintf("%s to %s: %d good, %d not", span(from), span(from+o.width), b.ok, b.bad)
		below := 0.0
		for _, segment := range []struct {
			n     int
			class class
		}{{b.ok, ok}, {b.bad, bad}} {
			if segment.n == 0 {
				continue
			}
			height := float64(segment.n) / float64(most) * (overviewHeight - 2)
			below += height
			place.Y, place.Height = pixels(overviewHeight-below), pixels(height)
			place.Class, place.Title = string(segment.class), title
			c.Boxes = append(c.Boxes, place)
		}
	}
	return c
}

func pixels(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// drawClosings are the times in which the gate was closed.
func (r *Run) drawClosings(s scale, height int) []box {
	var boxes []box
	for _, c := range r.closings {
		if b, seen := s.place(c.from, r.until(c)); seen {
			b.Height, b.Class = strconv.Itoa(height), "closed"
			b.Title = "every request waited for " + span(r.until(c)-c.from)
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// draw is a document's timeline, its chunks in page order.
func (r *Run) draw(t *timeline, anchor string) drawing {
	s := scale{t.from, max(t.to, t.from+1)}
	d := drawing{
		Anchor: anchor, Name: wire.Printable(t.name), State: t.state(), Took: span(t.elapsed), From: span(t.from), Open: t.failed,
		Middle: span((s.to - s.from) / 2), End: span(s.to - s.from), LeftOut: t.leftOut,
	}
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last)) })
	for _, row := range rows {
		drawn := drawnRow{What: row.what(), Came: row.came(), Boxes: r.drawClosings(s, rowHeight)}
		for _, m := range row.marks {
			if m.open {
				m.to = s.to
			}
			b, seen := s.place(m.from, m.to)
			if !seen {
				continue
			}
			b.Class, b.Title = string(m.class), m.title()
			drawn.Boxes = append(drawn.Boxes, b)
		}
		d.Rows = append(d.Rows, drawn)
	}
	return d
}

// what is the chunk of the document.
func (r *row) what() string {
	switch {
	case r.first == 0:
		return "whole"
	case r.first == r.last:
		return fmt.Sprintf("page %d", r.first)
	}
	return fmt.Sprintf("pages %d-%d", r.first, r.last)
}

// came is what the attempts of a chunk brought, the last of them at the end.
func (r *row) came() string {
	var words []string
	for _, m := range r.marks {
		switch m.class {
		case wait:
		case cached:
			words = append(words, "cache")
		case underWay:
			words = append(words, "not answered")
		default:
			words = append(words, answerKey{m.status, m.kind}.short())
		}
	}
	if n := len(words); n > maxCame {
		words = append([]string{fmt.Sprintf("%d before", n-maxCame)}, words[n-maxCame:]...)
	}
	line := strings.Join(words, ", ")
	if r.stopped && r.stop != "" {
		line += "; stopped by " + strings.ReplaceAll(string(r.stop), "_", " ")
	}
	return line
}

// title is what a mark says when it is pointed at.
func (m mark) title() string {
	took := span(m.to - m.from)
	switch m.class {
	case wait:
		return "waited " + took + " (" + wire.Printable(m.rule) + ")"
	case cached:
		return "answered by the cache"
	case underWay:
		return "not answered, " + took
	}
	title := answerKey{m.status, m.kind}.long() + ", " + took
	if m.rule != "" {
		title += " (" + wire.Printable(m.rule) + ")"
	}
	return title
}

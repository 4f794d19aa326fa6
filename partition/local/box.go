package local

import (
	"math"

	"github.com/klippa-app/go-pdfium/structs"

	"github.com/quire-dev/quire/partition/element"
)

// A box is a rectangle in points. On a displayed page y grows downwards from the upper left corner.
type box struct{ left, top, right, bottom float64 }

func (b box) width() float64  { return b.right - b.left }
func (b box) height() float64 { return b.bottom - b.top }
func (b box) empty() bool     { return b.width() <= 0 || b.height() <= 0 }

func (b box) union(o box) box {
	return box{min(b.left, o.left), min(b.top, o.top), max(b.right, o.right), max(b.bottom, o.bottom)}
}

// gaps are the distances between two boxes along both axes, negative where they overlap.
func (b box) gaps(o box) (x, y float64) {
	return max(b.left, o.left) - min(b.right, o.right), max(b.top, o.top) - min(b.bottom, o.bottom)
}

// coordinates are the API's four corners, from the upper left counter-clockwise, to a
// ten-thousandth of a point: PDFium's numbers are no finer.
func (b box) coordinates(width, height float64) *element.Coordinates {
	left, top, right, bottom := rounded(b.left), rounded(b.top), rounded(b.right), rounded(b.bottom)
	return &element.Coordinates{
		Points:       [][2]float64{{left, top}, {left, bottom}, {right, bottom}, {right, top}},
		System:       "PixelSpace",
		LayoutWidth:  rounded(width),
		LayoutHeight: rounded(height),
	}
}

func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// A view maps a page's own coordinates, y upwards, to those of the page as it is displayed, turned
// by quarters clockwise.
type view struct {
	bounds        box // in the page's own coordinates
	quarters      int
	width, height float64
}

func newView(r structs.FPDF_FS_RECTF, quarters int) view {
	v := view{quarters: quarters & 3, bounds: box{
		left: float64(min(r.Left, r.Right)), right: float64(max(r.Left, r.Right)),
		top: float64(min(r.Top, r.Bottom)), bottom: float64(max(r.Top, r.Bottom)),
	}}
	v.width, v.height = v.bounds.width(), v.bounds.height()
	if v.quarters%2 == 1 {
		v.width, v.height = v.height, v.width
	}
	return v
}

func (v view) display(b box) box {
	o := v.bounds
	switch v.quarters {
	case 1:
		return box{b.top - o.top, b.left - o.left, b.bottom - o.top, b.right - o.left}
	case 2:
		return box{o.right - b.right, b.top - o.top, o.right - b.left, b.bottom - o.top}
	case 3:
		return box{o.bottom - b.bottom, o.right - b.right, o.bottom - b.top, o.right - b.left}
	}
	return box{b.left - o.left, o.bottom - b.bottom, b.right - o.left, o.bottom - b.top}
}

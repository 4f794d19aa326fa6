package local

import (
	"cmp"
	"context"
	"slices"
)

// shrink makes boxes smaller before they are cut apart, so that touching ones still have a gap;
// their upper left corner stays.
const shrink = 0.9

// readingOrder sorts blocks: from the top down and from the left, then by a recursive XY-cut,
// columns before rows.
func readingOrder(ctx context.Context, blocks []block) ([]block, error) {
	slices.SortStableFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.box.top, b.box.top), cmp.Compare(a.box.left, b.box.left))
	})
	boxes := make([]cutBox, len(blocks))
	for i, b := range blocks {
		left, top := int(max(b.box.left, 0)), int(max(b.box.top, 0))
		boxes[i] = cutBox{
			index: i,
			x:     span{left, left + max(1, int(b.box.width()*shrink))},
			y:     span{top, top + max(1, int(b.box.height()*shrink))},
		}
	}
	ordered := make([]block, 0, len(blocks))
	for _, index := range cut(ctx, boxes, nil) {
		ordered = append(ordered, blocks[index])
	}
	return ordered, context.Cause(ctx)
}

// A cutBox is a block's box in whole points.
type cutBox struct {
	index int
	x, y  span
}

type span struct{ from, to int }

// cut appends the indices of boxes to order. It ends where neither a column nor a row can be split
// off, and with its context.
func cut(ctx context.Context, boxes []cutBox, order []int) []int {
	if ctx.Err() != nil {
		return order
	}
	for _, column := range apart(boxes, func(b cutBox) span { return b.x }) {
		rows := apart(column, func(b cutBox) span { return b.y })
		if len(rows) == 1 {
			for _, b := range rows[0] {
				order = append(order, b.index)
			}
			continue
		}
		for _, row := range rows {
			order = cut(ctx, row, order)
		}
	}
	return order
}

// apart sorts boxes along an axis and parts them where no box covers it.
func apart(boxes []cutBox, axis func(cutBox) span) [][]cutBox {
	sorted := slices.Clone(boxes)
	slices.SortStableFunc(sorted, func(a, b cutBox) int {
		return cmp.Or(cmp.Compare(axis(a).from, axis(b).from), cmp.Compare(a.index, b.index))
	})
	var parts [][]cutBox
	start, end := 0, 0
	for i, b := range sorted {
		if i > start && axis(b).from > end {
			parts = append(parts, sorted[start:i])
			start, end = i, 0
		}
		end = max(end, axis(b).to)
	}
	if start < len(sorted) {
		parts = append(parts, sorted[start:])
	}
	return parts
}

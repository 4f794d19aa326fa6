package local

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
)

// Measures of the layout analysis, as the API sets them for pdfminer; each is a multiple.
const (
	lineOverlap  = 0.5   // of the lower height: two words are on one line if they overlap so much
	charMargin   = 2.0   // of a character's width: words farther apart are on separate lines
	lineMargin   = 0.5   // of a line's height: lines closer than that are one paragraph
	wordMargin   = 0.185 // of a character's height: a wider gap is a space
	minCharWidth = 0.65  // of a character's height
)

// A line is a row of words.
type line struct {
	text  strings.Builder
	box   box
	chars float64 // width of a character
	last  box
}

// A block is a paragraph, or other text that stands together.
type block struct {
	text string
	box  box
}

// blocks groups words, which come in the order of the page's content, to lines and lines to blocks.
func blocks(ctx context.Context, words []word) ([]block, error) {
	return paragraphs(ctx, lines(words))
}

func lines(words []word) []*line {
	var rows []*line
	var row *line
	for _, w := range words {
		if row == nil || !row.continues(w) {
			row = &line{box: w.box}
			rows = append(rows, row)
		} else if x, _ := row.last.gaps(w.box); !w.glued || x > wordMargin*w.box.height() {
			row.text.WriteByte(' ')
		}
		row.text.WriteString(w.text)
		row.box, row.last = row.box.union(w.box), w.box
		row.chars = charWidth(w)
	}
	return rows
}

// charWidth is a word's average. A word of narrow letters counts with a share of its height, so
// that a section's number stays with its title.
func charWidth(w word) float64 {
	return max(w.box.width()/float64(max(w.chars, 1)), minCharWidth*w.box.height())
}

func (l *line) continues(w word) bool {
	x, y := l.last.gaps(w.box)
	return -y >= lineOverlap*min(l.last.height(), w.box.height()) && x < charMargin*max(l.chars, charWidth(w))
}

// paragraphs joins lines of about the same height that stand close above each other with a common
// left or right edge or middle. A line that begins an item of a list begins a paragraph.
func paragraphs(ctx context.Context, rows []*line) ([]block, error) {
	slices.SortStableFunc(rows, func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.box.top, b.box.top), cmp.Compare(a.box.left, b.box.left))
	})
	group := make([]int, len(rows)) // by union-find: the index of a row of the same group, the first one's its own
	for i := range group {
		group[i] = i
	}
	root := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for i, a := range rows {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for j := i + 1; j < len(rows) && rows[j].box.top <= a.box.bottom+a.box.height(); j++ {
			if !rows[j].beginsItem() && (a.joins(rows[j]) || rows[j].joins(a)) {
				first, second := root(i), root(j)
				group[max(first, second)] = min(first, second)
			}
		}
	}
	var found []block
	var texts [][]string // of the rows of each
	at := map[int]int{}
	for i, row := range rows {
		first := root(i)
		k, known := at[first]
		if !known {
			k = len(found)
			at[first] = k
			found, texts = append(found, block{box: row.box}), append(texts, nil)
		}
		texts[k] = append(texts[k], row.text.String())
		found[k].box = found[k].box.union(row.box)
	}
	kept := found[:0]
	for k, b := range found {
		if b.text = collapse(strings.Join(texts[k], " ")); b.text != "" {
			kept = append(kept, b)
		}
	}
	return kept, nil
}

// itemStart leaves out the middle dot, which separates words of a line as often as it begins one.
var itemStart = regexp.MustCompile(`^(?:[` + strings.ReplaceAll(bullets, "\u00B7", "") + `]|\d{1,2}[.)])\s+\S`)

func (l *line) beginsItem() bool { return itemStart.MatchString(l.text.String()) }

func (l *line) joins(o *line) bool {
	reach := lineMargin * l.box.height()
	x, y := l.box.gaps(o.box)
	near := func(a, b float64) bool { return a-b <= reach && b-a <= reach }
	return x <= 0 && y <= reach && near(l.box.height(), o.box.height()) &&
		(near(l.box.left, o.box.left) || near(l.box.right, o.box.right) ||
			near(l.box.left+l.box.right, o.box.left+o.box.right))
}

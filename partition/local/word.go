package local

import (
	"context"
	"math"
	"unicode"
)

// A word is a run of characters of a page without white space between them.
type word struct {
	text  string
	box   box
	chars int
	glued bool // follows the word before it without white space
}

const (
	lineEndHyphen  = '\ufffe' // what PDFium writes for a hyphen at the end of a line, and for a glyph without a character
	softHyphen     = '\u00ad'
	duplicateShift = 2.0  // points; a character printed again within it is an imitation of bold type
	checkEvery     = 1024 // how many words are read between two looks at the context
)

// words reads the words of a text page in the order of the page's content. text has the page's
// count characters. Where PDFium left some out of it, they are asked for one by one; so are those
// of which it writes the same for two things.
func (i *pdfInstance) words(ctx context.Context, text string, count int, v view) ([]word, error) {
	if err := i.prepare(); err != nil {
		return nil, err
	}
	textPage := i.probe.textPage(i.module)
	chars := []rune(text)
	complete := len(chars) == count
	if !complete {
		chars = make([]rune, count)
	}
	for k := range chars {
		if complete && chars[k] != lineEndHyphen {
			continue
		}
		c, err := i.char(textPage, k)
		if err != nil {
			return nil, err
		}
		chars[k] = c
	}
	var words []word
	var seen duplicates
	for start, n := 0, 0; start < len(chars); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		end := start
		for end < len(chars) && !isBreak(chars[end]) {
			end++
			if chars[end-1] == lineEndHyphen {
				break
			}
		}
		if end > start {
			found, err := i.wordsOf(chars, start, end, textPage, v)
			if err != nil {
				return nil, err
			}
			for _, w := range found {
				if w.box.empty() && len(words) > 0 {
					w.box = words[len(words)-1].box // without a place of its own it stays with what was before it
				}
				if w.text != "" && !seen.add(w) {
					words = append(words, w)
				}
			}
		}
		start = max(end, start+1)
	}
	return words, nil
}

func isBreak(c rune) bool { return unicode.IsSpace(c) || c == '\ufeff' }

// wordsOf is the word that chars[start:end] are, in pieces where the characters do not stand beside
// each other.
func (i *pdfInstance) wordsOf(chars []rune, start, end int, textPage uint64, v view) ([]word, error) {
	first, err := i.charBox(textPage, start, v)
	if err != nil {
		return nil, err
	}
	last := first
	if end-start > 1 {
		if last, err = i.charBox(textPage, end-1, v); err != nil {
			return nil, err
		}
	}
	if isRun(first, last, end-start) {
		return []word{newWord(chars[start:end], first.union(last), false)}, nil
	}
	var words []word
	var b box
	from := start
	for k := start; k < end; k++ {
		next, err := i.charBox(textPage, k, v)
		if err != nil {
			return nil, err
		}
		if k > from && !adjacent(b, next) {
			words = append(words, newWord(chars[from:k], b, from > start))
			from, b = k, next
		}
		switch {
		case b.empty():
			b = next
		case !next.empty():
			b = b.union(next)
		}
	}
	return append(words, newWord(chars[from:end], b, from > start)), nil
}

// isRun reports whether n characters whose outer ones have these boxes can stand in one horizontal
// row between them.
func isRun(first, last box, n int) bool {
	if first.empty() || last.empty() {
		return n == 1
	}
	_, apart := first.gaps(last)
	height := max(first.height(), last.height())
	return apart < -0.5*min(first.height(), last.height()) && first.left <= last.left && last.right-first.left <= 1.5*height*float64(n)
}

// adjacent reports whether a character follows what stands before it without a jump.
func adjacent(before, next box) bool {
	if before.empty() || next.empty() {
		return true
	}
	x, y := before.gaps(next)
	return x <= next.height() && y <= 0.5*next.height() || math.Max(x, y) <= 0
}

func newWord(chars []rune, b box, glued bool) word {
	clean := make([]rune, 0, len(chars))
	for _, c := range chars {
		switch {
		case c == lineEndHyphen:
			clean = append(clean, '-')
		case c >= ' ' && c != '\uffff' && c != softHyphen: // what is below is a glyph without a character
			clean = append(clean, c)
		}
	}
	return word{text: string(clean), box: b, chars: len(chars), glued: glued}
}

// duplicates finds words that are printed twice on nearly the same place.
type duplicates map[string][]box

func (d *duplicates) add(w word) (again bool) {
	if *d == nil {
		*d = duplicates{}
	}
	earlier := (*d)[w.text]
	for _, b := range earlier[max(0, len(earlier)-maxCompared):] {
		x, y := b.gaps(w.box)
		overlaps := -x > 0.5*w.box.width() && -y > 0.5*w.box.height()
		if overlaps && math.Abs(b.left-w.box.left) <= duplicateShift && math.Abs(b.top-w.box.top) <= duplicateShift {
			return true
		}
	}
	(*d)[w.text] = append(earlier, w.box)
	return false
}

// maxCompared bounds the comparisons of one word on pages that repeat it without end.
const maxCompared = 64

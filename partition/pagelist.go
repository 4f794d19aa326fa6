package partition

import (
	"fmt"
	"strings"

	"github.com/quire-dev/quire/split"
)

// A pageList is a list of pages, in order.
type pageList []split.PageRange

// add appends a page.
func (l *pageList) add(page int) {
	if last := len(*l) - 1; last >= 0 && (*l)[last].Last == page-1 {
		(*l)[last].Last = page
		return
	}
	*l = append(*l, split.PageRange{First: page, Last: page})
}

// mostRanges is how many ranges of pages a message names.
const mostRanges = 10

// String returns "page 3" or "pages 1-4, 7".
func (l pageList) String() string {
	if len(l) == 1 && l[0].Len() == 1 {
		return "page " + l[0].String()
	}
	var ranges []string
	more := 0
	for i, r := range l {
		if i < mostRanges {
			ranges = append(ranges, r.String())
		} else {
			more += r.Len()
		}
	}
	list := "pages " + strings.Join(ranges, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// number returns the form of a word that fits the number of pages.
func (l pageList) number(one, several string) string {
	if len(l) == 1 && l[0].Len() == 1 {
		return one
	}
	return several
}

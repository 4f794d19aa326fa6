package split

import (
	"fmt"
	"strconv"
	"strings"
)

// PageRange is a run of consecutive pages, counted from 1, both ends included. The zero value has
// no pages.
type PageRange struct{ First, Last int }

// Len returns the number of pages; it is 0 for an invalid range.
func (r PageRange) Len() int {
	if r.First < 1 || r.Last < r.First {
		return 0
	}
	return r.Last - r.First + 1
}

// String returns "5-6", or "5" for a single page: the form that [ParsePageRange] reads.
func (r PageRange) String() string {
	if r.First == r.Last {
		return strconv.Itoa(r.First)
	}
	return strconv.Itoa(r.First) + "-" + strconv.Itoa(r.Last)
}

// ParsePageRange reads "3-7" or "3". Both ends are whole numbers, at least 1, and the first must
// not be greater than the last; blanks around them are allowed. ParsePageRange does not know the
// document's last page: [Document.Chunk] checks it.
func ParsePageRange(s string) (PageRange, error) {
	first, last, isRange := strings.Cut(s, "-")
	if !isRange {
		last = first
	}
	var r PageRange
	for _, end := range []struct {
		text string
		to   *int
	}{{first, &r.First}, {last, &r.Last}} {
		n, err := parsePage(strings.TrimSpace(end.text))
		if err != nil {
			return PageRange{}, fmt.Errorf("page range %q: %w", s, err)
		}
		*end.to = n
	}
	if r.Last < r.First {
		return PageRange{}, fmt.Errorf("page range %q: the first page is after the last", s)
	}
	return r, nil
}

func parsePage(s string) (int, error) {
	if s == "" {
		return 0, fmt.Errorf(`want a page, as "3", or first and last page, as "3-7"`)
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, fmt.Errorf("%q is not a page number", s)
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q is too large for a page number", s)
	}
	if n < 1 {
		return 0, fmt.Errorf("pages are counted from 1")
	}
	return n, nil
}

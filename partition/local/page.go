package local

import (
	"context"

	"github.com/quire-dev/quire/partition/element"
)

// A page is what was read of one page of a PDF.
type page struct {
	width, height float64
	words         []word
}

// Shares of a page's height.
const (
	headerShare = 0.07 // above it is the header
	footerShare = 0.93 // below it is the footer
)

// Shares of a list item's box within which what follows belongs to it.
const (
	itemWidthShare  = 0.2
	itemHeightShare = 0.3
)

// elements classifies the page's blocks in reading order. Nothing outside the page matters.
func (p *page) elements(ctx context.Context, number int) ([]element.Element, error) {
	found, err := blocks(ctx, p.words)
	if err != nil {
		return nil, err
	}
	ordered, err := readingOrder(ctx, found)
	if err != nil {
		return nil, err
	}
	var elements []element.Element
	item := -1 // index of the list item before, and its box
	var itemBox box
	for i, b := range ordered {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		kind, text := p.classify(b)
		if text == "" {
			continue // a bullet without a text
		}
		if kind != element.TypeListItem && item >= 0 && withinItem(itemBox, b.box) {
			itemBox = itemBox.union(b.box)
			elements[item].Text += " " + text
			elements[item].Metadata.Coordinates = itemBox.coordinates(p.width, p.height)
			continue
		}
		if item = -1; kind == element.TypeListItem {
			item, itemBox = len(elements), b.box
		}
		elements = append(elements, element.Element{
			Type: kind, Text: text,
			Metadata: element.Metadata{PageNumber: number, Coordinates: b.box.coordinates(p.width, p.height)},
		})
	}
	return elements, nil
}

func (p *page) classify(b block) (element.ElementType, string) {
	switch middle := (b.box.top + b.box.bottom) / 2; {
	case middle < headerShare*p.height:
		return element.TypeHeader, b.text
	case middle > footerShare*p.height:
		return element.TypeFooter, b.text
	}
	return classify(b.text)
}

func withinItem(item, b box) bool {
	return b.left >= item.left && b.right < item.right+itemWidthShare*item.width() &&
		b.top > item.top-itemHeightShare*item.height() && b.top < item.bottom+itemHeightShare*item.height()
}

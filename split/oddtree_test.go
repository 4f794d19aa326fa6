package split_test

import (
	"fmt"
	"regexp"
	"strings"
)

// kids changes what a book's page tree names.
func kids(list string, count int) func(name string) string {
	return func(name string) string {
		p := book(name, 4)
		p.set(treeNr, "<</Type/Pages/Count %d/Kids[%s]>>", count, list)
		return made(p)
	}
}

// nested is a tree whose nodes give their pages what these have not.
func nested(name string) *pdf {
	p := newPDF()
	p.set(catalogNr, "<</Type/Catalog/Pages 2 0 R>>")
	p.set(fontNr, "%s", font)
	page := func(n, parent int, more string) int {
		return p.add("<</Type/Page/Parent %d 0 R/Contents %d 0 R%s>>", parent, p.stream("", draw(words(name, n))), more)
	}
	p.next = 20
	courier := p.add("<</Type/Font/Subtype/Type1/BaseFont/Courier>>")
	one := page(1, treeNr, "")
	inner, deep := p.add(""), p.add("")
	two, three := page(2, inner, ""), page(3, inner, "/MediaBox[0 0 450 460]/Rotate 0")
	four := page(4, deep, fmt.Sprintf("/Resources<</Font<</F1 %d 0 R>>>>", fontNr))
	five := page(5, treeNr, "/CropBox[5 5 490 490]")
	p.set(treeNr, "<</Type/Pages/Count 5/Kids[%d 0 R %d 0 R %d 0 R]/MediaBox[0 0 500 500]/Resources<</Font<</F1 %d 0 R>>>>>>", one, inner, five, fontNr)
	p.set(inner, "<</Type/Pages/Parent 2 0 R/Count 3/Kids[%d 0 R %d 0 R %d 0 R]/Rotate 90/CropBox[1 1 499 499]/Resources<</Font<</F1 %d 0 R>>>>>>",
		two, three, deep, courier)
	p.set(deep, "<</Type/Pages/Parent %d 0 R/Count 1/Kids[%d 0 R]/Rotate 180/MediaBox[0 0 470 480]>>", inner, four)
	return p
}

func nestedPage(name string, page int) wantedPage {
	helvetica, courier := []string{"/BaseFont Helvetica "}, []string{"/BaseFont Courier "}
	want := []wantedPage{
		{media: "[0 0 500 500]", has: helvetica},
		{media: "[0 0 500 500]", crop: "[1 1 499 499]", rotate: "90", has: courier},
		{media: "[0 0 450 460]", crop: "[1 1 499 499]", rotate: "0", has: courier},
		{media: "[0 0 470 480]", crop: "[1 1 499 499]", rotate: "180", has: helvetica},
		{media: "[0 0 500 500]", crop: "[5 5 490 490]", has: helvetica},
	}[page-1]
	want.content = draw(words(name, page))
	return want
}

// chain is a tree in which each node has a page and the next node.
func chain(levels int) func(name string) string {
	return func(name string) string {
		p := book(name, levels)
		node := treeNr
		for n := 1; n <= levels; n++ {
			next := p.next
			if n == levels {
				p.set(node, "<</Type/Pages/Count 1/Kids[%d 0 R]>>", pageNr(n))
				break
			}
			p.set(node, "<</Type/Pages/Count %d/Kids[%d 0 R %d 0 R]>>", levels-n+1, pageNr(n), next)
			p.edit(pageNr(n), "/Parent 2 0 R", fmt.Sprintf("/Parent %d 0 R", node))
			p.add("")
			node = next
		}
		return made(p)
	}
}

var parentEntry = regexp.MustCompile(`/Parent \d+ 0 R`)

// trees are page trees of all shapes, and what stands where a page should.
func trees() []odd {
	const four = "5 0 R 7 0 R 9 0 R 11 0 R"
	return []odd{
		{"tree-nested", "nested nodes with boxes, resources and rotation that pages inherit and override", isSplit, 5, func(name string) string { return made(nested(name)) }, nestedPage},
		{"tree-nested-packed", "the same in an object stream, and no node or page names its parent", isSplit, 5, func(name string) string {
			p := nested(name)
			for nr, o := range p.objects {
				p.objects[nr] = parentEntry.ReplaceAllString(o, "")
			}
			return p.compact()
		}, nestedPage},
		{"tree-deep", "a chain of 30 nodes, with a page each", isSplit, 30, chain(30), nil},
		{"tree-one-kid-each", "40 nodes above the only page", isSplit, 1, func(name string) string {
			p := book(name, 1)
			node := treeNr
			for range 40 {
				next := p.next
				p.set(node, "<</Type/Pages/Count 1/Kids[%d 0 R]>>", next)
				p.add("")
				node = next
			}
			p.set(node, "<</Type/Pages/Count 1/Kids[%d 0 R]>>", pageNr(1))
			return made(p)
		}, nil},
		{"tree-empty-nodes", "nodes without a page between the pages", isSplit, 4, func(name string) string {
			p := book(name, 4)
			empty := p.add("<</Type/Pages/Parent 2 0 R/Count 0/Kids[]>>")
			p.set(treeNr, "<</Type/Pages/Count 4/Kids[%d 0 R 5 0 R %d 0 R 7 0 R 9 0 R 11 0 R]>>", empty, p.add("<</Type/Pages/Parent 2 0 R/Count 0/Kids[]>>"))
			return made(p)
		}, nil},
		{"tree-count-high", "/Count says a billion", isSplit, 4, kids(four, 1_000_000_000), nil},
		{"tree-count-low", "/Count says 1", isSplit, 4, kids(four, 1), nil},
		{"tree-count-negative", "/Count is negative", isSplit, 4, kids(four, -4), nil},
		{"tree-without-types", "neither nodes nor pages nor the catalog have a /Type", isSplit, 4, func(name string) string {
			p := book(name, 4)
			for nr, o := range p.objects {
				p.objects[nr] = strings.NewReplacer("/Type/Pages", "", "/Type/Page", "", "/Type/Catalog", "").Replace(o)
			}
			return made(p)
		}, nil},
		{"tree-wrong-parents", "the pages' parents are each other", isSplit, 4, func(name string) string {
			p := book(name, 4)
			for n := 1; n <= 4; n++ {
				p.edit(pageNr(n), "/Parent 2 0 R", fmt.Sprintf("/Parent %d 0 R", pageNr(n%4+1)))
			}
			return made(p)
		}, nil},
		{"tree-direct-pages", "pages that are no objects of their own", isEither, 2, func(name string) string {
			p := book(name, 2)
			p.set(treeNr, "<</Type/Pages/Count 2/Kids[%s %s]>>", p.objects[pageNr(1)], p.objects[pageNr(2)])
			delete(p.objects, pageNr(1))
			delete(p.objects, pageNr(2))
			return made(p)
		}, nil},
		{"tree-one-page", "the catalog's /Pages is a page", isEither, 1, func(name string) string {
			p := book(name, 1)
			p.edit(catalogNr, "/Pages 2 0 R", fmt.Sprintf("/Pages %d 0 R", pageNr(1)))
			return made(p)
		}, nil},
		{"tree-circle", "a kid of a kid is the root", isDamaged, 4, func(name string) string {
			p := book(name, 4)
			node := p.add("<</Type/Pages/Parent 2 0 R/Count 2/Kids[9 0 R 2 0 R]>>")
			p.set(treeNr, "<</Type/Pages/Count 4/Kids[5 0 R 7 0 R %d 0 R 11 0 R]>>", node)
			return made(p)
		}, nil},
		{"tree-of-itself", "a node is its own kid", isDamaged, 4, kids("5 0 R 2 0 R", 4), nil},
		{"tree-page-twice", "a page is named twice", isEither, 4, kids("5 0 R 7 0 R 5 0 R 11 0 R", 4), func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.content = draw(words(name, []int{1, 2, 1, 4}[page-1]))
			return want
		}},
		{"tree-gone", "the catalog has no /Pages", isEither, 4, func(name string) string {
			p := book(name, 4)
			p.set(catalogNr, "<</Type/Catalog>>")
			return made(p)
		}, nil},
		{"tree-without-pages", "no pages", isEmpty, 0, kids("", 0), nil},
		{"kids-gone", "the root has no /Kids", isDamaged, 0, func(name string) string {
			p := book(name, 4)
			p.set(treeNr, "<</Type/Pages/Count 4>>")
			return made(p)
		}, nil},

		// What is named as a page and is none would be taken from the pages that need it.
		{"kid-font", "a kid is the pages' font", isDamaged, 5, kids("5 0 R 7 0 R 3 0 R 9 0 R 11 0 R", 5), nil},
		{"kid-content", "a kid is a page's content", isDamaged, 5, kids("5 0 R 7 0 R 6 0 R 9 0 R 11 0 R", 5), nil},
		{"kid-resources", "a kid is the pages' resources", isDamaged, 5, func(name string) string {
			p := book(name, 4)
			resources := p.add("<</Font<</F1 3 0 R>>>>")
			for n := 1; n <= 4; n++ {
				p.edit(pageNr(n), "/Resources<</Font<</F1 3 0 R>>>>", fmt.Sprintf("/Resources %d 0 R", resources))
			}
			p.set(treeNr, "<</Type/Pages/Count 5/Kids[%s %d 0 R]>>", four, resources)
			return made(p)
		}, nil},
		{"kid-image", "a kid is an image that all pages show", isDamaged, 5, func(name string) string {
			p := book(name, 4)
			image := p.image("shared pixels...")
			for n := 1; n <= 4; n++ {
				p.edit(pageNr(n), "/Resources<<", fmt.Sprintf("/Resources<</XObject<</Im1 %d 0 R>>", image))
				p.streams[contentNr(n)] += " /Im1 Do"
			}
			p.set(treeNr, "<</Type/Pages/Count 5/Kids[%d 0 R %s]>>", image, four)
			return made(p)
		}, nil},
		{"kid-catalog", "a kid is the catalog", isDamaged, 5, kids("1 0 R "+four, 5), nil},
		{"kid-annotation", "a kid is an annotation of a page", isDamaged, 5, func(name string) string {
			p := book(name, 4)
			note := p.add("<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents%s>>", text("A note."))
			p.edit(pageNr(2), "/MediaBox", fmt.Sprintf("/Annots[%d 0 R]/MediaBox", note))
			p.set(treeNr, "<</Type/Pages/Count 5/Kids[%s %d 0 R]>>", four, note)
			return made(p)
		}, nil},
		{"kid-null", "a kid is null", isEither, 4, kids("5 0 R 7 0 R null 9 0 R 11 0 R", 5), nil},
		{"kid-not-there", "a kid refers to an object that is not there", isEither, 4, kids("5 0 R 7 0 R 99 0 R 9 0 R 11 0 R", 5), nil},
		{"kid-number", "a kid is a number", isEither, 4, kids("5 0 R 7 0 R 42 9 0 R 11 0 R", 5), nil},
		{"kid-array", "kids are in an array inside the array", isEither, 4, kids("5 0 R [7 0 R 9 0 R] 11 0 R", 4), nil},
	}
}

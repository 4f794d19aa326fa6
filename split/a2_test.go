package split_test

import (
	"fmt"
	"strings"
	"testing"
)

// What no page is, in a place where a page belongs: in none of these cases a page is without what it
// needs, or there is a page too many.
func TestA2KidsOfAllSorts(t *testing.T) {
	for name, kid := range map[string]func(p *pdf) int{
		"font": func(*pdf) int { return fontNr },
		"font without a type": func(p *pdf) int {
			p.edit(fontNr, "/Type/Font/Subtype/Type1", "")
			return fontNr
		},
		"content":     func(*pdf) int { return contentNr(2) },
		"form":        func(p *pdf) int { return p.stream("/Subtype/Form/BBox[0 0 9 9]/Resources<<>>", "q Q") },
		"half a form": func(p *pdf) int { return p.stream("/BBox[0 0 9 9]/Resources<<>>", "q Q") },
		"resources": func(p *pdf) int {
			nr := p.add("<</Font<</F1 3 0 R>>>>")
			for n := 1; n <= 4; n++ {
				p.edit(pageNr(n), "<</Font<</F1 3 0 R>>>>", fmt.Sprintf("%d 0 R", nr))
			}
			return nr
		},
		"fonts": func(p *pdf) int {
			nr := p.add("<</F1 3 0 R>>")
			for n := 1; n <= 4; n++ {
				p.edit(pageNr(n), "<</F1 3 0 R>>", fmt.Sprintf("%d 0 R", nr))
			}
			return nr
		},
		"contents": func(p *pdf) int {
			nr := p.add("[%d 0 R]", contentNr(2))
			p.edit(pageNr(2), fmt.Sprintf("/Contents %d 0 R", contentNr(2)), fmt.Sprintf("/Contents %d 0 R", nr))
			return nr
		},
		"box": func(p *pdf) int {
			nr := p.add(media)
			p.edit(pageNr(2), media, fmt.Sprintf(" %d 0 R", nr))
			return nr
		},
		"graphics state": func(p *pdf) int {
			nr := p.add("<</LW 2>>")
			p.edit(pageNr(2), "<</Font", fmt.Sprintf("<</ExtGState<</G1 %d 0 R>>/Font", nr))
			return nr
		},
		"field": func(p *pdf) int { return withField(p, "/T(field)") },
		"a field's kid": func(p *pdf) int {
			withField(p, "/T(field)")
			return p.next - 1
		},
		"catalog": func(*pdf) int { return catalogNr },
	} {
		t.Run(name, func(t *testing.T) {
			for _, layout := range lockLayouts {
				p := book("a2", 4)
				nr := kid(p)
				p.edit(treeNr, fmt.Sprintf("%d 0 R]", pageNr(4)), fmt.Sprintf("%d 0 R %d 0 R]", pageNr(4), nr))
				if layout.name == "linearized" {
					continue // it has its objects in an order of its own
				}
				readsRight(t, "a2", layout.name, []byte(layout.write(p)), "")
			}
		})
	}
}

// withField gives page 2 a form field, and returns its number; that of its widget is the next.
func withField(p *pdf, entries string) int {
	field := p.add("<</FT/Tx%s/Kids[%d 0 R]>>", entries, p.next+1)
	widget := p.add("<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/Parent %d 0 R>>", field)
	p.edit(pageNr(2), "/MediaBox", fmt.Sprintf("/Annots[%d 0 R]/MediaBox", widget))
	p.edit(catalogNr, "/Pages", fmt.Sprintf("/AcroForm<</Fields[%d 0 R]>>/Pages", field))
	return field
}

// contentsLast writes a file whose pages come before what they show.
func contentsLast(p *pdf) string {
	var pages, contents []int
	for _, nr := range p.numbers() {
		if _, isStream := p.streams[nr]; isStream {
			contents = append(contents, nr)
		} else {
			pages = append(pages, nr)
		}
	}
	w := p.put(p.put(p.write(), pages...), contents...)
	return finish(w, p.section(w, w.offsets, ""))
}

// A file that breaks off within its last change, and does not say where its table is, is not what it
// was before some change.
func TestA2CutInAChange(t *testing.T) {
	p := book("a2", 4)
	p.streams[contentNr(2)] = draw("First thoughts.")
	first := made(p)
	second := p.update(first, func() { p.streams[contentNr(2)] = draw("Second thoughts.") }, contentNr(2))
	p.streams[contentNr(2)] = draw(words("a2", 2))
	file := p.update(second, func() {}, contentNr(2))
	for _, gone := range []string{"startxref", "xref", "nothing"} {
		for end := len(second) + len("6 0 obj\n"); end < len(file); end++ {
			data := strings.ReplaceAll(file[:end], gone, strings.Repeat("x", len(gone)))
			readsRight(t, "a2", fmt.Sprintf("without %s, cut to %d", gone, end-len(second)), []byte(data), "")
			readsRight(t, "a2", fmt.Sprintf("without %s, cut to %d, with zeros", gone, end-len(second)), []byte(data+strings.Repeat("\x00", 3000)), "")
		}
	}
}

// A file that breaks off anywhere is right or damaged: what a page needs is not null because it is
// lost.
func TestA2CutAnywhere(t *testing.T) {
	layouts := append(lockLayouts[:len(lockLayouts):len(lockLayouts)], lockLayout{"contents last", contentsLast}, lockLayout{"plain object streams", func(p *pdf) string {
		loose, bound := p.loose()
		container, packed := p.pack("", false, loose...)
		w := p.put(p.write(), append([]int{container}, bound...)...)
		return finish(w, p.xrefStream(w, packed, "", false))
	}})
	for _, layout := range layouts {
		t.Run(layout.name, func(t *testing.T) {
			right, whole := 0, 0
			p := book("a2", 4)
			file := layout.write(p)
			for end := len(file) / 5; end < len(file); end += 5 {
				if readsRight(t, "a2", fmt.Sprintf("%d of %d bytes", end, len(file)), []byte(file[:end]), "") {
					right++
				} else {
					whole++
				}
			}
			t.Logf("%d split, %d sent whole", right, whole)
		})
	}
}

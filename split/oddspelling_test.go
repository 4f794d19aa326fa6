package split_test

import (
	"fmt"
	"strings"
)

// spellings are sound files that are spelled in unusual ways.
func spellings() []odd {
	respelled := func(pairs ...string) func(name string) string {
		return func(name string) string {
			p := book(name, 3)
			for nr, o := range p.objects {
				p.objects[nr] = strings.NewReplacer(pairs...).Replace(o)
			}
			return made(p)
		}
	}
	return []odd{
		{"line-ends-cr", "lines end with a carriage return", isSplit, 3, func(name string) string {
			p := book(name, 3)
			p.header = "%PDF-1.7\r"
			w := p.write()
			for _, nr := range p.numbers() {
				w.offsets[nr] = w.Len()
				object := strings.NewReplacer("stream\n", "stream\r\n", "\nendstream", "\rendstream").Replace(p.object(nr)) // a CR alone after stream is no line end
				fmt.Fprintf(w, "%d 0 obj\r%s\rendobj\r", nr, object)
			}
			start := w.Len()
			w.WriteString(strings.ReplaceAll("xref\n0 1\n0000000000 65535 f \n"+p.entries(w.offsets), "\n", "\r"))
			fmt.Fprintf(w, "trailer\r<</Size %d/Root 1 0 R>>\rstartxref\r%d\r%%%%EOF\r", p.next, start)
			return w.String()
		}, nil},
		{"line-ends-crlf", "lines end with both", isSplit, 3, func(name string) string {
			p := book(name, 3)
			p.header = "%PDF-1.7\r\n"
			w := p.write()
			for _, nr := range p.numbers() {
				w.offsets[nr] = w.Len()
				fmt.Fprintf(w, "%d 0 obj\r\n%s\r\nendobj\r\n", nr, strings.ReplaceAll(p.object(nr), "\n", "\r\n"))
			}
			start := w.Len()
			w.WriteString(strings.NewReplacer(" \n", "\r\n", "\n", "\r\n").Replace("xref\n0 1\n0000000000 65535 f \n" + p.entries(w.offsets)))
			fmt.Fprintf(w, "trailer\r\n<</Size %d/Root 1 0 R>>\r\nstartxref\r\n%d\r\n%%%%EOF\r\n", p.next, start)
			return w.String()
		}, nil},
		{"no-blanks", "objects without a blank or line more than needed", isSplit, 3, func(name string) string {
			p := book(name, 3)
			w := p.write()
			for _, nr := range p.numbers() {
				w.offsets[nr] = w.Len()
				object := strings.NewReplacer(">>\nstream", ">>stream", "\nendstream", "\nendstream ").Replace(p.object(nr))
				fmt.Fprintf(w, "%d 0 obj%sendobj ", nr, object)
			}
			w.WriteString("\n")
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
		{"many-blanks", "blanks, tabs, form feeds and zeros between all words", isSplit, 3, func(name string) string {
			p := book(name, 3)
			w := p.write()
			for _, nr := range p.numbers() {
				w.offsets[nr] = w.Len()
				object := p.object(nr)
				dict, data, isStream := strings.Cut(object, "\nstream")
				dict = strings.NewReplacer("/", " \t/", "<<", " <<\x00\x0c ", ">>", "\r\n >>", " ", "  ").Replace(dict)
				if isStream {
					dict += "\n\n  stream" + data
				}
				fmt.Fprintf(w, "%d \n 0 \t obj \n%s\n endobj\n", nr, dict)
			}
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
		{
			"comments", "comments inside of objects", isSplit, 3,
			respelled("/Type/Page/", "/Type%of what kind (\n/Page%endobj stream >> <<\n/", "/Kids[", "/Kids%endobj\r[%first\n", "/Font<<", "/Font<<%)]\n"), nil,
		},
		{"comment-in-object-head", "comments between an object's number and its beginning", isSplit, 3, func(name string) string {
			p := book(name, 3)
			w := p.write()
			for _, nr := range p.numbers() {
				w.offsets[nr] = w.Len()
				fmt.Fprintf(w, "%d%%number\n0%%generation\nobj%%begins\n%s\nendobj\n", nr, p.object(nr))
			}
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
		{
			"names-escaped", "names spelled with #xx", isSplit, 3,
			respelled("/Type/Page/", "/T#79pe/P#61ge/", "/Kids", "/#4bids", "/Contents", "/C#6fntents", "/Resources", "/Resourc#65s", "/F1 ", "/#461 "), nil,
		},
		{"names-escaped-in-content", "a resource's name has a blank, which both spell with #20", isSplit, 3, func(name string) string {
			p := book(name, 3)
			for n := 1; n <= 3; n++ {
				p.edit(pageNr(n), "/F1 ", "/My#20Font#2f1 ")
				p.streams[contentNr(n)] = strings.Replace(p.streams[contentNr(n)], "/F1", "/My#20F#6fnt#2f1", 1)
			}
			return made(p)
		}, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.content = strings.Replace(want.content, "/F1", "/My#20F#6fnt#2f1", 1)
			want.has = []string{"/BaseFont Helvetica "}
			return want
		}},
		{
			"numbers-odd", "numbers with signs, without digits before the point, with leading zeros", isSplit, 3,
			respelled("[0 0 300 400]", "[+0 .0 00300 +400.]"), nil,
		},
		{"indirect-everything", "kids, count, type, box, resources and fonts are objects of their own", isSplit, 3, indirectEverything, nil},
		{"length-later", "the length of each content is an object that follows it", isSplit, 3, func(name string) string {
			p := book(name, 3)
			for n := 1; n <= 3; n++ {
				p.set(contentNr(n), "<</Length %d 0 R>>", p.add("%d", len(p.streams[contentNr(n)])))
			}
			return made(p)
		}, nil},
		{"length-packed", "the length of each content is in an object stream", isSplit, 3, func(name string) string {
			p := book(name, 3)
			for n := 1; n <= 3; n++ {
				p.set(contentNr(n), "<</Length %d 0 R>>", p.add("%d", len(p.streams[contentNr(n)])))
			}
			return p.compact()
		}, nil},
		{"catalog-later", "the catalog is object 40 and the tree object 50", isSplit, 3, func(name string) string {
			p := book(name, 3)
			for nr, o := range p.objects {
				p.objects[nr] = strings.ReplaceAll(o, "/Parent 2 0 R", "/Parent 50 0 R")
			}
			p.set(50, "%s", p.objects[treeNr])
			p.set(40, "<</Type/Catalog/Pages 50 0 R>>")
			delete(p.objects, catalogNr)
			delete(p.objects, treeNr)
			return strings.Replace(made(p), "/Root 1 0 R", "/Root 40 0 R", 1)
		}, nil},
		{"content-looks-like-objects", "a content has the words endstream and 3 0 obj in a string", isSplit, 3, func(name string) string {
			p := book(name, 3)
			p.streams[contentNr(2)] += "\n(endstream endobj\n3 0 obj\n<</Type/Page>>\nendobj\nxref\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n) pop"
			return made(p)
		}, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			if page == 2 {
				want.content += "\n(endstream endobj\n3 0 obj\n<</Type/Page>>\nendobj\nxref\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n) pop"
			}
			return want
		}},
	}
}

func indirectEverything(name string) string {
	p := book(name, 3)
	kids := p.add("[%d 0 R %d 0 R %d 0 R]", pageNr(1), pageNr(2), pageNr(3))
	count, kind, box := p.add("3"), p.add("/Page"), p.add("[%d 0 R %d 0 R 300 400]", p.next+1, p.next+1)
	p.add("0")
	fonts := p.add("<</F1 %d 0 R>>", fontNr)
	resources := p.add("<</Font %d 0 R>>", fonts)
	p.set(treeNr, "<</Type %d 0 R/Kids %d 0 R/Count %d 0 R>>", p.add("/Pages"), kids, count)
	for n := 1; n <= 3; n++ {
		p.set(pageNr(n), "<</Type %d 0 R/Parent 2 0 R/MediaBox %d 0 R/Resources %d 0 R/Contents %d 0 R>>",
			kind, box, resources, p.add("[%d 0 R]", contentNr(n)))
	}
	return made(p)
}

package split_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// odds are all odd files.
func odds() []odd {
	return slices.Concat(layouts(), damages(), spellings(), trees(), contents(), encryptions())
}

func made(p *pdf) string { return p.classic() }

// layouts are the ways in which a sound file can be laid out.
func layouts() []odd {
	return []odd{
		{"classic", "a cross-reference table", isSplit, 4, func(name string) string { return made(book(name, 4)) }, nil},
		{"xref-stream", "a cross-reference stream without object streams", isSplit, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			return finish(w, p.xrefStream(w, nil, "", false))
		}, nil},
		{"object-streams", "all but streams is in a compressed object stream", isSplit, 4, func(name string) string {
			return book(name, 4).compact()
		}, nil},
		{"object-streams-extend", "object streams that extend each other, not compressed", isSplit, 4, func(name string) string {
			p := book(name, 4)
			loose, bound := p.loose()
			first, packed := p.pack("", false, loose[:3]...)
			second, more := p.pack(fmt.Sprintf("/Extends %d 0 R", first), false, loose[3:]...)
			maps.Copy(packed, more)
			w := p.put(p.write(), append(bound, first, second)...)
			return finish(w, p.xrefStream(w, packed, "", false))
		}, nil},
		{"xref-stream-index", "a cross-reference stream that leaves numbers out", isSplit, 2, xrefStreamIndex, nil},
		{"hybrid", "a table, and a cross-reference stream for the pages", isSplit, 4, hybrid, nil},
		{"linearized", "the first page's objects and table come first", isSplit, 4, linearized, nil},
		{"linearized-tail-cut", "a linearized file that breaks off in its last bytes", isEither, 4, func(name string) string {
			file := linearized(name)
			return file[:len(file)-30]
		}, nil},
		{"updates", "three updates: another content, another font, one page more", isSplit, 5, updates, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.has = []string{"/BaseFont Courier "}
			if page == 2 {
				want.content = draw("Second thoughts.")
			}
			return want
		}},
		{"update-of-streams", "a file with object streams, and an update with a cross-reference stream", isSplit, 4, updateOfStreams, secondThoughts},
		{"update-frees", "an update frees an object and uses its number again, in generation 1", isSplit, 4, updateFrees, secondThoughts},
		{"update-deletes-page", "an update takes a page out of the tree; its object stays", isSplit, 3, func(name string) string {
			p := book(name, 4)
			return p.update(made(p), func() { p.edit(treeNr, "11 0 R", "").edit(treeNr, "Count 4", "Count 3") }, treeNr)
		}, nil},
		{"prev-of-nothing", "the first table's /Prev is 0", isSplit, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			return finish(w, p.section(w, w.offsets, "/Prev 0"))
		}, nil},
		{"prev-circle", "the tables lead in a circle", isEither, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			return finish(w, p.section(w, w.offsets, fmt.Sprintf("/Prev %d", w.Len())))
		}, nil},
		{"numbers-apart", "object numbers far apart, in many subsections", isSplit, 3, func(name string) string {
			p := book(name, 3)
			for i := range 6 {
				p.set(100*(i+1), "<</Nobody/NeedsThis>>")
			}
			return made(p)
		}, nil},
		{"reversed", "the objects stand in the reverse order of their numbers", isSplit, 4, func(name string) string {
			p := book(name, 4)
			numbers := p.numbers()
			slices.Reverse(numbers)
			w := p.put(p.write(), numbers...)
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
	}
}

func xrefStreamIndex(name string) string {
	p := book(name, 2)
	p.set(90, "<</Nobody/NeedsThis>>")
	w := p.put(p.write(), p.numbers()...)
	start := w.Len()
	var data strings.Builder
	for nr := 1; nr <= 7; nr++ {
		fmt.Fprintf(&data, "\x01%c%c", w.offsets[nr]>>8, w.offsets[nr]&0xff)
	}
	fmt.Fprintf(&data, "\x01%c%c\x01%c%c", w.offsets[90]>>8, w.offsets[90]&0xff, start>>8, start&0xff)
	return finish(w, p.rawStream(w, "/Type/XRef/Size 92/W[1 2 0]/Index[1 7 90 2]/Root 1 0 R", latin(data.String())))
}

// latin makes a byte of each character.
func latin(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// rawStream writes a stream object with the next number, and returns where.
func (p *pdf) rawStream(w *writing, dict, data string) int {
	start := w.Len()
	fmt.Fprintf(w, "%d 0 obj\n<<%s/Length %d>>\nstream\n%s\nendstream\nendobj\n", p.next, dict, len(data), data)
	return start
}

func hybrid(name string) string {
	p := book(name, 4)
	var hidden []int
	for n := 1; n <= 4; n++ {
		hidden = append(hidden, pageNr(n))
	}
	container, packed := p.pack("", true, hidden...)
	w := p.put(p.write(), append([]int{catalogNr, treeNr, fontNr, container}, contentNr(1), contentNr(2), contentNr(3), contentNr(4))...)
	offsets := maps.Clone(w.offsets)
	w.offsets = map[int]int{}
	at := p.xrefStream(w, packed, "", true)
	p.next++ // it has a number too
	return finish(w, p.section(w, offsets, fmt.Sprintf("/XRefStm %d", at)))
}

func linearized(name string) string { return linearizedOf(book(name, 4)) }

// linearizedOf writes a book of four pages like a file for the web.
func linearizedOf(p *pdf) string {
	first := []int{catalogNr, fontNr, contentNr(1), pageNr(1)}
	rest := slices.DeleteFunc(p.numbers(), func(nr int) bool { return slices.Contains(first, nr) })
	p.add("<</Linearized 1/L 0000/H[0 0]/O %d/E 0000/N 4/T 0000>>", pageNr(1))
	lin := p.next - 1
	layOut := func(main int, places map[int]int) (string, int, map[int]int) {
		w := p.put(p.write(), lin)
		table := w.Len()
		p.section(w, places, fmt.Sprintf("/Prev %010d", main))
		w.WriteString("startxref\n0\n%%EOF\n")
		p.put(w, first...)
		places = maps.Clone(w.offsets)
		w.offsets = map[int]int{}
		p.put(w, rest...)
		main = p.section(w, w.offsets, "")
		return finish(w, table), main, places
	}
	places := map[int]int{lin: 0}
	for _, nr := range first {
		places[nr] = 0
	}
	_, main, places := layOut(0, places) // as long as the next, which knows where everything is
	file, _, _ := layOut(main, places)
	return file
}

// update appends an update to a file: the given objects as they are after the change.
func (p *pdf) update(file string, change func(), numbers ...int) string {
	change()
	w := &writing{offsets: map[int]int{}}
	w.WriteString(file)
	p.put(w, numbers...)
	return finish(w, p.section(w, w.offsets, "/Prev "+startOf(file)))
}

var startxref = regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`)

func startOf(file string) string { return startxref.FindStringSubmatch(file)[1] }

// secondThoughts is for files whose second page says something else in an update.
func secondThoughts(name string, page int) wantedPage {
	want := plainPage(name, page)
	if page == 2 {
		want.content = draw("Second thoughts.")
	}
	return want
}

func updates(name string) string {
	p := book(name, 4)
	file := p.update(made(p), func() { p.streams[contentNr(2)] = draw("Second thoughts.") }, contentNr(2))
	file = p.update(file, func() { p.edit(fontNr, "Helvetica", "Courier") }, fontNr)
	return p.update(file, func() {
		p.set(contentNr(5), "<<>>")
		p.streams[contentNr(5)] = draw(words(name, 5))
		p.set(pageNr(5), "%s", leaf(contentNr(5), treeNr, ""))
		p.edit(treeNr, "]", fmt.Sprintf(" %d 0 R]", pageNr(5))).edit(treeNr, "Count 4", "Count 5")
	}, contentNr(5), pageNr(5), treeNr)
}

func updateOfStreams(name string) string {
	p := book(name, 4)
	file := p.compact()
	p.next++ // the number of the cross-reference stream
	p.streams[contentNr(2)] = draw("Second thoughts.")
	w := &writing{offsets: map[int]int{}}
	w.WriteString(file)
	p.put(w, contentNr(2))
	at := w.offsets[contentNr(2)]
	start := w.Len()
	data := fmt.Sprintf("\x01%c%c\x01%c%c", at>>8, at&0xff, start>>8, start&0xff)
	dict := fmt.Sprintf("/Type/XRef/Size %d/W[1 2 0]/Index[%d 1 %d 1]/Root 1 0 R/Prev %s", p.next+1, contentNr(2), p.next, startOf(file))
	return finish(w, p.rawStream(w, dict, latin(data)))
}

func updateFrees(name string) string {
	p := book(name, 4)
	nr := contentNr(2)
	w := &writing{offsets: map[int]int{}}
	file := made(p)
	w.WriteString(file)
	start := w.Len()
	fmt.Fprintf(w, "xref\n0 1\n%010d 65535 f \n%d 1\n0000000000 00001 f \ntrailer\n<</Size %d/Root 1 0 R/Prev %s>>\n", nr, nr, p.next, startOf(file))
	file = finish(w, start)
	return p.update(file, func() {
		p.gens[nr] = 1
		p.streams[nr] = draw("Second thoughts.")
		p.edit(pageNr(2), fmt.Sprintf("/Contents %d 0 R", nr), fmt.Sprintf("/Contents %d 1 R", nr))
	}, nr, pageNr(2))
}

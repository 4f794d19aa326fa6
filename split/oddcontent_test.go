package split_test

import (
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"strings"
)

// image adds a grey image of 4 by 4 points: 16 bytes.
func (p *pdf) image(pixels string) int {
	return p.stream("/Type/XObject/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8", pixels)
}

// with changes a book of three pages.
func with(change func(p *pdf, name string)) func(name string) string {
	return func(name string) string {
		p := book(name, 3)
		change(p, name)
		return made(p)
	}
}

// page2 is for books whose second page differs from others.
func page2(change func(want *wantedPage)) func(name string, page int) wantedPage {
	return func(name string, page int) wantedPage {
		want := plainPage(name, page)
		if page == 2 {
			change(&want)
		}
		return want
	}
}

// encoded is a book whose second page's content goes through filters.
func encoded(filters string, encode func(data string) string) func(name string) string {
	return with(func(p *pdf, _ string) {
		p.set(contentNr(2), "<</Filter%s>>", filters)
		p.streams[contentNr(2)] = encode(p.streams[contentNr(2)])
	})
}

func asciiHex(data string) string { return hex.EncodeToString([]byte(data)) + ">" }

func ascii85Of(data string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(data)))
	return string(out[:ascii85.Encode(out, []byte(data))]) + "~>"
}

// runLength encodes without a run.
func runLength(data string) string {
	var b strings.Builder
	for len(data) > 0 {
		n := min(len(data), 128)
		b.WriteByte(byte(n - 1))
		b.WriteString(data[:n])
		data = data[n:]
	}
	return b.String() + "\x80"
}

// pieces is a book whose second page's content is an array of streams, cut in the middle of it.
func pieces(name string) string {
	p := book(name, 3)
	whole := p.streams[contentNr(2)]
	cut := strings.Index(whole, "Td")
	p.streams[contentNr(2)] = whole[:cut]
	rest := p.stream("/Filter/FlateDecode", flate(whole[cut:]))
	p.edit(pageNr(2), "/Contents 6 0 R", fmt.Sprintf("/Contents[6 0 R %d 0 R]", rest))
	return made(p)
}

// contents are files with unusual pages.
func contents() []odd {
	return []odd{
		{"page-without-content", "a page has no /Contents", isSplit, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/Contents 6 0 R", "")
		}), page2(func(want *wantedPage) { want.content = "" })},
		{"page-with-empty-content", "a page's content is empty", isSplit, 3, with(func(p *pdf, _ string) {
			p.streams[contentNr(2)] = ""
		}), page2(func(want *wantedPage) { want.content = "" })},
		{"page-with-empty-array", "a page's content is an empty array", isSplit, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/Contents 6 0 R", "/Contents[]")
		}), page2(func(want *wantedPage) { want.content = "" })},
		{"page-without-resources", "a page has no /Resources, nor has a node above it", isSplit, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/Resources<</Font<</F1 3 0 R>>>>", "")
			p.streams[contentNr(2)] = "0 0 10 10 re f"
		}), page2(func(want *wantedPage) { want.content, want.has = "0 0 10 10 re f", nil })},
		{"page-without-box", "a page has no /MediaBox, nor has a node above it", isSplit, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/MediaBox[0 0 300 400]", "")
		}), page2(func(want *wantedPage) { want.media = "" })},
		{"page-with-boxes", "a page with all boxes, a rotation and a unit", isSplit, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/MediaBox[0 0 300 400]", "/MediaBox[300 400 0 0]/CropBox[1 2 299 399]/TrimBox[5 6 7 8]/BleedBox[1 1 2 2]/ArtBox[3 3 4 4]/Rotate 450/UserUnit 2.5")
		}), page2(func(want *wantedPage) {
			want.media, want.crop, want.rotate = "[300 400 0 0]", "[1 2 299 399]", "450"
			want.has = []string{"/TrimBox [5 6 7 8]", "/BleedBox [1 1 2 2]", "/ArtBox [3 3 4 4]", "/UserUnit 2.5"}
		})},
		{"content-array", "a content in two streams, cut between an operand and its operator", isSplit, 3, pieces, page2(func(want *wantedPage) {
			want.content = strings.Replace(want.content, "Td", "\nTd", 1)
		})},
		{"content-array-with-null", "a content array with null and with what is not there", isEither, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/Contents 6 0 R", "/Contents[null 6 0 R 99 0 R]")
		}), nil},
		{"content-array-shared", "two pages share a stream", isSplit, 3, with(func(p *pdf, _ string) {
			shared := p.stream("", "0.5 g")
			for n := 1; n <= 2; n++ {
				p.edit(pageNr(n), "/Contents ", "/Contents[").edit(pageNr(n), fmt.Sprintf("%d 0 R>>", contentNr(n)), fmt.Sprintf("%d 0 R %d 0 R]>>", shared, contentNr(n)))
			}
		}), func(name string, page int) wantedPage {
			want := plainPage(name, page)
			if page < 3 {
				want.content = "0.5 g\n" + want.content
			}
			return want
		}},
		{"filter-flate", "a content is compressed", isSplit, 3, encoded("/FlateDecode", flate), nil},
		{"filter-chain", "a content is compressed, then spelled in hexadecimal digits", isSplit, 3, encoded("[/ASCIIHexDecode/FlateDecode]", func(data string) string {
			return asciiHex(flate(data))
		}), nil},
		{"filter-ascii85", "a content is in base 85", isSplit, 3, encoded("[/ASCII85Decode]", ascii85Of), nil},
		{"filter-run-length", "a content is run-length encoded", isSplit, 3, encoded("/RunLengthDecode", runLength), nil},
		{"filter-indirect", "the filter's name is an object of its own", isSplit, 3, with(func(p *pdf, _ string) {
			p.set(contentNr(2), "<</Filter %d 0 R>>", p.add("[/FlateDecode]"))
			p.streams[contentNr(2)] = flate(p.streams[contentNr(2)])
		}), nil},
		{"inline-image", "an inline image with EI, stream ends and names of resources in its data", isSplit, 3, with(func(p *pdf, _ string) {
			p.edit(pageNr(2), "/Resources<<", "/Resources<</ColorSpace<</CS0[/Indexed/DeviceGray 1<00ff>]/CS1/DeviceGray>>")
			p.streams[contentNr(2)] += "\nq 8 0 0 8 0 0 cm BI /W 8 /H 4 /BPC 8 /CS /CS0 ID \x00 EI Q endstream /CS1 \xff\xfe12 EI Q"
		}), page2(func(want *wantedPage) {
			want.content += "\nq 8 0 0 8 0 0 cm BI /W 8 /H 4 /BPC 8 /CS /CS0 ID \x00 EI Q endstream /CS1 \xff\xfe12 EI Q"
			want.has = append(want.has, "/CS0 [Indexed DeviceGray 1 (\x00\xff)]")
		})},
		{"resources-shared", "one dictionary with a font and an image for each page", isSplit, 3, sharedResources, func(name string, page int) wantedPage {
			want := wantedPage{media: media, content: fmt.Sprintf("BT /F%d 12 Tf 20 350 Td (%s) Tj ET /Im%d Do", page, words(name, page), page)}
			want.has = []string{[]string{"BaseFont Courier ", "BaseFont Times-Roman ", "BaseFont Helvetica-Bold "}[page-1], "stream " + words(name, page) + " endstream"}
			return want
		}},
		{"resources-shared-by-looks", "one dictionary for all pages; images that only the looks of annotations draw", isSplit, 3, sharedByLooks, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.has = append(want.has, "stream pixels on and.. endstream", "stream pixels off..... endstream", "stream pixels of a look endstream")
			return want
		}},
		{"form-without-resources", "a form draws an image that only the page's resources have", isSplit, 3, with(func(p *pdf, _ string) {
			form := p.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "/Im1 Do")
			p.edit(pageNr(2), "/Resources<<", fmt.Sprintf("/Resources<</XObject<</Fm1 %d 0 R/Im1 %d 0 R>>", form, p.image("pixels in a form")))
			p.streams[contentNr(2)] += " /Fm1 Do"
		}), page2(func(want *wantedPage) {
			want.content += " /Fm1 Do"
			want.has = append(want.has, "stream /Im1 Do endstream", "stream pixels in a form endstream")
		})},
		{"form-in-form", "a form with resources of its own, in a form, in a form", isSplit, 3, with(func(p *pdf, _ string) {
			form := p.image("deepest pixels..")
			for level := range 3 {
				form = p.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X%d %d 0 R>>>>", level, form), fmt.Sprintf("/X%d Do", level))
			}
			p.edit(pageNr(2), "/Resources<<", fmt.Sprintf("/Resources<</XObject<</Fm1 %d 0 R>>", form))
			p.streams[contentNr(2)] += " /Fm1 Do"
		}), page2(func(want *wantedPage) {
			want.content += " /Fm1 Do"
			want.has = append(want.has, "stream deepest pixels.. endstream")
		})},
		{"form-of-itself", "a form that draws itself", isSplit, 3, with(func(p *pdf, _ string) {
			form := p.next
			p.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</Fm1 %d 0 R>>>>", form), "/Fm1 Do")
			p.edit(pageNr(2), "/Resources<<", fmt.Sprintf("/Resources<</XObject<</Fm1 %d 0 R>>", form))
			p.streams[contentNr(2)] += " /Fm1 Do"
		}), page2(func(want *wantedPage) { want.content += " /Fm1 Do" })},
		{"pattern-and-state", "a tiling pattern with a font, and a soft mask with an image", isSplit, 3, with(func(p *pdf, _ string) {
			times := p.add("<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>")
			pattern := p.stream(fmt.Sprintf("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</Font<</F9 %d 0 R>>>>", times),
				"BT /F9 4 Tf (tile) Tj ET")
			mask := p.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Group<</S/Transparency/CS/DeviceGray>>/Resources<</XObject<</Im9 %d 0 R>>>>", p.image("mask pixels.....")),
				"/Im9 Do")
			p.edit(pageNr(2), "/Resources<<", fmt.Sprintf("/Resources<</Pattern<</P1 %d 0 R>>/ExtGState<</GS1<</Type/ExtGState/SMask<</S/Luminosity/G %d 0 R>>>>>>", pattern, mask))
			p.streams[contentNr(2)] += " /GS1 gs /Pattern cs /P1 scn 0 0 9 9 re f"
		}), page2(func(want *wantedPage) {
			want.content += " /GS1 gs /Pattern cs /P1 scn 0 0 9 9 re f"
			want.has = append(want.has, "BaseFont Times-Roman ", "stream mask pixels..... endstream")
		})},
		{"type3-font", "a font whose glyphs draw an image", isSplit, 3, with(func(p *pdf, _ string) {
			glyph := p.stream("", "9 0 d0 /Im7 Do")
			f3 := p.add("<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a %d 0 R>>/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[9]"+
				"/Resources<</XObject<</Im7 %d 0 R>>>>>>", glyph, p.image("glyph pixels...."))
			p.edit(pageNr(2), "/Font<<", fmt.Sprintf("/Font<</F3 %d 0 R", f3))
			p.streams[contentNr(2)] += " BT /F3 9 Tf (a) Tj ET"
		}), page2(func(want *wantedPage) {
			want.content += " BT /F3 9 Tf (a) Tj ET"
			want.has = append(want.has, "stream glyph pixels.... endstream")
		})},
		{"annotations", "notes with a look of their own, and links to other pages", isSplit, 3, annotated, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.has = append(want.has, fmt.Sprintf("/Contents (Note %d.)", page), fmt.Sprintf("stream look of note %d endstream", page), "/URI (https://example.org/)")
			return want
		}},
		{"form-fields", "a field with a widget on the first and on the last page, and one field a page", isSplit, 3, formFields, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.has = append(want.has, fmt.Sprintf("/V (value %d)", page))
			return want
		}},
		{"outline-and-names", "an outline, named destinations, page labels, an attachment, a script", isSplit, 3, outlined, nil},
		{"layers", "optional content, one layer hidden", isSplit, 3, with(func(p *pdf, _ string) {
			seen, hidden := p.add("<</Type/OCG/Name%s>>", text("Seen")), p.add("<</Type/OCG/Name%s>>", text("Hidden"))
			p.edit(catalogNr, ">>", fmt.Sprintf("/OCProperties<</OCGs[%d 0 R %d 0 R]/D<</OFF[%d 0 R]>>>>>>", seen, hidden, hidden))
			p.edit(pageNr(2), "/Resources<<", fmt.Sprintf("/Resources<</Properties<</L1 %d 0 R/L2 %d 0 R>>", seen, hidden))
			p.streams[contentNr(2)] = "/OC /L2 BDC " + p.streams[contentNr(2)] + " EMC /OC /L1 BDC EMC"
		}), page2(func(want *wantedPage) {
			want.content = "/OC /L2 BDC " + want.content + " EMC /OC /L1 BDC EMC"
			want.has = append(want.has, "/Name (Hidden)", "/Name (Seen)")
		})},
		{"structure", "a structure tree with marked content on each page", isSplit, 3, structured, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.content = "/P <</MCID 0>> BDC " + want.content + " EMC"
			return want
		}},
		{"article-threads", "beads that lead from page to page", isSplit, 3, with(func(p *pdf, _ string) {
			thread := p.next
			p.add("<</Type/Thread/F %d 0 R>>", thread+1)
			for n := 1; n <= 3; n++ {
				p.add("<</Type/Bead/T %d 0 R/N %d 0 R/V %d 0 R/P %d 0 R/R[0 0 9 9]>>", thread, thread+1+n%3, thread+1+(n+1)%3, pageNr(n))
				p.edit(pageNr(n), "/MediaBox", fmt.Sprintf("/B[%d 0 R]/MediaBox", thread+n))
			}
			p.edit(catalogNr, ">>", fmt.Sprintf("/Threads[%d 0 R]>>", thread))
		}), nil},
	}
}

func sharedResources(name string) string {
	p := book(name, 3)
	fonts, images := "", ""
	for n := 1; n <= 3; n++ {
		f := p.add("<</Type/Font/Subtype/Type1/BaseFont/%s>>", []string{"Courier", "Times-Roman", "Helvetica-Bold"}[n-1])
		fonts += fmt.Sprintf("/F%d %d 0 R", n, f)
		images += fmt.Sprintf("/Im%d %d 0 R", n, p.image(words(name, n)))
		p.streams[contentNr(n)] = fmt.Sprintf("BT /F%d 12 Tf 20 350 Td (%s) Tj ET /Im%d Do", n, words(name, n), n)
	}
	shared := p.add("<</Font<<%s>>/XObject<<%s>>>>", fonts, images)
	for n := 1; n <= 3; n++ {
		p.edit(pageNr(n), "/Resources<</Font<</F1 3 0 R>>>>", fmt.Sprintf("/Resources %d 0 R", shared))
	}
	return made(p)
}

// sharedByLooks has a button in two states and a note on each page. Their looks have no resources of
// their own.
func sharedByLooks(name string) string {
	p := book(name, 3)
	on, off, note := p.image("pixels on and.."), p.image("pixels off....."), p.image("pixels of a look")
	shared := p.add("<</Font<</F1 3 0 R>>/XObject<</On %d 0 R/Off %d 0 R/Note %d 0 R/Unused %d 0 R>>>>", on, off, note, p.image("pixels of nobody"))
	look := func(draws string) int { return p.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", draws+" Do") }
	for n := 1; n <= 3; n++ {
		button := p.add("<</Type/Annot/Subtype/Stamp/Rect[0 0 9 9]/AS/On/AP<</N<</On %d 0 R/Off %d 0 R>>>>>>", look("/On"), look("/Off"))
		plain := p.add("<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/AP<</N %d 0 R>>>>", look("/Note"))
		p.edit(pageNr(n), "/Resources<</Font<</F1 3 0 R>>>>", fmt.Sprintf("/Resources %d 0 R/Annots[%d 0 R %d 0 R]", shared, button, plain))
	}
	return made(p)
}

func annotated(name string) string {
	p := book(name, 3)
	for n := 1; n <= 3; n++ {
		look := p.stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", fmt.Sprintf("look of note %d", n))
		note := p.add("<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/P %d 0 R/Contents%s/AP<</N %d 0 R>>>>", pageNr(n), text(fmt.Sprintf("Note %d.", n)), look)
		popup := p.add("<</Type/Annot/Subtype/Popup/Rect[0 0 9 9]/Parent %d 0 R>>", note)
		link := p.add("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[%d 0 R/Fit]>>", pageNr(n%3+1))
		jump := p.add("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/GoTo/D[%d 0 R/XYZ 0 0 0]>>>>", pageNr((n+1)%3+1))
		web := p.add("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI%s>>>>", text("https://example.org/"))
		p.edit(pageNr(n), "/MediaBox", fmt.Sprintf("/Annots[%d 0 R %d 0 R %d 0 R %d 0 R %d 0 R]/MediaBox", note, popup, link, jump, web))
	}
	return made(p)
}

func formFields(name string) string {
	p := book(name, 3)
	both := p.next
	p.add("<</FT/Tx/T%s/V%s/Kids[%d 0 R %d 0 R]>>", text("both"), text("value both"), both+1, both+2)
	first := p.add("<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/Parent %d 0 R/P %d 0 R>>", both, pageNr(1))
	last := p.add("<</Type/Annot/Subtype/Widget/Rect[0 0 9 9]/Parent %d 0 R/P %d 0 R>>", both, pageNr(3))
	var fields strings.Builder
	fields.WriteString(fmt.Sprintf("%d 0 R", both))
	for n := 1; n <= 3; n++ {
		own := p.add("<</Type/Annot/Subtype/Widget/FT/Tx/T%s/V%s/Rect[0 0 9 9]/P %d 0 R>>", text(fmt.Sprintf("field%d", n)), text(fmt.Sprintf("value %d", n)), pageNr(n))
		fields.WriteString(fmt.Sprintf(" %d 0 R", own))
		widgets := fmt.Sprintf("%d 0 R", own)
		switch n {
		case 1:
			widgets += fmt.Sprintf(" %d 0 R", first)
		case 3:
			widgets += fmt.Sprintf(" %d 0 R", last)
		}
		p.edit(pageNr(n), "/MediaBox", fmt.Sprintf("/Annots[%s]/MediaBox", widgets))
	}
	p.edit(catalogNr, ">>", fmt.Sprintf("/AcroForm<</Fields[%s]/DR<</Font<</Helv 3 0 R>>>>/DA%s/NeedAppearances true>>>>", fields.String(), text("/Helv 9 Tf")))
	return made(p)
}

func outlined(name string) string {
	p := book(name, 3)
	outline := p.next
	p.add("<</Type/Outlines/First %d 0 R/Last %d 0 R/Count 3>>", outline+1, outline+3)
	var names strings.Builder
	for n := 1; n <= 3; n++ {
		siblings := ""
		if n > 1 {
			siblings += fmt.Sprintf("/Prev %d 0 R", outline+n-1)
		}
		if n < 3 {
			siblings += fmt.Sprintf("/Next %d 0 R", outline+n+1)
		}
		p.add("<</Title%s/Parent %d 0 R%s/Dest%s>>", text(fmt.Sprintf("Chapter %d", n)), outline, siblings, text(fmt.Sprintf("chapter%d", n)))
		names.WriteString(fmt.Sprintf("%s[%d 0 R/Fit]", text(fmt.Sprintf("chapter%d", n)), pageNr(n)))
	}
	tree := p.add("<</Names[%s]>>", names.String())
	attached := p.stream("/Type/EmbeddedFile", "an attachment")
	files := p.add("<</Names[%s<</Type/Filespec/F%s/EF<</F %d 0 R>>>>]>>", text("a"), text("a.txt"), attached)
	scripts := p.add("<</Names[%s<</S/JavaScript/JS%s>>]>>", text("s"), text("app.alert('hello')"))
	p.edit(catalogNr, ">>", fmt.Sprintf("/Outlines %d 0 R/Names<</Dests %d 0 R/EmbeddedFiles %d 0 R/JavaScript %d 0 R>>/PageLabels<</Nums[0<</S/r>>1<</S/D>>]>>/OpenAction[%d 0 R/Fit]/PageMode/UseOutlines>>",
		outline, tree, files, scripts, pageNr(3)))
	for n := 1; n <= 3; n++ {
		link := p.add("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest%s>>", text(fmt.Sprintf("chapter%d", n%3+1)))
		p.edit(pageNr(n), "/MediaBox", fmt.Sprintf("/Annots[%d 0 R]/MediaBox", link))
	}
	return made(p)
}

func structured(name string) string {
	p := book(name, 3)
	root := p.next
	p.add("<</Type/StructTreeRoot/K %d 0 R/ParentTree<</Nums[0[%d 0 R]1[%d 0 R]2[%d 0 R]]>>>>", root+1, root+2, root+3, root+4)
	p.add("<</Type/StructElem/S/Document/P %d 0 R/K[%d 0 R %d 0 R %d 0 R]>>", root, root+2, root+3, root+4)
	for n := 1; n <= 3; n++ {
		p.add("<</Type/StructElem/S/P/P %d 0 R/Pg %d 0 R/K 0>>", root+1, pageNr(n))
		p.edit(pageNr(n), "/MediaBox", fmt.Sprintf("/StructParents %d/MediaBox", n-1))
		p.streams[contentNr(n)] = "/P <</MCID 0>> BDC " + p.streams[contentNr(n)] + " EMC"
	}
	p.edit(catalogNr, ">>", fmt.Sprintf("/StructTreeRoot %d 0 R/MarkInfo<</Marked true>>/Lang%s>>", root, text("en")))
	return made(p)
}

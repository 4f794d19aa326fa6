package split_test

import (
	"fmt"
	"regexp"
	"strings"
)

var startEntry = regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`)

// restart changes where a file says that its cross-reference is.
func restart(file string, change func(start int) string) string {
	start := 0
	_, _ = fmt.Sscan(startEntry.FindStringSubmatch(file)[1], &start) // it is a number
	return startEntry.ReplaceAllLiteralString(file, "startxref\n"+change(start)+"\n%%EOF\n")
}

// damages are files that are not as they should be, of the kinds that readers repair.
func damages() []odd {
	var all []odd
	plain := func(name string) string { return made(book(name, 4)) }
	compact := func(name string) string { return book(name, 4).compact() }
	for _, d := range []struct {
		name, about   string
		right, packed verdict
		change        func(file string) string
	}{
		{"startxref-off", "startxref leads 7 bytes too far", isSplit, isEither, func(file string) string {
			return restart(file, func(start int) string { return fmt.Sprint(start + 7) })
		}},
		{"startxref-short", "startxref leads one byte too short", isSplit, isSplit, func(file string) string {
			return restart(file, func(start int) string { return fmt.Sprint(start - 1) })
		}},
		{"startxref-zero", "startxref says 0", isSplit, isEither, func(file string) string { return restart(file, func(int) string { return "0" }) }},
		{"startxref-beyond", "startxref leads behind the end", isSplit, isEither, func(file string) string {
			return restart(file, func(int) string { return "99999999" })
		}},
		{"startxref-negative", "startxref is negative", isEither, isEither, func(file string) string { return restart(file, func(int) string { return "-1" }) }},
		{"startxref-gone", "no startxref", isEither, isEither, func(file string) string { return startEntry.ReplaceAllLiteralString(file, "%%EOF\n") }},
		{"eof-gone", "no %%EOF", isSplit, isEither, func(file string) string { return strings.TrimSuffix(file, "%%EOF\n") }},
		{"tail-cut", "the last 30 bytes are missing", isSplit, isEither, func(file string) string { return file[:len(file)-30] }},
		{"tail-cut-more", "the last 100 bytes are missing", isSplit, isEither, func(file string) string { return file[:len(file)-100] }},
		{"tail-of-zeros", "two kilobytes of zeros follow", isSplit, isSplit, func(file string) string { return file + strings.Repeat("\x00", 2048) }},
		{"tail-of-html", "a web page follows", isSplit, isSplit, func(file string) string {
			return file + strings.Repeat("<p>Thank you for downloading.</p>\r\n", 60)
		}},
		{"head-bom", "a byte order mark comes first; places count from %PDF", isSplit, isSplit, func(file string) string {
			return "\xef\xbb\xbf" + file
		}},
		{"head-junk", "a mail's header comes first; places count from %PDF", isSplit, isSplit, func(file string) string {
			return "Content-Type: application/pdf\r\n\r\n" + file
		}},
	} {
		all = append(all,
			odd{d.name, d.about, d.right, 4, func(name string) string { return d.change(plain(name)) }, nil},
			odd{d.name + "-packed", d.about + "; with object streams", d.packed, 4, func(name string) string { return d.change(compact(name)) }, nil})
	}
	return append(all, []odd{
		{"head-late", "%PDF stands 900 bytes after the start; places are right", isEither, 4, func(name string) string {
			p := book(name, 4)
			p.header = strings.Repeat("\n", 900) + p.header
			return made(p)
		}, nil},
		{"head-odd-version", "version 9.z", isEither, 4, func(name string) string {
			p := book(name, 4)
			p.header = "%PDF-9.z\n"
			return made(p)
		}, nil},
		{"xref-gone", "it ends behind the last object", isSplit, 4, func(name string) string {
			w := book(name, 4)
			return w.put(w.write(), w.numbers()...).String()
		}, nil},
		{"xref-all-off", "every place in the table is wrong by 3 bytes", isEither, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			for nr := range w.offsets {
				w.offsets[nr] += 3
			}
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
		{"xref-one-off", "the place of one content is that of another", isEither, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			w.offsets[contentNr(2)] = w.offsets[contentNr(3)]
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
		{"xref-short-lines", "table entries of 19 bytes", isSplit, 4, func(name string) string {
			return strings.NewReplacer(" n \n", " n\n", " f \n", " f\n").Replace(made(book(name, 4)))
		}, nil},
		{"xref-from-one", "the table says that it begins with object 1, and begins with object 0", isSplit, 4, func(name string) string {
			file := made(book(name, 4))
			return strings.Replace(file, "xref\n0 1\n0000000000 65535 f \n1 11\n", "xref\n1 12\n0000000000 65535 f \n", 1)
		}, nil},
		{"xref-size-small", "the trailer's /Size is too small", isSplit, 4, func(name string) string {
			return strings.Replace(made(book(name, 4)), "/Size 12", "/Size 3 ", 1)
		}, nil},
		{"xref-objects-missing", "the table leaves out the third page and its content", isEither, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			delete(w.offsets, pageNr(3))
			delete(w.offsets, contentNr(3))
			return finish(w, p.section(w, w.offsets, ""))
		}, nil},
		{"trailer-without-root", "the trailer has no /Root", isEither, 4, func(name string) string {
			return strings.Replace(made(book(name, 4)), "/Root 1 0 R", "", 1)
		}, nil},
		{"length-short", "a content's /Length is too small", isSplit, 4, wrongLength(5), nil},
		{"length-long", "a content's /Length reaches into the next object", isSplit, 4, wrongLength(90), nil},
		{"length-zero", "a content's /Length is 0", isSplit, 4, wrongLength(0), nil},
		{"length-huge", "a content's /Length reaches behind the end of the file", isSplit, 4, wrongLength(999_999), nil},
		{"length-negative", "a content's /Length is negative", isSplit, 4, wrongLength(-1), nil},
		{"length-missing", "a content has no /Length", isSplit, 4, func(name string) string {
			return strings.Replace(made(book(name, 4)), "<</Length 64>>", "<<>>", 1)
		}, nil},
		{"length-of-nothing", "a content's /Length refers to an object that is not there", isSplit, 4, func(name string) string {
			p := book(name, 4)
			p.set(contentNr(2), "<</Length 77 0 R>>")
			return made(p)
		}, nil},
		{"length-of-itself", "a content's /Length refers to the content", isEither, 4, func(name string) string {
			p := book(name, 4)
			p.set(contentNr(2), "<</Length %d 0 R>>", contentNr(2))
			return made(p)
		}, nil},
		{"endobj-gone", "no endobj", isEither, 4, func(name string) string {
			return strings.ReplaceAll(made(book(name, 4)), "\nendobj", "\n      ")
		}, nil},
		{"endstream-gone", "no endstream", isSplit, 4, func(name string) string {
			return strings.ReplaceAll(made(book(name, 4)), "\nendstream", "\n         ")
		}, nil},
		{"object-number-wrong", "an object says another number than the table", isEither, 4, func(name string) string {
			return strings.Replace(made(book(name, 4)), fmt.Sprintf("\n%d 0 obj", contentNr(2)), "\n9 0 obj", 1)
		}, nil},
		{"content-not-there", "a content refers to an object that is not there", isEither, 4, func(name string) string {
			p := book(name, 4)
			p.edit(pageNr(2), "/Contents 6 0 R", "/Contents 66 0 R")
			return made(p)
		}, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			if page == 2 {
				want.content = ""
			}
			return want
		}},
		{"flate-damaged", "a page's compressed content is damaged in the middle", isEither, 4, func(name string) string {
			p := book(name, 4)
			data := []byte(flate(strings.Repeat("% padding 0123456789\n", 20) + p.streams[contentNr(2)]))
			data[len(data)/2] ^= 0xff
			p.set(contentNr(2), "<</Filter/FlateDecode>>")
			p.streams[contentNr(2)] = string(data)
			return made(p)
		}, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			if page == 2 {
				data := []byte(flate(strings.Repeat("% padding 0123456789\n", 20) + want.content))
				data[len(data)/2] ^= 0xff
				want.content = string(data) // as it is: the reader does with it what it would have done
			}
			return want
		}},
		{"object-stream-damaged", "the object stream with the pages is damaged", isDamaged, 4, func(name string) string {
			file := []byte(book(name, 4).compact())
			at := strings.Index(string(file), "/Type/ObjStm")
			at += strings.Index(string(file[at:]), "stream\n") + len("stream\n")
			for i := range 40 {
				file[at+i] ^= 0x55
			}
			return string(file)
		}, nil},
		{"two-trailers-last-wins", "without a table, a later object of the same number is the one that counts", isEither, 4, func(name string) string {
			p := book(name, 4)
			w := p.put(p.write(), p.numbers()...)
			p.streams[contentNr(2)] = draw("Second thoughts.")
			p.put(w, contentNr(2))
			fmt.Fprintf(w, "trailer\n<</Size %d/Root 1 0 R>>\n", p.next)
			return w.String()
		}, secondThoughts},
	}...)
}

// wrongLength makes a book whose second content has a wrong length.
func wrongLength(length int) func(name string) string {
	return func(name string) string {
		p := book(name, 4)
		p.set(contentNr(2), "<</Length %d>>", length)
		return made(p)
	}
}

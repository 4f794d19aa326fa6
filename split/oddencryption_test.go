package split_test

import (
	"fmt"
	"strings"
)

// encryptions are encrypted files, sound and damaged.
func encryptions() []odd {
	var all []odd
	kinds := []struct {
		name string
		cryptKind
	}{
		{"rc4-40", rc4Short}, {"rc4-128", rc4Long}, {"rc4-named", rc4Named}, {"aesv2", aesShort}, {"aesv3-r5", aesFirst}, {"aesv3", aesLong},
	}
	for _, k := range kinds {
		plain := func(name string) string { return made(book(name, 3).lock(k.cryptKind, "")) }
		all = append(all,
			odd{k.name + "-open", "encrypted with " + k.name + ", for everybody to read", isSplit, 3, plain, nil},
			odd{k.name + "-secret", "encrypted with " + k.name + ", with a user and an owner password", isSecret, 3, func(name string) string {
				return made(book(name, 3).lock(k.cryptKind, userWord))
			}, nil})
		if k.version < 2 {
			continue // no object streams then
		}
		all = append(all,
			odd{k.name + "-open-packed", "the same with object streams", isSplit, 3, func(name string) string {
				return book(name, 3).lock(k.cryptKind, "").compact()
			}, nil},
			odd{k.name + "-secret-packed", "with passwords and object streams", isSecret, 3, func(name string) string {
				return book(name, 3).lock(k.cryptKind, userWord).compact()
			}, nil})
		all = append(all, damagedLocks(k.name, k.cryptKind)...)
	}
	return append(all, []odd{
		{"aesv2-linearized-tail-cut", "encrypted, linearized, the last 100 bytes are missing", isEither, 4, func(name string) string {
			file := linearizedOf(book(name, 4).lock(aesShort, ""))
			return file[:len(file)-100]
		}, nil},
		{"aesv2-empty-string", "encrypted with AES, with an annotation whose text has no bytes at all", isSplit, 3, emptyString(aesShort), nil},
		{"aesv3-empty-string", "the same with 256 bits", isSplit, 3, emptyString(aesLong), nil},
		{"aesv2-strings", "encrypted strings in annotations", isSplit, 3, func(name string) string {
			p := book(name, 3)
			for n := 1; n <= 3; n++ {
				p.edit(pageNr(n), "/MediaBox", fmt.Sprintf("/Annots[<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents%s>>]/MediaBox", text(fmt.Sprintf("Note %d.", n))))
			}
			return made(p.lock(aesShort, ""))
		}, func(name string, page int) wantedPage {
			want := plainPage(name, page)
			want.has = append(want.has, fmt.Sprintf("/Contents (Note %d.)", page))
			return want
		}},
		{"aesv2-streams-plain", "strings are encrypted, streams are not", isSplit, 3, func(name string) string {
			p := book(name, 3).lockWith(aesShort, "", "/StmF/Identity/StrF/StdCF")
			p.crypt.plainStreams = true
			return made(p)
		}, nil},
		{"aesv2-attachments-only", "only attachments are encrypted, with a user password", isEither, 3, func(name string) string {
			p := book(name, 3).lockWith(aesShort, userWord, "/StmF/Identity/StrF/Identity/EFF/StdCF")
			p.crypt.plainStreams, p.crypt.plainStrings = true, true
			return made(p)
		}, nil},
		{"encryption-unknown", "encrypted by a handler that nobody knows", isEither, 3, func(name string) string {
			return strings.Replace(made(book(name, 3).lock(aesShort, "")), "/Filter/Standard", "/Filter/Strange1", 1)
		}, nil},
		{"encryption-dictionary-gone", "the trailer refers to an encryption dictionary that is not there", isEither, 3, func(name string) string {
			p := book(name, 3)
			p.trailer = "/Encrypt 99 0 R/ID[<00><00>]"
			return made(p)
		}, nil},
		{"encryption-dictionary-empty", "the encryption dictionary is empty", isEither, 3, func(name string) string {
			p := book(name, 3)
			p.trailer = fmt.Sprintf("/Encrypt %d 0 R/ID[<00><00>]", p.add("<<>>"))
			return made(p)
		}, nil},
		{"encryption-without-id", "an encrypted file without an /ID, whose key was made without one", isSplit, 3, func(name string) string {
			p := newPDF()
			p.id = ""
			p.fill(name, 3)
			return strings.Replace(made(p.lock(aesShort, "")), "/ID[<><>]", "", 1)
		}, nil},
	}...)
}

// damagedLocks are encrypted files for everybody to read, with damages that readers repair: once
// with compressed contents, which show whether a key is right, and once without.
func damagedLocks(kind string, k cryptKind) []odd {
	var all []odd
	for _, d := range []struct {
		name, about string
		right       verdict
		change      func(file string) string
	}{
		{"startxref-off", "startxref is one byte off", isEither, func(file string) string {
			return restart(file, func(start int) string { return fmt.Sprint(start + 1) })
		}},
		{"eof-gone", "%%EOF is missing", isEither, func(file string) string { return strings.TrimSuffix(file, "%%EOF\n") }},
		{"tail-cut", "the last 12 bytes are missing", isEither, func(file string) string { return file[:len(file)-12] }},
		{"trailer-gone", "the trailer is missing", isEither, func(file string) string { return file[:strings.Index(file, "trailer")] }},
		{"trailer-cut", "it breaks off in the trailer", isEither, func(file string) string { return file[:strings.Index(file, "trailer")+20] }},
		{"bom", "a byte order mark comes first", isSplit, func(file string) string { return "\xef\xbb\xbf" + file }},
	} {
		about := "encrypted with " + kind + ", for everybody to read; " + d.about
		all = append(all,
			odd{kind + "-" + d.name, about, d.right, 3, func(name string) string {
				p := book(name, 3)
				for n := 1; n <= 3; n++ {
					p.compress(contentNr(n))
				}
				return d.change(made(p.lock(k, "")))
			}, nil},
			odd{kind + "-" + d.name + "-plain", about + "; nothing is compressed", d.right, 3, func(name string) string {
				return d.change(made(book(name, 3).lock(k, "")))
			}, nil})
	}
	return all
}

func emptyString(k cryptKind) func(name string) string {
	return func(name string) string {
		p := book(name, 3)
		p.edit(pageNr(2), "/MediaBox", "/Annots[<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Contents()>>]/MediaBox")
		return made(p.lock(k, ""))
	}
}

package split

import (
	"bytes"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// typeface is what a page's kind depends on of a font.
type typeface struct {
	readable bool         // its codes lead to characters
	wide     bool         // codes have two bytes
	drawn    bool         // its glyphs are contents (Type 3): they show in every rendering mode
	blanks   map[int]bool // codes that show nothing
}

// font returns the font of that name, nil for none.
func (s *sight) font(name string) *typeface {
	o := s.dict(s.resources["Font"])[name]
	nr := refNumber(o)
	if f, ok := s.fonts[nr]; ok && nr != 0 {
		return f
	}
	d := s.dict(o)
	if d == nil {
		return nil
	}
	f := s.typeface(d)
	if s.inflated >= s.table.limits.DecodedBytes {
		s.doubt = true
	}
	if nr != 0 && !s.doubt && s.err == nil {
		s.fonts[nr] = f
	}
	return f
}

func (s *sight) typeface(d types.Dict) *typeface {
	kind := s.name(d["Subtype"])
	f := &typeface{wide: kind == "Type0", drawn: kind == "Type3", blanks: map[int]bool{}}
	encoding := s.dict(d["Encoding"])
	if kind != "Type0" && kind != "Type3" && encoding["Differences"] == nil {
		f.blanks[' '] = true
	}
	if m, ok := s.follow(d["ToUnicode"]).(*stream); ok {
		content, ok := s.content(m)
		if f.readable = ok && f.characters(content); f.readable {
			return f
		}
	}
	if s.name(d["ToUnicode"]) != "" {
		f.readable = true
		return f
	}
	switch {
	case kind == "Type0":
		f.readable = s.ordered(d)
	case encoding["Differences"] != nil:
		f.readable = s.standard(encoding, f.blanks)
	case s.name(d["Encoding"]) != "" || encoding["BaseEncoding"] != nil:
		f.readable = true
	case f.drawn:
		f.readable = false
	default:
		const symbolic = 4
		descriptor := s.dict(d["FontDescriptor"])
		flags := int(s.number(descriptor["Flags"]))
		// A Type 1 font has the names of its glyphs.
		f.readable = kind == "Type1" || kind == "MMType1" || flags&symbolic == 0
	}
	return f
}

// ordered reports whether the glyphs of a composite font without ToUnicode belong to a known
// collection of characters.
func (s *sight) ordered(d types.Dict) bool {
	if name := s.name(d["Encoding"]); name != "" && !strings.HasPrefix(name, "Identity") {
		return true
	}
	kids := s.array(d["DescendantFonts"])
	if len(kids) == 0 {
		return false
	}
	switch string(stringBytes(s.follow(s.dict(s.dict(kids[0])["CIDSystemInfo"])["Ordering"]))) {
	case "Japan1", "GB1", "CNS1", "Korea1", "KR":
		return true
	}
	return false
}

// standard reports whether the names of an encoding's differences say what the glyphs are: most of
// them, as some fonts have a few ornaments.
func (s *sight) standard(encoding types.Dict, blanks map[int]bool) bool {
	code, known, private := 0, 0, 0
	differences := s.array(encoding["Differences"])
	s.operators += len(differences)
	for _, o := range differences {
		switch o := s.follow(o).(type) {
		case types.Integer:
			code = o.Value()
		case types.Name:
			switch {
			case o == "space" || o == "nbspace" || o == ".notdef":
				blanks[code] = true
			case privateName(string(o)):
				private++
			default:
				known++
			}
			code++
		}
	}
	return known > private || private == 0
}

// privateName reports whether the name of a glyph is a number: "g12", "G0F", "cid_34", "a17".
func privateName(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	digits := strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
	letters := name[:len(name)-len(digits)]
	switch {
	case letters == "uni", letters == "u", letters == "afii":
		return false
	case digits == "":
		return false
	}
	return strings.TrimLeft(digits, "0123456789") == "" || len(letters) <= 1
}

// characters reads a ToUnicode map. It reports whether any code leads to a character.
func (f *typeface) characters(content []byte) bool {
	const mostBlanks = 4 // a map of many codes to blanks hides what the glyphs are
	found, spaces := false, []int{}
	l := &lexer{text: content}
	for op := l.next(); op != ""; op = l.next() {
		step := map[string]int{"endbfchar": 2, "endbfrange": 3}[op]
		if step > 0 && len(l.args)%step != 0 { // a range with an array
			found = true
			continue
		}
		for i := 0; step > 0 && i < len(l.args); i += step {
			code := hexNumber(l.args[i].text)
			switch strings.ToLower(string(l.args[i+step-1].text)) {
			case "", "0000", "fffd":
			case "0020", "00a0", "20", "0009", "000a", "000d", "200b":
				spaces = append(spaces, code)
			default:
				found = true
				delete(f.blanks, code)
			}
		}
	}
	if len(spaces) > mostBlanks {
		return found
	}
	for _, code := range spaces {
		f.blanks[code] = true
	}
	return found || len(spaces) > 0
}

func hexNumber(digits []byte) int {
	n := 0
	for _, c := range digits {
		if d := hexDigit(c); d >= 0 {
			n = n<<4 | d
		}
	}
	return n & 0xffff
}

// glyphs returns how many codes of a string show something, and how many there are.
func (f *typeface) glyphs(o operand) (inked, all int) {
	codes := o.text
	switch {
	case o.kind == '<':
		codes = hexBytes(o.text)
	case bytes.IndexByte(codes, '\\') >= 0:
		codes = unescapeString(string(codes))
	}
	width := 1
	if f.wide {
		width = 2
	}
	for i := 0; i+width <= len(codes); i += width {
		code := int(codes[i])
		if f.wide {
			code = code<<8 | int(codes[i+1])
		}
		all++
		if !f.blanks[code] {
			inked++
		}
	}
	return inked, all
}

func hexBytes(digits []byte) []byte {
	out := make([]byte, 0, len(digits)/2+1)
	high := -1
	for _, c := range digits {
		switch d := hexDigit(c); {
		case d < 0:
		case high < 0:
			high = d
		default:
			out, high = append(out, byte(high<<4|d)), -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}

package split

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"
)

// looks is a document of one page of 200 by 200 points. Its resources have fonts F1 (Helvetica), F2
// (Identity-H), F3 (Type 3), an image Im1 of 100 by 100 pixels, and what a test adds.
type looks struct {
	content   string
	page      string // further entries of the page
	resources string // further entries of the resources
	xobjects  string
	fonts     string
	objects   []string // from number 10
}

func (l looks) bytes() []byte {
	f := &pdfFile{}
	f.add("<</Type/Catalog/Pages 2 0 R>>")
	f.add("<</Type/Pages/Count 1/Kids[3 0 R]>>")
	f.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources 5 0 R%s>>", l.page)
	f.stream("", []byte(l.content))
	f.add("<</Font<</F1 6 0 R/F2 7 0 R/F3 8 0 R%s>>/XObject<</Im1 9 0 R%s>>%s>>", l.fonts, l.xobjects, l.resources)
	f.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	f.add("<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)>>>>]>>")
	f.add("<</Type/Font/Subtype/Type3/FontMatrix[0.01 0 0 0.01 0 0]/FontBBox[0 0 99 99]/CharProcs<<>>/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[9]>>")
	f.stream("/Type/XObject/Subtype/Image/Width 100/Height 100/BitsPerComponent 8/ColorSpace/DeviceGray", make([]byte, 100))
	f.objects = append(f.objects, l.objects...)
	return f.bytes()
}

func streamObject(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func formObject(more, data string) string {
	return streamObject("/Type/XObject/Subtype/Form/BBox[0 0 200 200]"+more, data)
}

func kindOf(t testing.TB, data []byte) PageKind {
	t.Helper()
	d, err := openBytes(data, Options{})
	require.NoError(t, err)
	kinds, err := d.PageKinds(t.Context(), PageRange{1, d.Pages()})
	require.NoError(t, err)
	return kinds[0]
}

const (
	words12  = "BT /F1 12 Tf 20 100 Td (Some words of text) Tj ET "
	fullPage = "q 200 0 0 200 0 0 cm /Im1 Do Q "
)

// ruled draws lines around nine words.
func ruled(line func(x0, y0, x1, y1 int) string) string {
	var b strings.Builder
	for i := range 4 {
		b.WriteString(line(20, 20+40*i, 140, 20+40*i) + line(20+40*i, 20, 20+40*i, 140))
	}
	for i := range 9 {
		fmt.Fprintf(&b, "BT /F1 9 Tf %d %d Td (cell) Tj ET ", 25+i%3*40, 30+i/3*40)
	}
	return b.String()
}

func annotation(flags int, look string) string {
	return fmt.Sprintf("/Annots[<</Type/Annot/Subtype/Stamp/Rect[0 0 200 200]/F %d/AP<</N %s>>>>]", flags, look)
}

func TestPageKinds(t *testing.T) {
	strokes := ruled(func(x0, y0, x1, y1 int) string { return fmt.Sprintf("%d %d m %d %d l S ", x0, y0, x1, y1) })
	thin := ruled(func(x0, y0, x1, y1 int) string { return fmt.Sprintf("%d %d %d %d re f ", x0, y0, x1-x0+1, y1-y0+1) })
	var staves strings.Builder
	for i := range 15 {
		y := 20 + i/5*50 + i%5*4
		staves.WriteString(fmt.Sprintf("20 %d m 180 %d l S %d 20 m %d 136 l S BT /F1 9 Tf %d %d Td (la la) Tj ET ", y, y, 20+i*11, 20+i*11, 22+i*11, y))
	}
	loop := func(data string) looks {
		return looks{content: "/Fm Do", xobjects: "/Fm 10 0 R", objects: []string{formObject("/Resources<</XObject<</Fm 10 0 R>>/Font<</F1 6 0 R>>>>", data)}}
	}
	nested := func(data string, levels int) looks {
		l := looks{content: "/Fm Do", xobjects: "/Fm 10 0 R"}
		for i := range levels {
			l.objects = append(l.objects, formObject(fmt.Sprintf("/Resources<</XObject<</Fm %d 0 R>>>>", 11+i), "/Fm Do"))
		}
		l.objects = append(l.objects, formObject("/Resources 5 0 R", data))
		return l
	}
	toUnicode := func(lines string) looks {
		return looks{
			content: "BT /F4 12 Tf 20 100 Td <00030004> Tj ET", fonts: "/F4 10 0 R",
			objects: []string{
				"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 11 0 R/DescendantFonts[<</Subtype/CIDFontType2>>]>>",
				streamObject("", lines),
			},
		}
	}
	simple := func(font string) looks {
		return looks{content: "BT /F4 12 Tf 20 100 Td (abc) Tj ET", fonts: "/F4 10 0 R", objects: []string{font}}
	}
	for _, test := range []struct {
		name string
		page looks
		want PageKind
	}{
		{"nothing", looks{}, PageBlank},
		{"text", looks{content: words12}, PageText},
		{"spaces", looks{content: "BT /F1 12 Tf 20 100 Td (   ) Tj [( ) -200 ( )] TJ ET"}, PageBlank},
		{"state alone", looks{content: "q 1 0 0 1 9 9 cm 2 w BT /F1 12 Tf ET 0 0 9 9 re W n Q"}, PageBlank},
		{"white text", looks{content: "1 g " + words12}, PageUnknown},
		{"white text on a dark box", looks{content: "0 0 200 200 re f 1 g " + words12}, PageText},
		{"ink that is one", looks{content: "/Sep cs 1 scn " + words12, resources: "/ColorSpace<</Sep[/Separation/Black/DeviceGray 10 0 R]>>"}, PageText},
		{"white box", looks{content: "1 1 1 rg 0 0 200 200 re f"}, PageBlank},
		{"gray box", looks{content: "0.99 g 0 0 200 200 re f"}, PageUnknown},
		{"a dot", looks{content: "100 100 1 1 re f"}, PageUnknown},

		{"scan", looks{content: fullPage}, PageScan},
		{"scan in strips", looks{content: "q 200 0 0 50 0 0 cm /Im1 Do 1 0 0 1 0 1 cm /Im1 Do 1 0 0 1 0 1 cm /Im1 Do Q"}, PageScan},
		{"rotated scan", looks{content: "q 0 200 -200 0 200 0 cm /Im1 Do Q", page: "/Rotate 90"}, PageScan},
		{"invisible text over a scan", looks{content: fullPage + "3 Tr " + words12}, PageScan},
		{"text as a clip over a scan", looks{content: fullPage + "7 Tr " + words12}, PageScan},
		{"text under a scan", looks{content: words12 + fullPage}, PageScan},
		{"text outside of a scan", looks{content: fullPage + "BT /F1 12 Tf 20 900 Td (outside) Tj ET"}, PageScan},
		{"clipped text", looks{content: fullPage + "0 150 9 9 re W n " + words12}, PageScan},
		{"text outside of the crop box", looks{content: "q 200 0 0 50 0 150 cm /Im1 Do Q " + words12, page: "/CropBox[0 150 200 200]"}, PageScan},
		{"visible text over a scan", looks{content: fullPage + words12}, PageMixed},
		{"text under a transparent picture", looks{content: words12 + "/Gs gs " + fullPage, resources: "/ExtGState<</Gs<</ca 0.5>>>>"}, PageMixed},
		{"picture outside of the page", looks{content: "q 200 0 0 200 500 0 cm /Im1 Do Q"}, PageBlank},
		{"picture outside of the clip", looks{content: "0 0 9 9 re W n q 50 0 0 50 90 90 cm /Im1 Do Q"}, PageBlank},
		{"small picture alone", looks{content: "q 20 0 0 20 0 0 cm /Im1 Do Q"}, PageUnknown},
		{"picture beside text", looks{content: words12 + "q 80 0 0 60 9 120 cm /Im1 Do Q"}, PageMixed},
		{"tiny picture beside text", looks{content: words12 + "q 9 0 0 9 9 120 cm /Im1 Do Q"}, PageText},
		{"picture of one pixel", looks{content: "q 200 0 0 200 0 0 cm /Im2 Do Q", xobjects: "/Im2 10 0 R", objects: []string{
			streamObject("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "x"),
		}}, PageUnknown},
		{"mask in black", looks{content: "q 200 0 0 200 0 0 cm /Im2 Do Q", xobjects: "/Im2 10 0 R", objects: []string{
			streamObject("/Subtype/Image/Width 8/Height 8/ImageMask true", "12345678"),
		}}, PageScan},
		{"mask in white", looks{content: "1 g q 200 0 0 200 0 0 cm /Im2 Do Q", xobjects: "/Im2 10 0 R", objects: []string{
			streamObject("/Subtype/Image/Width 8/Height 8/ImageMask true", "12345678"),
		}}, PageUnknown},
		{"inline image with EI in its data", looks{content: "q 200 0 0 200 0 0 cm BI /W 6 /H 2 /BPC 8 /CS /G ID a EI (ab EI b\nEI Q"}, PageScan},
		{"inline image with a filter and EI in its data", looks{content: "q 200 0 0 200 0 0 cm BI /W 6 /H 2 /BPC 8 /CS /G /F /Fl ID a EI \x01\x02b\nEI Q"}, PageScan},
		{"inline image without an end", looks{content: "BI /W 6 /H 2 /F /Fl ID abc"}, PageUnknown},
		{"missing picture", looks{content: "/Gone Do"}, PageUnknown},

		{"table of strokes", looks{content: strokes}, PageTable},
		{"table of thin boxes", looks{content: thin}, PageTable},
		{"turned table", looks{content: "0 1 -1 0 200 0 cm " + strokes}, PageTable},
		{"grid without text", looks{content: strokes[:strings.Index(strokes, "BT")]}, PageUnknown},
		{"grid beside text", looks{content: strokes[:strings.Index(strokes, "BT")] + "BT /F1 9 Tf 20 180 Td (Some words) Tj ET"}, PageText},
		{"frame around text", looks{content: "10 10 180 180 re S " + words12}, PageText},
		{"staves of music", looks{content: staves.String()}, PageMixed},
		{"drawing beside text", looks{content: words12 + "20 120 m 60 190 100 110 180 190 c S"}, PageMixed},
		{"drawing alone", looks{content: "20 120 m 60 190 100 110 180 190 c S"}, PageUnknown},

		{"shading", looks{content: "/Sh1 sh", resources: "/Shading<</Sh1<</ShadingType 2>>>>"}, PageUnknown},
		{"pattern", looks{content: "/Pattern cs /P1 scn 0 0 99 99 re f"}, PageUnknown},
		{"text in a pattern", looks{content: "/Pattern cs /P1 scn " + words12}, PageText},

		{"Type 3 glyphs", looks{content: "BT /F3 12 Tf 20 100 Td (aaa) Tj ET"}, PageText},
		{"Type 3 glyphs in an invisible mode", looks{content: "3 Tr BT /F3 12 Tf 20 100 Td (aaa) Tj ET"}, PageText},
		{"Identity-H", looks{content: "BT /F2 12 Tf 20 100 Td <00010002> Tj ET"}, PageUnknown},
		{"invisible Identity-H over a scan", looks{content: fullPage + "3 Tr BT /F2 12 Tf 20 100 Td <00010002> Tj ET"}, PageScan},
		{"Identity-H over a scan", looks{content: fullPage + "BT /F2 12 Tf 20 100 Td <00010002> Tj ET"}, PageUnknown},
		{"ToUnicode", toUnicode("2 beginbfchar <0003> <0041> <0004> <0042> endbfchar"), PageText},
		{"ToUnicode to spaces", toUnicode("2 beginbfchar <0003> <0020> <0004> <00A0> endbfchar"), PageBlank},
		{"empty ToUnicode", toUnicode("begincmap endcmap"), PageUnknown},
		{"private names", simple("<</Type/Font/Subtype/Type1/Encoding<</Differences[97/g1/g2/g3]>>>>"), PageUnknown},
		{"standard names", simple("<</Type/Font/Subtype/Type1/Encoding<</Differences[97/a/uni0062/eacute.alt]>>>>"), PageText},
		{"symbolic TrueType", simple("<</Type/Font/Subtype/TrueType/FontDescriptor<</Flags 4>>>>"), PageUnknown},
		{"font that is missing", looks{content: "BT /Gone 12 Tf 20 100 Td (abc) Tj ET"}, PageUnknown},

		{"form", looks{content: "/Fm Do", xobjects: "/Fm 10 0 R", objects: []string{formObject("", words12)}}, PageText},
		{"forms in forms", nested(words12, 5), PageText},
		{"forms too deep", nested(words12, 30), PageUnknown},
		{"form of itself", loop("/Fm Do"), PageUnknown},
		{"form of itself with text", loop(words12 + "/Fm Do"), PageText},
		{"form moved off the page", looks{content: "1 0 0 1 900 0 cm /Fm Do", xobjects: "/Fm 10 0 R", objects: []string{formObject("", "0 0 99 99 re f")}}, PageBlank},
		{"layer that is off", looks{content: "/OC /L1 BDC " + words12 + "EMC", resources: "/Properties<</L1<</Type/OCG/Name(off)>>>>"}, PageText},

		{"annotation", looks{page: annotation(4, "10 0 R"), objects: []string{formObject("/Resources 5 0 R", words12)}}, PageText},
		{"annotation with states", looks{page: strings.Replace(annotation(4, "<</On 10 0 R/Off 11 0 R>>"), "/F 4", "/AS/On", 1), objects: []string{formObject("/Resources 5 0 R", words12), formObject("", "")}}, PageText},
		{"hidden annotation", looks{page: annotation(2, "10 0 R"), objects: []string{formObject("/Resources 5 0 R", words12)}}, PageBlank},
		{"annotation not for the screen", looks{page: annotation(32, "10 0 R"), objects: []string{formObject("/Resources 5 0 R", words12)}}, PageBlank},
		{"annotation without a look", looks{page: "/Annots[<</Subtype/Square/Rect[9 9 99 99]>>]"}, PageUnknown},
		{"link without a border", looks{page: "/Annots[<</Subtype/Link/Rect[9 9 99 99]/Border[0 0 0]>>]"}, PageBlank},
		{"link with a border", looks{page: "/Annots[<</Subtype/Link/Rect[9 9 99 99]>>]"}, PageUnknown},
		{"annotation with a scan", looks{page: annotation(0, "10 0 R"), objects: []string{formObject("/Resources 5 0 R", fullPage)}}, PageScan},

		{"damaged stream", looks{content: "/Fm Do", xobjects: "/Fm 10 0 R", objects: []string{formObject("/Filter/FlateDecode", "no such thing")}}, PageUnknown},
		{"noise", looks{content: "x y z foo bar baz"}, PageUnknown},
		{"too many states", looks{content: strings.Repeat("q ", 600)}, PageUnknown},
		{"too many operators", looks{content: strings.Repeat("n ", mostOperators+1)}, PageUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, kindOf(t, test.page.bytes()))
		})
	}
}

// A content may be an array of streams that is cut anywhere between two tokens, or in a string.
func TestPageKindsOfCutContents(t *testing.T) {
	parts := []string{"q BT /F1", "12 Tf 20 100 Td (Some", "words) Tj", "ET Q"}
	l := looks{}
	for _, part := range parts {
		l.objects = append(l.objects, streamObject("", part))
	}
	data := bytes.Replace(l.bytes(), []byte("/Contents 4 0 R"), []byte("/Contents[10 0 R 11 0 R 12 0 R 13 0 R]"), 1)
	require.Equal(t, PageText, kindOf(t, data))
}

func TestPageKindsOfEncryptedDocuments(t *testing.T) {
	data := looks{content: fullPage + "3 Tr " + words12}.bytes()
	require.Equal(t, PageScan, kindOf(t, encrypted(t, model.NewRC4Configuration("", "owner", 128), data)))
	require.Equal(t, PageScan, kindOf(t, encrypted(t, model.NewAESConfiguration("", "owner", 256), data)))
}

// The kinds of a range are those of its pages, however a file is written.
func TestPageKindsOfRanges(t *testing.T) {
	for _, made := range madeFiles {
		t.Run(made.name, func(t *testing.T) {
			d, err := openBytes(made.file(t), Options{})
			require.NoError(t, err)
			kinds, err := d.PageKinds(t.Context(), PageRange{2, 4})
			require.NoError(t, err)
			require.Equal(t, []PageKind{PageText, PageText, PageText}, kinds)
		})
	}
}

func TestPageKindsErrors(t *testing.T) {
	d, err := openBytes(manual(3).bytes(), Options{})
	require.NoError(t, err)
	_, err = d.PageKinds(t.Context(), PageRange{2, 4})
	require.ErrorIs(t, err, ErrPages)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = d.PageKinds(ctx, PageRange{1, 3})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, d.Close())
	_, err = d.PageKinds(t.Context(), PageRange{1, 3})
	require.ErrorIs(t, err, os.ErrClosed)
}

// Whatever the bytes: a kind for each page, and the same one again.
func FuzzPageKinds(f *testing.F) {
	seed(f)
	for _, content := range []string{words12, fullPage, "BI /W 6 /H 2 /BPC 8 /CS /G ID a EI (ab EI b\nEI", "/Fm Do"} {
		f.Add(looks{content: content}.bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := openBytes(data, Options{Limits: smallLimits})
		if err != nil {
			return
		}
		r := PageRange{1, d.Pages()}
		kinds, err := d.PageKinds(t.Context(), r)
		require.NoError(t, err)
		require.Len(t, kinds, d.Pages())
		again, err := d.PageKinds(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, kinds, again)
	})
}

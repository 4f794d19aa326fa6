package split

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

// What annotations show counts as use of the resources that all pages have.
func TestChunkKeepsWhatAppearancesDraw(t *testing.T) {
	f := sharing(10)
	one := f.stream("/Type/XObject/Subtype/Form/BBox[0 0 1 1]", []byte("/Im7 Do"))
	two := f.stream("/Type/XObject/Subtype/Form/BBox[0 0 1 1]", []byte("/Im8 Do"))
	f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[<</Subtype/Stamp/Rect[0 0 1 1]/AP<</N %d 0 R/D<</On %d 0 R>>>>>>]>>", one, two)
	v, pages := reopen(t, opened(t, f), PageRange{1, 1})
	res := v.dict(pages[0].dict(v)["Resources"])
	require.Equal(t, []string{"Im1", "Im7", "Im8"}, sortedKeys(v.dict(res["XObject"])))
}

// The content of a page may be several streams.
func TestChunkLooksIntoAllContents(t *testing.T) {
	f := sharing(10)
	more := f.stream("", []byte("/Im9 Do"))
	f.set(5, "<</Type/Page/Parent 2 0 R/Contents[4 0 R %d 0 R null]>>", more)
	v, pages := reopen(t, opened(t, f), PageRange{1, 1})
	res := v.dict(pages[0].dict(v)["Resources"])
	require.Equal(t, []string{"Im1", "Im9"}, sortedKeys(v.dict(res["XObject"])))
}

// Object streams that have more in them than is held are inflated again, and count once.
func TestObjectStreamsAreHeldWithinALimit(t *testing.T) {
	const streams = 10
	direct := map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>"}
	packed := map[int][2]int{}
	var kids strings.Builder
	for i := range streams {
		text := deflated(t, fmt.Sprintf("%d 0 %d 40 %-40s", 30+i, 60+i, fmt.Sprintf("<</Type/Page/MediaBox[0 0 %d 9]>>", i)), ' ', 4<<20)
		direct[100+i] = fmt.Sprintf("<</Type/ObjStm/N 2/First 11/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", len(text), text)
		packed[30+i] = [2]int{100 + i, 7} // the index is wrong, and the number finds it
		kids.WriteString(fmt.Sprintf("%d 0 R ", 30+i))
	}
	direct[2] = "<</Type/Pages/Kids[" + kids.String() + "]>>"
	limits := Limits{DecodedBytes: streams * (4<<20 + 100)}
	d, err := openBytes(xrefStreamFile(direct, packed, ""), Options{Limits: limits})
	require.NoError(t, err)
	held := &d.table.Load().packs
	require.LessOrEqual(t, held.size, int64(mostPacked))
	require.Less(t, len(held.held), streams)
	for range 3 {
		for page := 1; page <= streams; page++ {
			v, pages := reopen(t, d, PageRange{page, page})
			require.Equal(t, types.Integer(page-1), v.array(pages[0].dict(v)["MediaBox"])[2])
		}
	}
	limits.DecodedBytes -= 2000
	_, err = openBytes(xrefStreamFile(direct, packed, ""), Options{Limits: limits})
	require.ErrorIs(t, err, ErrTooLarge)
}

// A task that is stopped while it inflates an object stream leaves that to the next one.
func TestStoppedTaskSpoilsNothing(t *testing.T) {
	d, err := openBytes(packedFile(t), Options{})
	require.NoError(t, err)
	tab := d.table.Load()
	tab.packs.held = nil
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	cancel(stopped)
	_, _, err = tab.object(newSource(ctx, tab.file, tab.size), 2)
	require.ErrorIs(t, err, stopped)
	requireRight(t, d)
}

func TestUnescapeString(t *testing.T) {
	for text, want := range map[string]string{
		`a\(b\)\\c`: `a(b)\c`, `\n\r\t\b\f`: "\n\r\t\b\f", `\101\60\7x\0053`: "A0\ax\x053", "a\r\nb\rc": "a\nb\nc",
		"a\\\nb\\\r\nc\\\rd": "abcd", `\x\`: `x\`, `\400`: "\x00",
	} {
		require.Equal(t, want, string(unescapeString(text)), "%q", text)
	}
	require.Equal(t, "\x0f\xf0", string(stringBytes(types.HexLiteral("0FF0"))))
	require.Nil(t, stringBytes(types.HexLiteral("0")))
	require.Nil(t, stringBytes(types.Integer(1)))
}

func TestMethodOfStreams(t *testing.T) {
	c := &crypt{streams: aesV2, filters: map[string]method{"Identity": plain, "Old": rc4V2}}
	for text, want := range map[string]method{
		"<<>>":                            aesV2,
		"<</Type/XRef>>":                  plain,
		"<</Type/Metadata>>":              plain,
		"<</Filter/FlateDecode>>":         aesV2,
		"<</Filter/Crypt>>":               plain,
		"<</Filter[/FlateDecode/Crypt]>>": plain,
		"<</Filter[/Crypt/FlateDecode]/DecodeParms[<</Name/Old>>null]>>": rc4V2,
		"<</Filter/Crypt/DecodeParms<</Name/Unknown>>>>":                 foreign,
	} {
		o, ok := parseStrictly(text, 10)
		require.True(t, ok, text)
		require.Equal(t, want, c.method(o.(types.Dict)), text)
	}
	c.metadataEncrypted = true
	require.Equal(t, aesV2, c.method(types.Dict{"Type": types.Name("Metadata")}))
}

// Names and parameters of filters may be objects of their own, and short.
func TestFilters(t *testing.T) {
	f := manual(1)
	name := f.add("/Fl")
	parms := f.add("<</Predictor %d 0 R/Columns 4>>", f.add("12"))
	text := deflated(t, "\x00BT (\x00A)Tj", 0, 0)
	f.set(4, "<</Filter[%d 0 R]/DecodeParms[%d 0 R]/Length %d>>\nstream\n%s\nendstream", name, parms, len(text), text)
	d := opened(t, f)
	v := viewOf(d)
	s, ok := v.object(4).(*stream)
	require.True(t, ok)
	filters, ok := v.filters(s.Dict)
	require.True(t, ok)
	require.Equal(t, []types.PDFFilter{{Name: "FlateDecode", DecodeParms: types.Dict{"Predictor": types.Integer(12), "Columns": types.Integer(4)}}}, filters)
	var content string
	require.NoError(t, v.inflate(s, 1000, func(data []byte) { content = string(data) }))
	require.Equal(t, "BT (A)Tj", content)
	_, ok = v.filters(types.Dict{"Filter": types.Integer(1)})
	require.False(t, ok)
	_, ok = v.filters(types.Dict{"Filter": types.Array{types.Integer(1)}})
	require.False(t, ok)
}

// An object stream cannot be in an object stream, nor can its length or its filter.
func TestObjectStreamInItself(t *testing.T) {
	const text = "2 0 20 30 10 60    "
	body := text + "<</Type/Pages/Kids[5 0 R]>>" + "   " + "19                            " + "<</Type/ObjStm>>"
	for name, entries := range map[string]string{
		"itself": "", "length": "/First 19/Length 20 0 R", "filter": fmt.Sprintf("/First 19/Length %d/Filter 20 0 R", len(body)), "first": fmt.Sprintf("/Length %d/First 20 0 R", len(body)),
	} {
		t.Run(name, func(t *testing.T) {
			direct := map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>", 5: "<</Type/Page/MediaBox[0 0 9 9]>>"}
			packed := map[int][2]int{2: {10, 0}, 20: {10, 1}}
			if name == "itself" {
				packed[10] = [2]int{10, 2}
			} else {
				direct[10] = "<</Type/ObjStm/N 3" + entries + ">>\nstream\n" + body + "\nendstream"
			}
			d, err := openBytes(xrefStreamFile(direct, packed, ""), Options{})
			if name == "length" { // it ends where it says so
				require.NoError(t, err)
				require.Equal(t, 1, d.Pages())
				return
			}
			require.ErrorIs(t, err, ErrDamaged)
		})
	}
}

func TestHeadBefore(t *testing.T) {
	for text, want := range map[string]int{
		"12 0 ": 0, "\n12 0 ": 1, "endobj12  0\n": 6, "endstream7 0 ": 9, "]7 0 ": 1, "\xc87 0 ": -1, "x7 0 ": -1,
		"12 ": -1, "12 0": -1, "": -1, "a b ": -1,
	} {
		require.Equal(t, want, headBefore([]byte(text)), "%q", text)
	}
}

// A file that ends within its only cross-reference stream has no trailer: other readers give up on
// it, so it is damaged, also where its objects can be found.
func TestEndOfCrossReferenceStreamCut(t *testing.T) {
	data := packedFile(t)
	end := bytes.LastIndex(data, []byte("endstream"))
	_, err := openBytes(data[:end-10], Options{})
	require.EqualError(t, err, "damaged PDF: its end is cut off, and with it the trailer")
	d, err := openBytes(data[:end+len("endstream")], Options{}) // only what leads to it is gone
	require.NoError(t, err)
	require.Equal(t, 7, d.Pages())
}

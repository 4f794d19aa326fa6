package split

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

func opened(t testing.TB, f *pdfFile) *Document {
	t.Helper()
	d, err := openBytes(f.bytes(), Options{})
	require.NoError(t, err)
	return d
}

// shown spells an object as a file would, with all that it refers to in place.
func shown(v *view, o types.Object) string {
	switch o := v.follow(o).(type) {
	case types.Dict:
		var b strings.Builder
		b.WriteString("<<")
		for _, k := range sortedKeys(o) {
			if k == "Parent" || k == "P" {
				continue // they lead back
			}
			fmt.Fprintf(&b, "/%s %s", k, shown(v, o[k]))
		}
		return b.String() + ">>"
	case types.Array:
		parts := make([]string, len(o))
		for i := range o {
			parts[i] = shown(v, o[i])
		}
		return "[" + strings.Join(parts, " ") + "]"
	case *stream:
		data, err := o.bytes(v.src)
		if err != nil {
			return err.Error()
		}
		return "stream " + string(data)
	default:
		return string(appendScalar(nil, o))
	}
}

func TestChunkRange(t *testing.T) {
	d := opened(t, manual(3))
	for _, r := range []PageRange{{0, 1}, {2, 1}, {3, 4}, {4, 4}, {-1, 2}, {}} {
		_, err := d.Chunk(context.Background(), r)
		require.ErrorIs(t, err, ErrPages)
	}
	_, err := d.Chunk(context.Background(), PageRange{3, 4})
	require.EqualError(t, err, "no such pages: pages 3-4 of a document with 3 pages")
	c, err := d.Chunk(context.Background(), PageRange{2, 3})
	require.NoError(t, err)
	require.Equal(t, PageRange{2, 3}, c.Pages())
}

func TestChunkHasWhatPagesInherit(t *testing.T) {
	v, pages := reopen(t, opened(t, manual(3)), PageRange{2, 2})
	require.Equal(t, "<</Contents stream BT /F1 12 Tf 20 100 Td (Page 2) Tj ET/MediaBox [0 0 200 200]"+
		"/Resources <</Font <</F1 <</BaseFont /Helvetica/Subtype /Type1/Type /Font>>>>>>/Rotate 90/Type /Page>>",
		shown(v, pages[0].dict(v)))
}

func TestChunkCutsLinks(t *testing.T) {
	f := manual(3)
	// Pages are the objects 5, 7 and 9.
	in := f.add("<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/P 7 0 R/Dest[9 0 R/Fit]>>")
	out := f.add("<</Type/Annot/Subtype/Link/Rect[0 0 1 1]/P 7 0 R/A<</S/GoTo/D[5 0 R/Fit]>>>>")
	up := f.add("<</Type/Annot/Subtype/Text/Rect[0 0 1 1]/Up 2 0 R/Top 1 0 R>>")
	f.set(7, "<</Type/Page/Parent 2 0 R/Contents 6 0 R/Annots[%d 0 R %d 0 R %d 0 R 5 0 R]/B[5 0 R]/StructParents 3>>", in, out, up)

	v, pages := reopen(t, opened(t, f), PageRange{2, 3})
	d := pages[0].dict(v)
	annots := v.array(d["Annots"])
	require.Len(t, annots, 3, "the page among the annotations is gone")
	require.Equal(t, pages[1].number, refNumber(v.array(v.dict(annots[0])["Dest"])[0]))
	require.Equal(t, "[null /Fit]", shown(v, v.dict(v.dict(annots[1])["A"])["D"]))
	require.Equal(t, "<</Rect [0 0 1 1]/Subtype /Text/Type /Annot>>", shown(v, annots[2]))
	require.NotContains(t, d, "B")
	require.NotContains(t, d, "StructParents")
}

func TestChunkKeepsReadingDirection(t *testing.T) {
	f := manual(2)
	f.set(1, "<</Type/Catalog/Pages 2 0 R/ViewerPreferences<</Direction/R2L/HideToolbar true>>/Lang(he)>>")
	v, _ := reopen(t, opened(t, f), PageRange{2, 2})
	require.Equal(t, "<</Direction /R2L>>",
		shown(v, v.dict(types.IndirectRef{ObjectNumber: types.Integer(v.table.root)})["ViewerPreferences"]))
}

func TestChunkKeepsItsFormFields(t *testing.T) {
	f := manual(3)
	group := f.add("")
	a := f.add("<</Type/Annot/Subtype/Widget/Rect[0 0 1 1]/Parent %d 0 R/P 5 0 R>>", group)
	b := f.add("<</Type/Annot/Subtype/Widget/Rect[0 0 1 1]/Parent %d 0 R/P 7 0 R>>", group)
	alone := f.add("<</Type/Annot/Subtype/Widget/FT/Tx/T(alone)/Rect[0 0 1 1]/P 9 0 R>>")
	f.set(group, "<</FT/Btn/T(group)/Kids[%d 0 R %d 0 R]>>", a, b)
	f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Annots[%d 0 R]>>", a)
	f.set(7, "<</Type/Page/Parent 2 0 R/Contents 6 0 R/Annots[%d 0 R]>>", b)
	f.set(9, "<</Type/Page/Parent 2 0 R/Contents 8 0 R/Annots[%d 0 R]>>", alone)
	f.set(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[%d 0 R %d 0 R]/DA(/F1 0 Tf)/NeedAppearances true/XFA(x)>>>>", group, alone)

	d := opened(t, f)
	v, pages := reopen(t, d, PageRange{1, 1})
	form := v.dict(v.dict(types.IndirectRef{ObjectNumber: types.Integer(v.table.root)})["AcroForm"])
	require.Equal(t, []string{"DA", "Fields", "NeedAppearances"}, sortedKeys(form))
	fields := v.array(form["Fields"])
	require.Len(t, fields, 1)
	kids := v.array(v.dict(fields[0])["Kids"])
	require.Len(t, kids, 1)
	require.Equal(t, v.array(pages[0].dict(v)["Annots"])[0], kids[0])

	v, _ = reopen(t, d, PageRange{3, 3})
	root := v.dict(types.IndirectRef{ObjectNumber: types.Integer(v.table.root)})
	require.Equal(t, "[<</FT /Tx/Rect [0 0 1 1]/Subtype /Widget/T (alone)/Type /Annot>>]",
		shown(v, v.dict(root["AcroForm"])["Fields"]))
}

func TestChunkKeepsLayers(t *testing.T) {
	f := manual(2)
	layer := f.add("<</Type/OCG/Name(hidden)>>")
	f.set(1, "<</Type/Catalog/Pages 2 0 R/Outlines<</Type/Outlines>>/OCProperties<</OCGs[%d 0 R]/D<</OFF[%d 0 R]>>>>>>", layer, layer)
	v, _ := reopen(t, opened(t, f), PageRange{1, 1})
	root := v.dict(types.IndirectRef{ObjectNumber: types.Integer(v.table.root)})
	require.Equal(t, "<</D <</OFF [<</Name (hidden)/Type /OCG>>]>>/OCGs [<</Name (hidden)/Type /OCG>>]>>", shown(v, root["OCProperties"]))
	require.Equal(t, []string{"OCProperties", "Pages", "Type"}, sortedKeys(root))
}

func TestChunkRepairsStreamLength(t *testing.T) {
	for _, length := range []int{3, 20, 400} {
		f := manual(2)
		f.set(4, "<</Length %d>>\nstream\nBT /F1 12 Tf (all of it) Tj ET\nendstream", length)
		requirePage(t, opened(t, f), 1, "BT /F1 12 Tf (all of it) Tj ET")
	}
}

func TestChunkOfOddPages(t *testing.T) {
	f := manual(2)
	f.set(2, "<</Kids[5 0 R 5 0 R<</Type/Page/MediaBox[0 0 9 9]>>7 0 R]/Count 99>>")
	d := opened(t, f)
	require.Equal(t, 4, d.Pages(), "a page twice, and one inside of the tree")
	v, pages := reopen(t, d, PageRange{1, 3})
	require.NotEqual(t, pages[0].number, pages[1].number)
	require.Equal(t, "[0 0 9 9]", shown(v, pages[2].dict(v)["MediaBox"]))
}

func TestChunkSpellsObjects(t *testing.T) {
	f := manual(1)
	f.set(5, `<</Type/Page/Parent 2 0 R/Odd[/A#20b/#28 (a\)b\n) <0aF> true false null 1 -2 .5 1234567890123 -0.000001 [] <<>>]>>`)
	v, pages := reopen(t, opened(t, f), PageRange{1, 1})
	require.Equal(t, `[/A#20b /#28 (a\)b\n) <0AF0> true false null 1 -2 0.5 1234567890123 -0.000001 [] <<>>]`,
		shown(v, pages[0].dict(v)["Odd"]))
}

// The same document and range give the same bytes, from however many goroutines.
func TestChunkIsDeterministic(t *testing.T) {
	f := sharing(40)
	want := map[PageRange][]byte{}
	first := opened(t, f)
	plan := Plan(40, 5)
	for _, r := range plan {
		c, err := first.Chunk(context.Background(), r)
		require.NoError(t, err)
		var b bytes.Buffer
		_, err = c.WriteTo(&b)
		require.NoError(t, err)
		want[r] = b.Bytes()
	}
	for range 3 {
		d := opened(t, f)
		var wg sync.WaitGroup
		for _, r := range append(plan, plan...) {
			wg.Go(func() {
				c, err := d.Chunk(context.Background(), r)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(io.NewSectionReader(c, 0, c.Size()))
				if err != nil || !bytes.Equal(want[r], got) {
					t.Errorf("pages %s: other bytes, %v", r, err)
				}
			})
		}
		wg.Wait()
	}
}

func TestChunkIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := opened(t, manual(3)).Chunk(ctx, PageRange{1, 3})
	require.ErrorIs(t, err, context.Canceled)
}

func TestChunkReads(t *testing.T) {
	f := sharing(3)
	f.set(4, "<</Length 20000>>\nstream\n%s\nendstream", strings.Repeat("x", 20_000))
	c, err := opened(t, f).Chunk(context.Background(), PageRange{1, 3})
	require.NoError(t, err)
	require.Greater(t, len(c.spans), 2)
	var whole bytes.Buffer
	n, err := c.WriteTo(&whole)
	require.NoError(t, err)
	require.Equal(t, c.Size(), n)
	require.NoError(t, iotest.TestReader(io.NewSectionReader(c, 0, c.Size()), whole.Bytes()))
	_, err = c.ReadAt(make([]byte, 1), c.Size())
	require.Equal(t, io.EOF, err)
	_, err = c.ReadAt(make([]byte, 1), -1)
	require.Error(t, err)
}

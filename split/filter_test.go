package split

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharing is a document whose pages have one dictionary of resources, with an image for each page
// and some more.
func sharing(pages int) *pdfFile {
	f := manual(pages)
	var images strings.Builder
	for i := range pages {
		nr := f.stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
			fmt.Appendf(nil, "image %d", i+1))
		fmt.Fprintf(&images, "/Im%d %d 0 R", i+1, nr)
		f.set(2*i+4, "<</Length 9>>\nstream\n/Im%d Do\nendstream", i+1)
	}
	nested := f.stream("/Type/XObject/Subtype/Form/BBox[0 0 1 1]", []byte("/Im9 Do"))
	colour := f.stream("/N 3", []byte("colours"))
	parts := f.add("<<%s/Fm %d 0 R>>", images.String(), nested)
	res := f.add("<</XObject %d 0 R/ColorSpace<</DefaultRGB[/ICCBased %d 0 R]/Other[/ICCBased %d 0 R]>>>>", parts, colour, colour)
	old := f.objects[1]
	f.set(2, "%s/Resources %d 0 R>>", old[:strings.Index(old, "/Resources")], res)
	return f
}

func TestChunkPrunesSharedResources(t *testing.T) {
	f := sharing(10)
	// Page 3 draws a form without resources of its own, which draws image 9.
	f.set(8, "<</Length 20>>\nstream\n/I#6d3 Do\n/Fm Do    \nendstream")
	v, pages := reopen(t, opened(t, f), PageRange{2, 4})
	res := v.dict(pages[0].dict(v)["Resources"])
	require.Equal(t, []string{"Fm", "Im2", "Im3", "Im4", "Im9"}, sortedKeys(v.dict(res["XObject"])))
	require.Equal(t, "stream image 4", shown(v, v.dict(res["XObject"])["Im4"]))
	require.Equal(t, []string{"DefaultRGB"}, sortedKeys(v.dict(res["ColorSpace"])))
}

func TestChunkKeepsResourcesOnDoubt(t *testing.T) {
	f := sharing(10)
	f.set(8, "<</Length 4/Filter/FlateDecode>>\nstream\nnone\nendstream")
	v, pages := reopen(t, opened(t, f), PageRange{3, 4})
	res := v.dict(pages[0].dict(v)["Resources"])
	require.Len(t, v.dict(res["XObject"]), 11)
}

// A stream that no content leads to uses the shared dictionary too.
func TestChunkKeepsResourcesOfTheUnforeseen(t *testing.T) {
	f := sharing(10)
	res := len(f.objects)
	stray := f.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources %d 0 R", res), []byte("/Im7 Do"))
	f.set(5, "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Odd %d 0 R>>", stray)
	v, pages := reopen(t, opened(t, f), PageRange{1, 1})
	require.Len(t, v.dict(v.dict(pages[0].dict(v)["Resources"])["XObject"]), 11)
}

// A form that inflates beyond the limit is copied, and not looked into.
func TestChunkKeepsResourcesOfWhatGrows(t *testing.T) {
	f := sharing(10)
	bomb := deflated(t, "", ' ', 200<<20)
	f.set(34, "<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", len(bomb), bomb)
	f.set(8, "<</Length 6>>\nstream\n/Fm Do\nendstream")
	v, pages := reopen(t, opened(t, f), PageRange{3, 3})
	require.Len(t, v.dict(v.dict(pages[0].dict(v)["Resources"])["XObject"]), 11)
}

// Pages with resources of their own draw forms that have one dictionary.
func TestChunkPrunesResourcesOfForms(t *testing.T) {
	f := sharing(10)
	res := len(f.objects)
	for i := range 10 {
		form := f.stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources %d 0 R", res), fmt.Appendf(nil, "/Im%d Do", i+1))
		f.set(2*i+4, "<</Length 6>>\nstream\n/Fx Do\nendstream")
		f.set(2*i+5, "<</Type/Page/Parent 2 0 R/Contents %d 0 R/Resources<</XObject<</Fx %d 0 R>>>>>>", 2*i+4, form)
	}
	v, pages := reopen(t, opened(t, f), PageRange{2, 3})
	form := v.dict(v.dict(v.dict(pages[1].dict(v)["Resources"])["XObject"])["Fx"])
	require.Equal(t, []string{"Im2", "Im3"}, sortedKeys(v.dict(v.dict(form["Resources"])["XObject"])))
}

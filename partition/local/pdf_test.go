package local

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

// article is a page with a running head, a title over two columns, a list and a page number.
func article(n int) []textRun {
	return []textRun{
		{72, 770, 10, "Journal of Examples"},
		{72, 700, 18, "Growing Tomatoes in a Small Garden at Home"},
		{72, 660, 10, fmt.Sprintf("The plants of page %d need water and light", n)},
		{72, 648, 10, "in the first weeks. They grow slowly."},
		{72, 620, 10, "Later they were moved into the garden and"},
		{72, 608, 10, "the soil was covered with straw."},
		{330, 646, 10, "Tomatoes ripen in late summer when the"},
		{330, 634, 10, "nights are warm. Farmers pick them in the"},
		{330, 622, 10, "morning by hand."},
		{330, 600, 10, "- water them daily"},
		{330, 588, 10, "- cut the side shoots"},
		{300, 30, 10, fmt.Sprint(n)},
	}
}

func TestPDFPage(t *testing.T) {
	e := elementsOf(t, filePart{"a.pdf", "application/pdf", testPDF("", article(1))})
	require.Equal(t, []string{
		"Header: Journal of Examples",
		"Title: Growing Tomatoes in a Small Garden at Home",
		"NarrativeText: The plants of page 1 need water and light in the first weeks. They grow slowly.",
		"NarrativeText: Later they were moved into the garden and the soil was covered with straw.",
		"NarrativeText: Tomatoes ripen in late summer when the nights are warm. Farmers pick them in the morning by hand.",
		"ListItem: water them daily",
		"ListItem: cut the side shoots",
		"Footer: 1",
	}, typesAndTexts(e))
	for i, element := range e {
		m := element.Metadata
		require.Equal(t, "a.pdf", m.Filename)
		require.Equal(t, "application/pdf", m.Filetype)
		require.Equal(t, []string{"eng"}, m.Languages)
		require.Equal(t, 1, m.PageNumber)
		require.Nil(t, m.Coordinates)
		require.Nil(t, m.CategoryDepth)
		require.Equal(t, elementID("a.pdf", element.Text, 1, i), element.ID)
	}
	require.Equal(t, e[0].ID, e[1].Metadata.ParentID)
	require.Equal(t, e[1].ID, e[2].Metadata.ParentID)
}

func TestPagesAreTheSameAloneAndTogether(t *testing.T) {
	const pages = 5
	var all [][]textRun
	for n := range pages {
		all = append(all, article(n+1))
	}
	whole := elementsOf(t, filePart{"a.pdf", "application/pdf", testPDF("", all...)}, "coordinates", "true")
	var pieces []element.Element
	for first := 0; first < pages; first += 2 {
		part := testPDF("", all[first:min(first+2, pages)]...)
		pieces = append(pieces, elementsOf(t, filePart{"a.pdf", "application/pdf", part},
			"coordinates", "true", "starting_page_number", fmt.Sprint(first+1))...)
	}
	require.Equal(t, pageLocal(whole), pageLocal(pieces))
	require.Len(t, whole, 8*pages)
}

// pageLocal takes off what the API takes from the document as a whole, and the JSON as received,
// which has it too.
func pageLocal(elements []element.Element) []element.Element {
	var stripped []element.Element
	for _, e := range elements {
		m := e.Metadata
		m.ParentID = ""
		stripped = append(stripped, element.Element{Type: e.Type, ID: e.ID, Text: e.Text, Metadata: m})
	}
	return stripped
}

func TestPageBreaksAndNumbers(t *testing.T) {
	e := elementsOf(t, filePart{"a.pdf", "", testPDF("", []textRun{{72, 400, 12, "One"}}, nil, []textRun{{72, 400, 12, "Three"}})},
		"include_page_breaks", "true", "starting_page_number", "7")
	require.Equal(t, []string{"Title: One", "PageBreak: ", "PageBreak: ", "Title: Three", "PageBreak: "}, typesAndTexts(e))
	var numbers []int
	for _, element := range e {
		numbers = append(numbers, element.Metadata.PageNumber)
	}
	require.Equal(t, []int{7, 7, 8, 9, 9}, numbers)
}

func TestPDFWithoutText(t *testing.T) {
	require.Empty(t, elementsOf(t, filePart{"a.pdf", "", testPDF("", nil)}))
}

func TestCoordinates(t *testing.T) {
	// Helvetica's boxes reach from 0.207 em below to 0.718 em above the line or beyond; the
	// advances are H 0.722, i 0.222 em.
	tests := []struct {
		name, extra   string
		width, height float64
		left, bottom  float64 // of the text's line on the displayed page
		rotated       bool
	}{
		{"upright", "", 612, 792, 100, 292, false},
		{"upside down", "/Rotate 180", 612, 792, 612 - 100 - 9.44, 500, false},
		{"cropped", "/CropBox [50 40 550 740]", 500, 700, 50, 240, false},
		{"quarter turn", "/Rotate 90", 792, 612, 500, 109.44, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := testPDF(test.extra, []textRun{{100, 500, 10, "Hi"}})
			e := elementsOf(t, filePart{"a.pdf", "", data}, "coordinates", "TRUE")
			require.Len(t, e, 1)
			c := e[0].Metadata.Coordinates
			require.Equal(t, "PixelSpace", c.System)
			require.InDelta(t, test.width, c.LayoutWidth, 0.001)
			require.InDelta(t, test.height, c.LayoutHeight, 0.001)
			left, top, right, bottom := c.Points[0][0], c.Points[0][1], c.Points[2][0], c.Points[2][1]
			require.Equal(t, [][2]float64{{left, top}, {left, bottom}, {right, bottom}, {right, top}}, c.Points)
			if test.rotated {
				require.InDelta(t, 9.44, bottom-top, 0.01)
				require.InDelta(t, test.bottom, bottom, 0.01)
				require.InDelta(t, test.left, left, 4)
				return
			}
			require.InDelta(t, 9.44, right-left, 0.01)
			require.InDelta(t, test.left, left, 0.01)
			require.Greater(t, bottom-top, 7.0)
			require.InDelta(t, test.bottom, bottom, 10)
		})
	}
}

func TestRefusedPDFs(t *testing.T) {
	whole := testPDF("", article(1))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"no PDF", []byte("hello"), "File does not appear to be a valid PDF. Error: it is damaged, or no PDF at all"},
		{"empty", nil, "File does not appear to be a valid PDF. Error: it is damaged, or no PDF at all"},
		{"header alone", whole[:20], "File does not appear to be a valid PDF. Error: it is damaged, or no PDF at all"},
		{"no pages", testPDF(""), "File does not appear to be a valid PDF. Error: Invalid object in /Pages"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"a.pdf", "application/pdf", test.data}))
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.Equal(t, `{"detail":"`+test.want+`"}`, body)
		})
	}
}

func TestEncryptedSample(t *testing.T) {
	status, body := answerOf(sharedEngine(), multipartRequest(t, nil, sample(t, "pdf/password.pdf")))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, `{"detail":"File is encrypted. Please decrypt it with password."}`, body)
	require.NotEmpty(t, elementsOf(t, sample(t, "pdf/copy-protected.pdf")), "an owner's password alone does not matter")
}

func TestRequestsAtOnce(t *testing.T) {
	want := pageLocal(elementsOf(t, filePart{"a.pdf", "", testPDF("", article(1), article(2))}))
	var wait sync.WaitGroup
	got := make([][]element.Element, 8)
	for i := range got {
		wait.Go(func() {
			got[i] = pageLocal(elementsOf(t, filePart{"a.pdf", "", testPDF("", article(1), article(2))}))
		})
	}
	wait.Wait()
	for _, elements := range got {
		require.Equal(t, want, elements)
	}
}

func TestTextOfDoublePrintedWordsComesOnce(t *testing.T) {
	e := elementsOf(t, filePart{"a.pdf", "", testPDF("", []textRun{
		{72, 400, 12, "Bold Words"}, {72.5, 400, 12, "Bold Words"}, {72, 300, 12, "Bold Words"},
	})})
	require.Equal(t, []string{"Title: Bold Words", "Title: Bold Words"}, typesAndTexts(e))
}

func TestSamplePDFs(t *testing.T) {
	tests := []struct {
		path     string
		min, max int
		texts    []string
	}{
		{"pdf/layout-parser-paper-fast.pdf", 20, 32, []string{
			"Title: LayoutParser: A Unified Toolkit for Deep Learning Based Document Image Analysis",
			"Title: 1 Introduction",
		}},
		{"pdf/DA-1p.pdf", 12, 16, []string{"Title: MAIN GAME", "Title: Abomination", "Title: Arcane Horror"}},
		{"pdf/list-item-example.pdf", 30, 40, []string{
			"ListItem: What are product types?", "ListItem: Case study", "Title: Module Three: Step 2: Design and Prototyping",
		}},
		{"pdf/multi-column-2p.pdf", 30, 45, []string{"Title: Abstract", "Title: 1 Introduction", "Title: 2 Background"}},
		{"pdf/loremipsum-flat.pdf", 0, 0, nil},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			e := typesAndTexts(elementsOf(t, sample(t, test.path)))
			require.GreaterOrEqual(t, len(e), test.min)
			require.LessOrEqual(t, len(e), test.max)
			for _, text := range test.texts {
				require.Contains(t, e, text)
			}
		})
	}
}

func TestColumnsOfASampleAreNotInterleaved(t *testing.T) {
	e := typesAndTexts(elementsOf(t, sample(t, "pdf/multi-column-2p.pdf")))
	at := slices.IndexFunc(e, func(s string) bool { return len(s) > 800 })
	require.Positive(t, at)
	require.Contains(t, e[at], "Open-domain question answering (QA) (Voorhees, 1999) is a task that answers factoid questions us- ing a large")
}

func TestManualOf619Pages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	pages := map[int]bool{}
	last := 0
	for _, e := range elementsOf(t, sample(t, "pdf/DA-619p.pdf")) {
		require.GreaterOrEqual(t, e.Metadata.PageNumber, last)
		last = e.Metadata.PageNumber
		pages[last] = true
	}
	require.Equal(t, 619, last)
	require.GreaterOrEqual(t, len(pages), 600)
}

// A hyphen at the end of a line stays, and the word's halves stay apart, as with the API; a glyph
// that has no character is dropped.
func TestHyphensAndGlyphsOfSamples(t *testing.T) {
	for path, want := range map[string]string{
		"pdf/layout-parser-paper-fast.pdf": "advantages of re- cent advances",
		"pdf/copy-protected.pdf":           "several practical diculties for taking",
	} {
		all := strings.Join(typesAndTexts(elementsOf(t, sample(t, path))), "\n")
		require.Contains(t, all, want)
	}
}

package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/partition/element"
)

// viewOf is the page of elements.
func viewOf(t *testing.T, elements ...element.Element) []byte {
	t.Helper()
	body := &bytes.Buffer{}
	v := page.NewView("out/report.pdf.json", body)
	for _, e := range elements {
		require.NoError(t, v.Element(e))
	}
	var out bytes.Buffer
	require.NoError(t, v.Write(&out, func(w io.Writer) error {
		_, err := body.WriteTo(w)
		return err
	}))
	return out.Bytes()
}

// picture is a small picture in base64.
func picture(t *testing.T, encode func(io.Writer, image.Image) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))))
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestViewGolden(t *testing.T) {
	on := func(page int, t element.ElementType, text string) element.Element {
		return element.Element{Type: t, Text: text, Metadata: element.Metadata{PageNumber: page, Filename: "report.pdf"}}
	}
	table := on(1, element.TypeTable, "one two")
	table.Metadata.TextAsHTML = `<table><tr><td colspan="2">one</td><td onclick="x()">two</td></tr></table>`
	linked := on(2, element.TypeNarrativeText, "see there & <here>")
	linked.Metadata.LinkURLs = []string{"https://example.com/?a=1&b=2", "javascript:alert(1)", "mailto:a@example.com"}
	linked.Metadata.LinkTexts = []string{"there"}
	drawn := on(2, element.TypeImage, "a drawing")
	drawn.Metadata.ImageBase64 = picture(t, png.Encode)
	again := on(1, element.TypeFooter, "page 1")
	sheet := on(3, element.TypeNarrativeText, "cells")
	sheet.Metadata.PageName = "Sheet <1>"
	other := element.Element{Type: element.TypeListItem, Text: "שלום", Metadata: element.Metadata{Filename: "other.txt"}}
	golden(t, "view.html", viewOf(t,
		on(1, element.TypeTitle, "A report"), table, linked, on(2, element.TypeCodeSnippet, "a\n\tb"), drawn, again, sheet, other))
}

func TestViewOfNothing(t *testing.T) {
	got := viewOf(t)
	checkPage(t, got)
	require.Contains(t, string(got), "0 elements")
}

func TestPictures(t *testing.T) {
	gif := base64.StdEncoding.EncodeToString([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"))
	for _, c := range []struct {
		name, encoded, want string
	}{
		{"png", picture(t, png.Encode), `<img src="data:image/png;base64,`},
		{"jpeg", picture(t, func(w io.Writer, i image.Image) error { return jpeg.Encode(w, i, nil) }), `<img src="data:image/jpeg;base64,`},
		{"over several lines", strings.ReplaceAll(picture(t, png.Encode), "A", "A\n"), `<img src="data:image/png;base64,`},
		{"gif", gif, ""},
		{"no base64", "<svg onload=x()>", ""},
		{"cut", picture(t, png.Encode)[:21], ""},
		{"another media type in front", "data:image/png;base64," + picture(t, png.Encode), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := viewOf(t, element.Element{Type: element.TypeImage, Metadata: element.Metadata{ImageBase64: c.encoded, ImageMimeType: "image/png"}})
			checkPage(t, got)
			if c.want == "" {
				require.NotContains(t, string(got), "<img")
				require.Contains(t, string(got), "Left out: a picture that is neither PNG nor JPEG.")
				return
			}
			require.Contains(t, string(got), c.want)
			require.NotContains(t, string(got), "Left out")
		})
	}
}

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		url   string
		shown bool
	}{
		{"http://example.com", true},
		{"HTTPS://example.com/a b", true},
		{"mailto:a@example.com", true},
		{"javascript:alert(1)", false},
		{"java\nscript:alert(1)", false},
		{" javascript:alert(1)", false},
		{"data:text/html,x", false},
		{"vbscript:x", false},
		{"file:///etc/passwd", false},
		{"//example.com", false},
		{"/a", false},
		{"#a", false},
		{"https:example.com", false},
		{"http://exa\x00mple.com", false},
		{"", false},
	} {
		t.Run(c.url, func(t *testing.T) {
			address, err := json.Marshal(c.url)
			require.NoError(t, err)
			var e element.Element
			require.NoError(t, json.Unmarshal(fmt.Appendf(nil,
				`{"type":"Title","metadata":{"links":[{"text":"x","url":%s}],"link_urls":[%[1]s],"link_texts":["x"]}}`, address), &e))
			got := viewOf(t, e)
			checkPage(t, got)
			require.Equal(t, c.shown, strings.Contains(string(got), `rel="noopener noreferrer nofollow"`))
			require.Equal(t, !c.shown, strings.Contains(string(got), "Left out: a link that is not http, https or mailto (2 times)."))
			require.LessOrEqual(t, strings.Count(string(got), "<li><a href=\"h"), 1, "once")
		})
	}
}

// However many types and pages there are, the page's head is bounded, and says what is not in it.
func TestViewIsBounded(t *testing.T) {
	var elements []element.Element
	for i := range 2500 {
		elements = append(elements, element.Element{
			Type: element.ElementType(fmt.Sprintf("Type%d", i%40)), Text: "x", Metadata: element.Metadata{PageNumber: i + 1},
		})
	}
	got := string(viewOf(t, elements...))
	require.Contains(t, got, "500 more not listed.")
	require.Equal(t, 25, strings.Count(got, `<input type="checkbox"`))
	require.Contains(t, got, `id="t24" checked> <bdi>other types</bdi>`)
	require.Equal(t, 2500, strings.Count(got, "<article"))
	require.Contains(t, got, "page 2500</h2>")
}

// A browser compares the style with the policy's hash.
func TestPolicyKnowsTheStyle(t *testing.T) {
	inBubble(t, func(t *testing.T, r *page.Run) {
		for _, data := range [][]byte{viewOf(t), reportOf(t, r)} {
			style := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindSubmatch(data)
			sum := sha256.Sum256(style[1])
			hash := strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;")
			require.Contains(t, string(data), "style-src &#39;sha256-"+hash+"&#39;")
		}
	})
}

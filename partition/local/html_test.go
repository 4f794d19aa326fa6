package local

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

func TestHTML(t *testing.T) {
	tests := []struct {
		name, html string
		want       []string
	}{
		{"headings", "<h1>One</h1><h3>Three <b>deep</b></h3>", []string{"Title: One", "Title: Three deep"}},
		{"paragraph", "<p>We  are\n here.</p>", []string{"NarrativeText: We are here."}},
		{"plain text never is a title", "<p>Some Words</p><div>1. One</div>", []string{"UncategorizedText: Some Words", "UncategorizedText: 1. One"}},
		{"one letter is nothing", "<p>x</p>", []string{}},
		{"bullet", "<p>• one</p>", []string{"ListItem: one"}},
		{"address, email", "<p>Doylestown, PA 18901</p><p>a@b.org</p>", []string{"Address: Doylestown, PA 18901", "EmailAddress: a@b.org"}},
		{"text between blocks", "We are <i>here</i><p>You are there</p>and they are gone", []string{
			"NarrativeText: We are here", "NarrativeText: You are there", "NarrativeText: and they are gone",
		}},
		{"line break is a space", "<p>We are<br>here</p>", []string{"NarrativeText: We are here"}},
		{"list", "<ul><li>one<li><p>two</p><ol><li>three</ol></ul>", []string{"ListItem: one", "ListItem: two", "ListItem: three"}},
		{"code", "<pre>\n  a\n    b\n</pre>", []string{"CodeSnippet:   a\n    b"}},
		{"image", `<img src="a.png" alt="A cat"><img alt="none"><img src="b.png">`, []string{"Image: A cat"}},
		{"removed", `<head><title>T</title></head><nav>n n</nav><form>f f</form><figure>g g</figure><dl><dt>d d</dl><script>s</script>` +
			`<style>s</style><template>t t</template><details>d d</details><!-- c c --><p>We are here</p>`, []string{"NarrativeText: We are here"}},
		{"table", "<table><tr><th>a<td>b</tr></table>", []string{"Table: a b"}},
		{"empty table", "<table><tr><td> </td></tr></table>", []string{}},
		{"nothing", "", []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, typesAndTexts(elementsOf(t, filePart{"a.html", "text/html", []byte(test.html)})))
		})
	}
}

func TestHTMLDepths(t *testing.T) {
	e := elementsOf(t, filePart{"a.html", "text/html", []byte("<h1>One</h1><h6>Six</h6><ul><li>a<ul><li>b</ul></ul><p>We are here</p>")})
	var depths []int
	for _, element := range e[:4] {
		depths = append(depths, *element.Metadata.CategoryDepth)
	}
	require.Equal(t, []int{0, 5, 1, 2}, depths)
	require.Nil(t, e[4].Metadata.CategoryDepth)
}

func TestHTMLTable(t *testing.T) {
	e := elementsOf(t, filePart{"a.html", "text/html", []byte(`<table class="x"><thead><tr><th colspan=2>A &amp; B</th></tr></thead>` +
		`<tr><td></td><td>one<br>two <b>three</b><table><tr><td>in</td><td>ner</td></tr></table></td></tr></table>`)})
	require.Len(t, e, 1)
	require.Equal(t, "<table><tr><td>A &amp; B</td></tr><tr><td/><td>one<br/>two three in ner</td></tr></table>", e[0].Metadata.TextAsHTML)
	require.Equal(t, "A & B one\ntwo three in ner", e[0].Text)
}

func TestHTMLLinksAndEmphasis(t *testing.T) {
	e := elementsOf(t, filePart{"a.html", "text/html", []byte(`<p>Gr&uuml;n are <b>bold</b> and <em> thin</em> <a href="/x"> links</a>, <a>none</a>.</p>` +
		`<a href="/y">begins<p>and ends here</p> elsewhere</a>`)})
	m := e[0].Metadata
	require.Equal(t, "Grün are bold and thin links, none.", e[0].Text)
	require.Equal(t, []string{"bold", "thin"}, m.EmphasizedTextContents)
	require.Equal(t, []string{"b", "i"}, m.EmphasizedTextTags)
	require.Equal(t, []string{"links"}, m.LinkTexts)
	require.Equal(t, []string{"/x"}, m.LinkURLs)
	require.Equal(t, []int{23}, m.LinkStartIndexes)
}

func TestHTMLImages(t *testing.T) {
	e := elementsOf(t, filePart{"a.html", "text/html", []byte(`<img src="a.png" alt="A"><img src="data:image/gif;base64,R0lG" alt="B">`)})
	require.Equal(t, "a.png", e[0].Metadata.ImageURL)
	require.Equal(t, "R0lG", e[1].Metadata.ImageBase64)
	require.Equal(t, "image/gif", e[1].Metadata.ImageMimeType)
}

func TestHTMLEncodingOfTheDocument(t *testing.T) {
	e := elementsOf(t, filePart{"a.html", "text/html", []byte("<meta charset=windows-1252><p>15 \x80 are due</p>")})
	require.Equal(t, "15 € are due", e[0].Text)
}

func TestDeepHTMLIsRefused(t *testing.T) {
	for _, deep := range []string{strings.Repeat("<div>", 100_000), strings.Repeat("<table><tr><td>", 50_000)} {
		status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"a.html", "text/html", []byte(deep)}))
		require.Equal(t, http.StatusUnprocessableEntity, status)
		require.Contains(t, body, `{"detail":"File is not a valid HTML document: `)
	}
}

func TestFormattingTagsAreMadePlain(t *testing.T) {
	for tag, want := range map[string]string{
		"<b>": "<b>", "<B CLASS=x>": "<b><span CLASS=x>", "</b>": "</b>", "</Strong >": "</b >", "<strong>": "<b>", "<em\n>": "<i><span\n>", "<i/>": "<i><span/>",
		"<font size=1>": "<span size=1>", "</font>": "</span>", "<code>": "<span>", "<s>": "<span>", "<br>": "<br>", "<base x>": "<base x>", "<a b>": "<a b>",
	} {
		require.Equal(t, want, formattingTag.ReplaceAllStringFunc(tag, plainFormatting))
	}
}

// Formatting that is never closed does not multiply a page's nodes.
func TestOpenFormattingTakesMemoryWithThePage(t *testing.T) {
	for _, tag := range []string{"b", "i", "strong", "em", "font", "code", "small", "u"} {
		var page strings.Builder
		for i := range 400 {
			fmt.Fprintf(&page, "<%s a%d>", tag, i%200)
		}
		text := "<div>" + page.String()[:page.Len()/2] + "</div>" + strings.Repeat("<div>x</div>", 10_000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := htmlElements(t.Context(), text, ignore)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(60<<20), tag)
	}
}

func TestNestedEmphasisRepeatsATextSixteenTimes(t *testing.T) {
	e := elementsOf(t, filePart{"a.html", "text/html", []byte(strings.Repeat("<b>", 400) + "We are here" + strings.Repeat("</b>", 400) + "<p><i>and there</i></p>")})
	require.Len(t, e[0].Metadata.EmphasizedTextContents, maxOpenMarks)
	require.Equal(t, []string{"and there"}, e[1].Metadata.EmphasizedTextContents)
}

func TestMarkdown(t *testing.T) {
	const text = "# One\n\nWe *are* here.\n\n- a b\n- c d\n\n  | x | y |\n|---|---|\n| 1 | 2 |\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc  f()\n```\n"
	e := elementsOf(t, filePart{"a.md", "", []byte(text)})
	require.Equal(t, element.TypeTitle, e[0].Type)
	require.Equal(t, "text/markdown", e[0].Metadata.Filetype)
	got := typesAndTexts(e)
	require.Subset(t, got, []string{"Title: One", "NarrativeText: We are here.", "ListItem: a b", "Table: x y 1 2", "CodeSnippet: func  f()"})
	require.Equal(t, []string{"are"}, e[1].Metadata.EmphasizedTextContents)
}

func TestMarkdownThatNestsDeeply(t *testing.T) {
	for _, text := range []string{strings.Repeat(">", 10_000) + "x", strings.Repeat("[", 10_000), strings.Repeat("*a ", 10_000)} {
		status, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"a.md", "text/markdown", []byte(text)}))
		require.NotContains(t, body, "Internal Server Error", "%d", status)
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("<p>a<b>b<table><tr><td>c<p>d</table><a href=x>e<li>f")
	f.Fuzz(func(t *testing.T, text string) {
		_, body := answerOf(sharedEngine(), multipartRequest(t, nil, filePart{"a.html", "text/html", []byte(text)}))
		require.NotContains(t, body, "Internal Server Error")
	})
}

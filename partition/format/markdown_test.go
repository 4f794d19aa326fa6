package format

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	"github.com/quire-dev/quire/partition/element"
)

func TestMarkdownLists(t *testing.T) {
	depth := func(d int) *int { return &d }
	item := func(id string, d *int, parent string, page int) element.Element {
		return element.Element{
			Type: element.TypeListItem, ID: id, Text: id,
			Metadata: element.Metadata{CategoryDepth: d, ParentID: parent, PageNumber: page},
		}
	}
	paragraph := element.Element{Type: element.TypeNarrativeText, Text: "p"}
	for name, test := range map[string]struct {
		elements []element.Element
		want     string
	}{
		"depths from 0": {
			[]element.Element{item("a", depth(0), "", 0), item("b", depth(1), "", 0), item("c", depth(0), "", 0)}, "- a\n  - b\n- c\n",
		},
		"depths from 1, the first one deep": {
			[]element.Element{item("a", depth(3), "", 0), item("b", depth(1), "", 0), item("c", depth(2), "", 0)}, "- a\n- b\n  - c\n",
		},
		"no depths": {
			[]element.Element{item("a", nil, "", 0), item("b", nil, "", 0)}, "- a\n- b\n",
		},
		"by the parents": {
			[]element.Element{
				item("a", nil, "title", 0), item("b", nil, "a", 0), item("c", nil, "b", 0), item("d", nil, "a", 0), item("e", nil, "gone", 0),
			}, "- a\n  - b\n    - c\n  - d\n- e\n",
		},
		"two lists": {
			[]element.Element{item("a", depth(0), "", 0), paragraph, item("b", depth(1), "", 0)}, "- a\n\np\n\n- b\n",
		},
		"over pages": {
			[]element.Element{
				item("a", depth(0), "", 1), item("b", depth(1), "", 2), item("c", depth(2), "", 3), item("d", depth(0), "", 4), paragraph,
			}, "- a\n  <!-- page 2 -->\n  - b\n    <!-- page 3 -->\n    - c\n\n<!-- page 4 -->\n\n- d\n\np\n",
		},
		"the first page is another": {
			[]element.Element{item("a", depth(1), "", 7)}, "<!-- page 7 -->\n\n- a\n",
		},
		"an item without text": {
			[]element.Element{item("a", depth(0), "", 1), item("", depth(1), "", 2), item("b", depth(1), "", 2)},
			"- a\n  <!-- page 2 -->\n  - b\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := formatted(t, "markdown", Options{}, test.elements...)
			require.Equal(t, test.want, got)
		})
	}
	var deep []element.Element
	for d := range 40 {
		deep = append(deep, item("x", depth(d), "", 0))
	}
	got, _ := formatted(t, "markdown", Options{}, deep...)
	require.Contains(t, got, "\n"+strings.Repeat("  ", deepestItem)+"- x\n")
	require.NotContains(t, got, strings.Repeat("  ", deepestItem+1))
}

func TestMarkdownTables(t *testing.T) {
	for name, test := range map[string]struct{ html, want string }{
		"no HTML":      {"just a < b", ""},
		"no table":     {"<p>a</p>", ""},
		"an empty one": {"<table><tr><td> </td></tr></table>", ""},
		"no rows":      {"<table></table>", ""},
		"header only":  {"<table><thead><tr><th>a</th><th>b</th></tr></thead></table>", "| a | b |\n| --- | --- |"},
		"ragged":       {"<table><tr><td>a<tr><td>b<td>c</table>", "| a |  |\n| --- | --- |\n| b | c |"},
		"empty row":    {"<table><tr><td>a<tr><tr><td>b</table>", "| a |\n| --- |\n| b |"},
		"colspan":      {"<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e</table>", "| a |  | b |\n| --- | --- | --- |\n| c | d | e |"},
		"rowspan":      {"<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e</table>", "| a | b |\n| --- | --- |\n|  | c |\n| d | e |"},
		"both":         {"<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c</table>", "| a |  | b |\n| --- | --- | --- |\n|  |  | c |"},
		"spans to the end of a section": {
			"<table><thead><tr><td rowspan=0>a<td>b<tbody><tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |",
		},
		"columns in which nothing begins": {"<table><tr><td colspan=1000>a<tr><td>b<td>c</table>", "| a |  |\n| --- | --- |\n| b | c |"},
		"spans that are no numbers":       {"<table><tr><td colspan=x rowspan=-1>a<td colspan=0>b</table>", "| a | b |\n| --- | --- |"},
		"text around": {
			"before <b>it</b><table><caption>of *it*</caption><tr><td>a</table>after", "before it of \\*it\\*\n\n| a |\n| --- |\n\nafter",
		},
		"two tables": {"<table><tr><td>a</table><table><tr><td>b</table>", "| a |\n| --- |\n\n| b |\n| --- |"},
		"in a cell":  {"<table><tr><td>a<table><tr><td>b<td>c</table>d</table>", "| a b c d |\n| --- |"},
		"blocks":     {"<table><tr><td><p>a</p><ul><li>b<li>c</ul>d<br>e<i>f</i></table>", "| a b c d ef |\n| --- |"},
		"an image":   {`<table><tr><td><img src="http://x/y" alt="a [b]"></table>`, "| a \\[b] |\n| --- |"},
		"no scripts": {"<table><tr><td>a<script>b</script><style>c</style></table>", "| a |\n| --- |"},
		"pipes":      {`<table><tr><td>a|b\|c</table>`, `| a\|b\\\|c |` + "\n| --- |"},
		"too many":   {"<table>" + strings.Repeat("<tr><td colspan=1000>a", mostCells/1000+1) + "</table>", ""},
		"too wide": {
			"<table><tr>" + strings.Repeat("<td colspan=1000>a", 600) + strings.Repeat("<tr><td>b", 600) + "</table>", "",
		},
		"too deep": {strings.Repeat("<div>", 2000) + "<table><tr><td>a</table>", ""},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, markdownTables(test.html)) })
	}
}

// FuzzMarkdown holds that a text is never markup, wherever it is, and that all of it comes out.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"", "a", "# a", "a\n===", "a\n---", "- a", "+ a", "* a", "1. a", "1) a", "> a", "    a", "\ta", "```\na\n```", "~~~\na", "***", "_ _ _",
		"[a](b)", "![a](b)", "[a]: b\n\n[a]", "[^1]", "<b>a</b>", "<!-- a", "<a@b.c>", "<http://a>", "&lt;b&gt;", "&#60;", "&",
		`\`, `\<b>`, "a\\\nb",
		"*a*", "_a_", "__a__", "a_b_c", "~a~", "`a`", "a | b\n--|--", "|a|\n|-|", ":-", "a\n: b", "http://a.b", "ftp://a.b/c", "www.a.b",
		"WWW.a.b", "a@b.c", "a@b@c.d", "mailto:a@b.c", "a\x00b", "\x1b[1m", "\xff", "a\r\nb\rc", "a\u2028# b", "a\v# b", "a\f# b", "a\u0085# b",
		"\ufeff# a",
		"\u00a0# a", "# a #", "a  \nb", "---\na: b\n---", "+++", "- [ ] a", "[x] a", "1\\. a", "$a$", "a |", "\u200b# a",
		"00000000000. a", "\u3000- a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		words = words[:min(len(words), 4096)]
		plain := strings.Fields(plainLines(words))
		for _, kind := range []struct {
			element element.Element
			nodes   string // that may be there beside texts
		}{
			{element.Element{Type: element.TypeNarrativeText, Text: words}, "Document Paragraph"},
			{element.Element{Type: element.TypeTitle, Text: words}, "Document Heading"},
			{element.Element{Type: element.TypeListItem, Text: words}, "Document List ListItem TextBlock"},
			{
				element.Element{Type: element.TypeTable, Text: words, Metadata: element.Metadata{
					TextAsHTML: "<table><tr><td>1<td>" + html.EscapeString(words) + "<tr><td>2</table>",
				}},
				"Document Table TableHeader TableRow TableCell",
			},
			{element.Element{Type: element.TypeCodeSnippet, Text: words}, "Document FencedCodeBlock"},
		} {
			source, _ := formatted(t, "markdown", Options{}, kind.element, element.Element{Type: element.TypeTitle, Text: "End"})
			parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.DefinitionList, extension.Footnote))
			document := parser.Parser().Parse(text.NewReader([]byte(source)))
			end := document.LastChild()
			require.Equal(t, "Heading", end.Kind().String(), "%q", source)
			document.RemoveChild(document, end)
			allowed := map[string]bool{"Text": true}
			for name := range strings.FieldsSeq(kind.nodes) {
				allowed[name] = true
			}
			require.NoError(t, ast.Walk(document, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
				require.True(t, allowed[n.Kind().String()], "%s in %q", n.Kind(), source)
				return ast.WalkContinue, nil
			}))
			if kind.element.Type == element.TypeTable {
				continue // HTML does not keep every character
			}
			var rendered bytes.Buffer
			require.NoError(t, parser.Renderer().Render(&rendered, []byte(source), document))
			page, err := html.Parse(&rendered)
			require.NoError(t, err)
			require.Equal(t, plain, strings.Fields(cellText(page)), "%q", source)
		}
	})
}

// FuzzMarkdownTables holds that of any HTML nothing but tables and paragraphs of plain text comes
// out, of bounded size.
func FuzzMarkdownTables(f *testing.F) {
	for _, seed := range []string{
		"<table><tr><td>a<td>b<tr><td>c</table>", "<table><tr><td colspan=9 rowspan=0>a<tr><td>b</table>", "a<table>b<tr>c<td>d</table>e",
		"<table><caption># a</caption><tr><td>|<td>\\|<td>`|`</table>", "<table><tr><td><a href=x>[y](z)</a><img alt='![a](b)'></table>",
		"<table><tr><td>&lt;b>&amp;lt;</table>", "<p># a<table><tr><td>a\\</table>- b", "<table><tr><td>---<tr><td>:-:</table>",
	} {
		f.Add(seed)
	}
	allowed := []string{"Document", "Paragraph", "Table", "TableHeader", "TableRow", "TableCell", "Text"}
	f.Fuzz(func(t *testing.T, source string) {
		table := markdownTables(source)
		require.LessOrEqual(t, len(table), 10*mostCells+16*len(source))
		document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(table)))
		require.NoError(t, ast.Walk(document, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			require.Contains(t, allowed, n.Kind().String(), "%q", table)
			return ast.WalkContinue, nil
		}))
	})
}

// FuzzMarkdownLinks holds that links change nothing of the words, that they lead where the API says,
// and that nothing but links comes of them: no image, no script.
func FuzzMarkdownLinks(f *testing.F) {
	for _, seed := range [][3]string{
		{"See the tables! here", "the tables", "https://a.b/c?d=1&copy;=2"},
		{"wow! [a](b)", "[a](b)", "http://x/y(z"},
		{"a]b", "a]b", "https://e"},
		{"^1 x", "^1", "https://e"},
		{"x", "x", "javascript:alert(1)"},
		{"# a", "# a", "mailto:a@b.c"},
		{"a\nb", "a\nb", "https://e"},
		{"!x", "x", "https://e/<>\\"},
		{"a_b_c", "_b_", "https://e"},
		{"[x] a", "x", "https://e"},
		{"\ufdd0a\ufdd1", "a", "https://e"},
		{"a", "a", "https:"},
		{`a\`, `\`, "https://e"},
		{"a a a", "a", "https://e/ x"},
		{"www.a.b", "a.b", "https://e"},
		{"x", "", "https://e"},
		{"- a", "-", "https://e"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, words, linked, destination string) {
		words, linked = words[:min(len(words), 1024)], linked[:min(len(linked), 1024)]
		for _, kind := range []element.ElementType{element.TypeNarrativeText, element.TypeTitle, element.TypeListItem} {
			e := element.Element{Type: kind, Text: words, Metadata: element.Metadata{
				LinkTexts: []string{linked, linked}, LinkURLs: []string{destination, "https://second.example/"}, LinkStartIndexes: []int{1},
			}}
			source, _ := formatted(t, "markdown", Options{}, e, element.Element{Type: element.TypeTitle, Text: "End"})
			parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.DefinitionList, extension.Footnote))
			document := parser.Parser().Parse(text.NewReader([]byte(source)))
			require.Equal(t, "Heading", document.LastChild().Kind().String(), "%q", source)
			document.RemoveChild(document, document.LastChild())
			require.NoError(t, ast.Walk(document, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
				require.Contains(t, []string{"Document", "Paragraph", "Heading", "List", "ListItem", "TextBlock", "Text", "Link"}, n.Kind().String(), "%q", source)
				if link, is := n.(*ast.Link); is {
					require.Regexp(t, `^(?i:https?|mailto):`, string(link.Destination), "%q", source)
				}
				return ast.WalkContinue, nil
			}))
			var rendered bytes.Buffer
			require.NoError(t, parser.Renderer().Render(&rendered, []byte(source), document))
			page, err := html.Parse(&rendered)
			require.NoError(t, err)
			plain := strings.NewReplacer("\ufdd0", "\ufffd", "\ufdd1", "\ufffd").Replace(plainLines(words))
			require.Equal(t, strings.Fields(plain), strings.Fields(wordsOf(page)), "%q", source)
		}
	})
}

// wordsOf are the texts of a page, one directly after the other.
func wordsOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var all strings.Builder
	for child := range n.ChildNodes() {
		all.WriteString(wordsOf(child))
	}
	return all.String()
}

func TestMarkdownLinks(t *testing.T) {
	for name, test := range map[string]struct {
		text        string
		texts, urls []string
		indexes     []int
		want        string
	}{
		"by the index":             {"a tide and a tide", []string{"tide"}, []string{"https://t.example/?a=1&b=2"}, []int{13}, "a tide and a [tide](<https://t.example/?a=1\\&b=2>)\n"},
		"in characters":            {"é ü tide", []string{"tide"}, []string{"https://t.example"}, []int{4}, "é ü [tide](<https://t.example>)\n"},
		"a wrong index":            {"a tide", []string{"tide"}, []string{"https://t.example"}, []int{-1}, "a [tide](<https://t.example>)\n"},
		"without index":            {"tide, tide", []string{"tide", "tide"}, []string{"https://a.example", "https://b.example"}, nil, "[tide](<https://a.example>), [tide](<https://b.example>)\n"},
		"a place in the file":      {"see 2", []string{"2"}, []string{"figure.2"}, []int{4}, "see 2\n"},
		"a script":                 {"see 2", []string{"2"}, []string{"javascript:alert(1)"}, []int{4}, "see 2\n"},
		"a text that is not there": {"see 2", []string{"3"}, []string{"https://t.example"}, []int{4}, "see 2\n"},
		"more texts than URLs":     {"see 2", []string{"see", "2"}, []string{"https://t.example"}, nil, "[see](<https://t.example>) 2\n"},
		"no image":                 {"see!2", []string{"2"}, []string{"https://t.example"}, nil, "see\\![2](<https://t.example>)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := formatted(t, "markdown", Options{}, element.Element{Type: element.TypeNarrativeText, Text: test.text, Metadata: element.Metadata{
				LinkTexts: test.texts, LinkURLs: test.urls, LinkStartIndexes: test.indexes,
			}})
			require.Equal(t, test.want, got)
		})
	}
}

func TestMarkdownImages(t *testing.T) {
	image := element.Element{Type: element.TypeImage, Text: "a *wave*", Metadata: element.Metadata{ImageBase64: "AAEC"}}
	stored := func(name string, _ []byte) (string, error) { return "a <b>/" + name, nil }
	got, _ := formatted(t, "markdown", Options{Images: stored}, image)
	require.Equal(t, "![](<a \\<b\\>/1-Image.bin>)\n\na \\*wave\\*\n", got)
	got, _ = formatted(t, "markdown", Options{}, image)
	require.Equal(t, "a \\*wave\\*\n", got)
}

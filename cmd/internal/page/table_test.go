package page

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func TestCleanTable(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"as the API writes it", "<table><tr><td>a</td><td>b &amp; c</td></tr></table>", "<table><tbody><tr><td>a</td><td>b &amp; c</td></tr></tbody></table>"},
		{
			"everything that is allowed",
			`<table><caption>c</caption><colgroup><col span=2></colgroup><thead><tr><th colspan="2">h</th></tr></thead>` +
				`<tbody><tr><td rowspan=3>a<br>b</td></tr></tbody><tfoot><tr><td>f</td></tr></tfoot></table>`,
			`<table><caption>c</caption><colgroup><col></colgroup><thead><tr><th colspan="2">h</th></tr></thead>` +
				`<tbody><tr><td rowspan="3">a<br>b</td></tr></tbody><tfoot><tr><td>f</td></tr></tfoot></table>`,
		},
		{"spans that are none", `<table><tr><td colspan="0" rowspan="-1">a<td colspan=1e9>b<td colspan="2 onclick">c<td colspan=1000>d<td colspan=1001>e`, `<table><tbody><tr><td>a</td><td>b</td><td>c</td><td colspan="1000">d</td><td>e</td></tr></tbody></table>`},
		{"attributes", `<table id=x class=y style=z border=1><tr><td onclick=a() width=3 bgcolor=red>a`, "<table><tbody><tr><td>a</td></tr></tbody></table>"},
		{"other elements", `<table><tr><td><b>bold</b> <a href="x">link</a><p>one</p><p>two</p></td></tr></table>`, "<table><tbody><tr><td>bold linkone two</td></tr></tbody></table>"},
		{"what is not for people", `<table><tr><td>a<script>s</script><style>t</style><iframe>i</iframe><svg><title>v</title></svg><!-- c --></td></tr></table>`, "<table><tbody><tr><td>a</td></tr></tbody></table>"},
		{"a table in a table", "<table><tr><td><table><tr><td>a</table></table>", "<table><tbody><tr><td><table><tbody><tr><td>a</td></tr></tbody></table></td></tr></tbody></table>"},
		{"text around it", "before <table><tr><td>a</table> after", "before <table><tbody><tr><td>a</td></tr></tbody></table> after"},
		{"no table", "<p>text</p>", ""},
		{"nothing", "", ""},
		{"escapes", "<table><tr><td>&lt;script&gt; \"' &#0; x</table>", "<table><tbody><tr><td>&lt;script&gt; &#34;&#39; � x</td></tr></tbody></table>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := cleanTable(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
	_, err := cleanTable(strings.Repeat("<table><tr><td>", 600))
	require.ErrorContains(t, err, "exceeds 512")
	_, err = cleanTable(strings.Repeat(" ", maxTableBytes+1))
	require.ErrorIs(t, err, errTableTooLarge)
}

// FuzzCleanTable holds that what comes out is read as nothing but the elements and attributes of
// the allow-list.
func FuzzCleanTable(f *testing.F) {
	for _, seed := range []string{
		`<table><tr><td colspan=2 onclick=x>a<td rowspan="3">b</table>`,
		`<table><tr><td><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
		`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>"></table><table>`,
		`<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)><table>`,
		`<table><caption><b><table><i></caption><select><td><plaintext></table>`,
		`<template><table><td></template><table><col span=2><colgroup><col></table><xmp></table>`,
		`<table><tr><td><noscript><p title="</noscript><img src=x onerror=alert(1)>"><!--><script>--></table>`,
		"<table>\x00<tr\x00><td \x00colspan=2>&#0;&#x3c;script></table><frameset><body onload=x>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got, err := cleanTable(source)
		if err != nil {
			return
		}
		body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
		nodes, err := html.ParseFragment(strings.NewReader(string(got)), body)
		require.NoError(t, err)
		for _, root := range nodes {
			checkNode(t, root)
			for n := range root.Descendants() {
				checkNode(t, n)
			}
		}
	})
}

func checkNode(t *testing.T, n *html.Node) {
	t.Helper()
	switch n.Type {
	case html.TextNode:
	case html.ElementNode:
		require.Empty(t, n.Namespace)
		require.True(t, slices.Contains(tableTags(), n.DataAtom), n.Data)
		for _, a := range n.Attr {
			require.Contains(t, []string{"colspan", "rowspan"}, a.Key)
			width, err := strconv.Atoi(a.Val)
			require.NoError(t, err)
			require.True(t, width >= 1 && width <= maxSpan)
		}
	default:
		t.Fatalf("a node of type %d: %s", n.Type, n.Data)
	}
}

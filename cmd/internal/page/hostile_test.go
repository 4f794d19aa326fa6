package page_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/retry"
)

// attack is what each hostile text tries to run: where it runs, the page has the attribute
// data-owned, and asks for evil.example/ran.
const attack = "document.documentElement.setAttribute(`data-owned`,1);new Image().src=`http://evil.example/ran`"

// hostile are texts that would run attack, or ask for something of evil.example, were they taken
// for more than texts.
func hostile() map[string]string {
	svg := `<svg xmlns="http://www.w3.org/2000/svg" onload="` + attack + `"><script>` + attack + `</script></svg>`
	page := `<script>` + attack + `</script>`
	texts := map[string]string{
		"script":          page,
		"script source":   `<script src="http://evil.example/script"></script>`,
		"event handler":   `<img src="x" onerror="` + attack + `">`,
		"remote image":    `<img src="http://evil.example/image"><img srcset="http://evil.example/srcset 2x">`,
		"javascript":      `<a href="javascript:` + attack + `" autofocus onfocus="` + attack + `">x</a>`,
		"javascript URL":  `javascript:` + attack,
		"JavaScript case": "\x01 JaVa\tScript:" + attack,
		"vbscript":        `vbscript:msgbox`,
		"data page":       `data:text/html,` + page,
		"data page 64":    `data:text/html;base64,` + base64.StdEncoding.EncodeToString([]byte(page)),
		"svg":             svg,
		"svg animation":   `<svg><animate onbegin="` + attack + `" attributeName="x" dur="1s"></svg>`,
		"svg use":         `<svg><use href="http://evil.example/use#x"/><image href="http://evil.example/svg"/></svg>`,
		"math":            `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=` + attack + `&gt;">`,
		"style":           `<style>@import "http://evil.example/style"; body{background:url(http://evil.example/background)}</style>`,
		"style attribute": `<p style="background:url(http://evil.example/attribute)">x</p>`,
		"stylesheet":      `<link rel="stylesheet" href="http://evil.example/sheet"><link rel="prefetch" href="http://evil.example/prefetch">`,
		"refresh":         `<meta http-equiv="refresh" content="0;url=http://evil.example/refresh">`,
		"iframe":          `<iframe src="http://evil.example/iframe"></iframe><iframe srcdoc="<script>parent.` + attack + `</script>"></iframe>`,
		"object":          `<object data="http://evil.example/object"></object><embed src="http://evil.example/embed">`,
		"base":            `<base href="http://evil.example/">`,
		"form":            `<form action="http://evil.example/form"><input autofocus onfocus="` + attack + `"></form>`,
		"media":           `<video autoplay src="http://evil.example/video" onerror="` + attack + `"></video><audio src="http://evil.example/audio"></audio>`,
		"details":         `<details open ontoggle="` + attack + `">x</details>`,
		"marquee":         `<marquee onstart="` + attack + `">x</marquee>`,
		"end of style":    `</style>` + page,
		"end of title":    `</title>` + page,
		"end of textarea": `</textarea>` + page,
		"end of script":   `</script>` + page,
		"end of page":     `</body></html>` + page,
		"comment":         `<!--` + `--!>` + page + `<!-- `,
		"CDATA":           `<![CDATA[` + page + `]]>`,
		"attribute":       `"><img src=x onerror=` + attack + `>`,
		"quote":           `' onmouseover='` + attack + `' autofocus onfocus='` + attack,
		"template":        `{{.}}{{template "head"}}<template><script>` + attack + `</script></template>`,
		"noscript":        `<noscript><p title="</noscript><img src=x onerror=` + attack + `>">`,
		"table":           `<table background="http://evil.example/table"><tr><td onclick="` + attack + `" style="background:url(http://evil.example/cell)">x`,
		"unicode":         "\u202e\u2066<script\u2028>" + attack + "\uff1cscript\uff1e\x00<\x00script>\xff\xc0\xbcscript\xc0\xbe",
		"protocol":        `//evil.example/protocol`,
		"svg data":        `data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(svg)),
		"svg as image":    base64.StdEncoding.EncodeToString([]byte(svg)),
		"page as image":   base64.StdEncoding.EncodeToString([]byte("<!DOCTYPE html>" + page)),
	}
	var all []string
	for _, name := range sorted(texts) {
		all = append(all, texts[name])
	}
	texts["all"] = strings.Join(all, "\n")
	return texts
}

func sorted(texts map[string]string) []string {
	var names []string
	for name := range texts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// hostileView is a page of elements that have the text in every field.
func hostileView(t *testing.T, text string) []byte {
	t.Helper()
	m := element.Metadata{
		Filename: text, PageName: text, Filetype: text, TextAsHTML: "<table><caption>" + text + "</caption><tr><td>" + text + "</table>" + text,
		LinkURLs: []string{text, "http://evil.example/" + text, "https:" + text, "mailto:" + text}, LinkTexts: []string{text, text, text, text},
		URL: text, ImageBase64: text, ImageMimeType: text, ImageURL: text, ParentID: text,
	}
	other := m
	other.TextAsHTML, other.PageNumber, other.ImageBase64 = text, 2, "data:image/png;base64,"+text
	body := &bytes.Buffer{}
	v := page.NewView(text, body)
	source, err := json.Marshal(text)
	require.NoError(t, err)
	var sourced element.Element
	require.NoError(t, json.Unmarshal([]byte(`{"type":"Title","text":"x","source":{"path":`+string(source)+
		`},"metadata":{"links":[{"text":`+string(source)+`,"url":`+string(source)+`}]}}`), &sourced))
	for _, e := range []element.Element{
		{Type: element.ElementType(text), ID: text, Text: text, Metadata: m},
		{Type: element.TypeTable, ID: text, Text: text, Metadata: other},
		{Type: element.TypeCodeSnippet, Text: text},
		sourced,
	} {
		require.NoError(t, v.Element(e))
	}
	var out bytes.Buffer
	require.NoError(t, v.Write(&out, func(w io.Writer) error {
		_, err := body.WriteTo(w)
		return err
	}))
	return out.Bytes()
}

// hostileRun is the report of a run with the text in every field.
func hostileRun(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		r := page.NewRun(text, text, time.Now())
		r.Observe(partition.Event{Kind: partition.DocumentStart, Document: text})
		for _, kind := range []retry.EventKind{
			retry.EventAttempt, retry.EventAnswer, retry.EventClosed, retry.EventSleep, retry.EventOpened, retry.EventAttempt, retry.EventAnswer,
			retry.EventStop,
		} {
			r.Observe(partition.Event{Kind: partition.AttemptEvent, Document: text, Attempt: retry.Event{
				Kind: kind, Status: 503, Error: retry.Kind(text), Rule: text, Stop: retry.Stop(text), Err: errors.New(text),
			}})
			time.Sleep(time.Second)
		}
		r.Observe(partition.Event{Kind: partition.DocumentEnd, Document: text, Err: errors.New(text)})
		r.Document(page.Outcome{
			Name: text, State: outcome.Failed, Kind: partition.Kind(text), Err: text, Missing: 1, MissingPages: []string{text},
		})
		require.NoError(t, r.Write(&out, []page.Total{{Name: text, Value: text}}))
	})
	return out.Bytes()
}

// Both pages hold only elements and attributes that they are known to have, whatever the texts are.
func TestHostileTextsStayTexts(t *testing.T) {
	texts := hostile()
	for _, name := range sorted(texts) {
		t.Run(name, func(t *testing.T) {
			checkPage(t, hostileView(t, texts[name]))
			checkPage(t, hostileRun(t, texts[name]))
		})
	}
}

// pageAttributes are the elements of the pages, with their attributes; of every element dir, class
// and id.
func pageAttributes() map[string][]string {
	return map[string][]string{
		"html": {"lang"}, "head": nil, "meta": {"charset", "name", "content", "http-equiv"}, "title": nil, "style": nil, "body": nil, "main": nil,
		"h1": nil, "h2": nil, "p": nil, "nav": {"aria-label"}, "div": nil, "span": nil, "bdi": nil, "label": nil, "section": nil, "article": nil,
		"input": {"type", "checked"}, "ol": nil, "ul": nil, "li": nil, "a": {"href", "rel"}, "img": {"src", "alt"}, "details": {"open"},
		"summary": nil, "dl": nil, "dt": nil, "dd": nil, "svg": {"role", "aria-label"}, "rect": {"x", "y", "width", "height"},
		"table": nil, "caption": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"colspan", "rowspan"}, "td": {"colspan", "rowspan"}, "br": nil,
	}
}

func checkPage(t *testing.T, data []byte) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(data))
	require.NoError(t, err)
	allowed := pageAttributes()
	count := map[string]int{}
	for n := range root.Descendants() {
		require.NotEqual(t, html.CommentNode, n.Type, n.Data)
		if n.Type != html.ElementNode {
			continue
		}
		attributes, known := allowed[n.Data]
		require.True(t, known || n.Data == "title", "element %s", n.Data)
		if n.Namespace == "" {
			count[n.Data]++
		}
		values := map[string]string{}
		for _, a := range n.Attr {
			values[a.Key] = a.Val
			require.Contains(t, append([]string{"dir", "class", "id"}, attributes...), a.Key, "attribute of %s", n.Data)
		}
		switch n.Data {
		case "a":
			require.Regexp(t, `(?i)^(#[sd][0-9]+$|https?://|mailto:)`, values["href"])
			if !strings.HasPrefix(values["href"], "#") {
				require.Equal(t, "noopener noreferrer nofollow", values["rel"])
			}
		case "img":
			require.Regexp(t, `^data:image/(png|jpeg);base64,[A-Za-z0-9+/=]+$`, values["src"])
		case "meta":
			require.NotEqual(t, "refresh", strings.ToLower(values["http-equiv"]))
		case "td", "th":
			for _, key := range []string{"colspan", "rowspan"} {
				if value, has := values[key]; has {
					width, err := strconv.Atoi(value)
					require.NoError(t, err)
					require.True(t, width >= 1 && width <= 1000, fmt.Sprint(width))
				}
			}
		}
	}
	for _, once := range []string{"html", "head", "body", "main", "title", "style", "h1"} {
		require.Equal(t, 1, count[once], once)
	}
}

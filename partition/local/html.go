package local

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/quire-dev/quire/partition/element"
)

// readHTML gives the blocks of a page of HTML. The encoding is the request's, else the byte order
// mark's or the document's own.
func readHTML(ctx context.Context, _ *Engine, d *document) error {
	name := d.request.encoding
	if name == "" {
		data, err := d.bytes()
		if err != nil {
			return err
		}
		name = declaredEncoding(data)
	}
	content, err := d.text(name)
	if err != nil {
		return err
	}
	return htmlElements(ctx, content, d.add)
}

// declaredEncoding is the encoding that a document says in its first bytes, else UTF-8.
func declaredEncoding(data []byte) string {
	const guess = "\u00e9." // what is looked at has no letter but this, so that a guess is UTF-8
	head := bytes.Map(func(c rune) rune {
		if c >= utf8.RuneSelf {
			return '?'
		}
		return c
	}, data[:min(len(data), 1024-len(guess))])
	_, name, _ := charset.DetermineEncoding(append(head, guess...), "")
	return name
}

// htmlElements gives the blocks of a page to add. A page whose nodes would take too much memory is
// refused.
func htmlElements(ctx context.Context, content string, add func(element.Element) error) error {
	if strings.Count(content, "<")*nodeBytes/2 > maxTree { // even if half of it is end tags
		return heavyHTML()
	}
	content = formattingTag.ReplaceAllStringFunc(content, plainFormatting)
	if err := weighHTML(content); err != nil {
		return err
	}
	root, err := html.Parse(&stoppedReader{ctx, strings.NewReader(content)}) // refuses to nest deeper than 512
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &failure{status: http.StatusUnprocessableEntity, detail: "File is not a valid HTML document: " + err.Error()}
	}
	walk := &htmlWalk{ctx: ctx, give: add}
	walk.children(root)
	walk.flush()
	if walk.err != nil {
		return walk.err
	}
	return context.Cause(ctx)
}

var formattingTag = regexp.MustCompile(`(?i)</?(?:b|big|code|em|font|i|s|small|strike|strong|tt|u)[\s/>]`)

// plainFormatting writes a formatting tag as one of b, i and span, and puts the attributes of a
// bold or italic one into a span inside. A parser of HTML opens every formatting element that was
// never closed again in each of the blocks that follow, unless it is the fourth of the same kind:
// hundreds of kinds would make gigabytes of nodes out of a small page.
func plainFormatting(tag string) string {
	name, after := strings.ToLower(strings.Trim(tag[:len(tag)-1], "</")), tag[len(tag)-1:]
	switch name {
	case "b", "strong":
		name = "b"
	case "i", "em":
		name = "i"
	default:
		name = "span"
	}
	switch {
	case tag[1] == '/':
		return "</" + name + after
	case after == ">" || name == "span":
		return "<" + name + after
	}
	return "<" + name + "><span" + after
}

// A stoppedReader ends with its context.
type stoppedReader struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppedReader) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}

// An htmlWalk gives elements on its way through a document: text and inline nodes fill a paragraph,
// a block node ends it.
type htmlWalk struct {
	ctx   context.Context
	give  func(element.Element) error
	para  paragraph
	kind  element.ElementType // of the paragraph, empty where the text decides
	depth int                 // category depth of what has a kind
	lists int                 // lists around
	nodes int
	err   error // ends the walk
}

// removed are the nodes that the API drops with everything in them.
var removed = nodeSet(atom.Head, atom.Nav, atom.Form, atom.Input, atom.Figure, atom.Dl, atom.Dd, atom.Dt, atom.Details, atom.Summary,
	atom.Template, atom.Hr, atom.Script, atom.Style, atom.Noscript, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Select,
	atom.Button, atom.Textarea, atom.Map)

// inline are the nodes that stand inside a paragraph; every other one begins another.
var inline = nodeSet(atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Br, atom.Cite, atom.Code, atom.Data,
	atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.Rp, atom.Rt, atom.Ruby,
	atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var,
	atom.Wbr)

var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

func nodeSet(atoms ...atom.Atom) map[atom.Atom]bool {
	set := map[atom.Atom]bool{}
	for _, a := range atoms {
		set[a] = true
	}
	return set
}

func (w *htmlWalk) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if w.nodes++; w.err != nil || w.nodes%checkEvery == 0 && w.ctx.Err() != nil {
			return
		}
		w.node(child)
	}
}

func (w *htmlWalk) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.para.write(n.Data)
	case n.Type != html.ElementNode || removed[n.DataAtom]:
	case n.DataAtom == atom.Br:
		w.para.write("\n")
	case inline[n.DataAtom]:
		end := w.para.begin(n)
		w.children(n)
		end()
	default:
		w.flush()
		w.block(n)
		w.flush()
	}
}

func (w *htmlWalk) block(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.within(n, element.TypeTitle, slices.Index(headings, n.DataAtom))
	case atom.Ul, atom.Ol:
		w.lists++
		w.within(n, "", 0)
		w.lists--
	case atom.Li:
		w.within(n, element.TypeListItem, w.lists)
	case atom.P:
		w.children(n) // of what surrounds it: a list item's paragraph is the list item
	case atom.Pre:
		w.code(n)
	case atom.Table:
		w.table(n)
	case atom.Img:
		w.image(n)
	default:
		w.within(n, "", 0)
	}
}

// within reads a node whose paragraphs are of one kind.
func (w *htmlWalk) within(n *html.Node, kind element.ElementType, depth int) {
	outerKind, outerDepth := w.kind, w.depth
	w.kind, w.depth = kind, depth
	w.children(n)
	w.flush()
	w.kind, w.depth = outerKind, outerDepth
}

// flush ends the paragraph.
func (w *htmlWalk) flush() {
	text, metadata := w.para.end()
	if text == "" {
		return
	}
	kind := w.kind
	switch kind {
	case "":
		if kind, text = classifyHTML(text); text == "" {
			return
		}
	case element.TypeListItem:
		if text, _ = cutBullet(text); text == "" {
			return
		}
		fallthrough
	default:
		metadata.CategoryDepth = new(w.depth)
	}
	w.add(element.Element{Type: kind, Text: text, Metadata: metadata})
}

func (w *htmlWalk) add(e element.Element) {
	if w.err == nil {
		w.err = w.give(e)
	}
}

// classifyHTML is classify as the API does it for HTML: plain text never is a title, a single
// character is nothing.
func classifyHTML(text string) (element.ElementType, string) {
	kind, rest := classify(text)
	switch {
	case utf8.RuneCountInString(text) < 2:
		return kind, ""
	case kind == element.TypeTitle, kind == element.TypeListItem && rest == text: // a number in front makes no list item here
		if isNarrative(text) {
			return element.TypeNarrativeText, text
		}
		return element.TypeUncategorizedText, text
	}
	return kind, rest
}

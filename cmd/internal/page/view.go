package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/wire"
)

// The limits of what a view holds, however many elements there are.
const (
	maxTypes = 24   // that can be hidden one by one; those behind them are hidden together
	maxIndex = 2000 // entries of the index
)

// A View is a page of elements, by page and type. It holds counts and an index; the elements
// themselves are written as they come. It is not safe for concurrent use.
type View struct {
	name      string
	body      io.Writer
	templates *template.Template
	roles     map[element.ElementType]string

	elements int
	types    []typeCount
	index    []indexed
	unlisted int // sections that are not in the index
	at       section
	leftOut  map[string]int // by what it is
}

// A section is a run of elements of one document and page.
type section struct {
	document string
	page     int
	name     string // of a sheet
}

type typeCount struct {
	Class, Name string
	Count       int
}

// An indexed is an entry of the index.
type indexed struct {
	section
	Anchor string
}

// Label is the entry's text.
func (i indexed) Label() string {
	switch {
	case i.name != "":
		return i.name
	case i.page == 0:
		return "no page number"
	}
	return strconv.Itoa(i.page)
}

// NewView begins the page of the elements called name. They are written to body, to be put behind
// the page's head by [View.Write].
func NewView(name string, body io.Writer) *View {
	return &View{
		name: wire.Printable(name), body: body, templates: newTemplate("view.html"), roles: typeRoles(), leftOut: map[string]int{},
	}
}

// Element adds an element. The error is one of writing to the body.
func (v *View) Element(e element.Element) error {
	if err := v.enter(e); err != nil {
		return err
	}
	v.elements++
	return v.templates.ExecuteTemplate(v.body, "element", v.shown(e))
}

// enter begins a new section where the document or the page is another one.
func (v *View) enter(e element.Element) error {
	m := e.Metadata
	next := section{sourceOf(e), m.PageNumber, wire.Printable(m.PageName)}
	if v.elements > 0 && next == v.at {
		return nil
	}
	data := struct {
		Document, Page, Name, Anchor string
		Close, Again                 bool
	}{Name: next.name, Close: v.elements > 0}
	if v.elements == 0 || next.document != v.at.document {
		data.Document = next.document
	}
	if next.page != 0 {
		data.Page = strconv.Itoa(next.page)
	}
	switch {
	case slices.ContainsFunc(v.index, func(i indexed) bool { return i.section == next }):
		data.Again = true
	case len(v.index) < maxIndex:
		data.Anchor = "s" + strconv.Itoa(len(v.index)+1)
		v.index = append(v.index, indexed{next, data.Anchor})
	default:
		v.unlisted++
	}
	v.at = next
	return v.templates.ExecuteTemplate(v.body, "section", data)
}

// sourceOf is the document that an element says it comes from.
func sourceOf(e element.Element) string {
	var known struct {
		Source struct {
			Path string `json:"path"`
		} `json:"source"`
	}
	if raw := e.Raw(); strings.Contains(string(raw), `"source"`) && json.Unmarshal(raw, &known) == nil && known.Source.Path != "" {
		return wire.Printable(known.Source.Path)
	}
	return wire.Printable(e.Metadata.Filename)
}

// typeRoles are the types that look other than a paragraph.
func typeRoles() map[element.ElementType]string {
	return map[element.ElementType]string{
		element.TypeTitle: "title", element.TypeCodeSnippet: "code", element.TypeHeader: "aside", element.TypeFooter: "aside",
		"PageNumber": "aside",
	}
}

// A shownElement is an element as the template takes it.
type shownElement struct {
	Class, Role, Type, Text string
	Table                   template.HTML
	Image                   template.URL
	Links                   []link
}

// shown decides what is shown of an element, and counts what is not.
func (v *View) shown(e element.Element) shownElement {
	m := e.Metadata
	s := shownElement{Class: v.class(e.Type), Role: v.roles[e.Type], Type: wire.Printable(string(e.Type)), Text: e.Text}
	var err error
	if s.Table, err = cleanTable(m.TextAsHTML); err != nil {
		v.leftOut["too large a table, shown as text"]++
	}
	if m.ImageBase64 != "" {
		if s.Image = imageURL(m.ImageBase64); s.Image == "" {
			v.leftOut["a picture that is neither PNG nor JPEG"]++
		}
	}
	if m.ImageURL != "" {
		v.leftOut["a picture kept elsewhere, which is not asked for"]++
	}
	var dropped int
	s.Links, dropped = links(e)
	if dropped > 0 {
		v.leftOut["a link that is not http, https or mailto"] += dropped
	}
	return s
}

// class counts a type, and returns the class of its elements.
func (v *View) class(t element.ElementType) string {
	name := wire.Printable(string(t))
	i := slices.IndexFunc(v.types, func(known typeCount) bool { return known.Name == name })
	switch {
	case i >= 0:
	case len(v.types) < maxTypes:
		i = len(v.types)
		v.types = append(v.types, typeCount{Class: typeClass(i), Name: name})
	case len(v.types) == maxTypes:
		i = maxTypes
		v.types = append(v.types, typeCount{Class: typeClass(i), Name: "other types"})
	default:
		i = maxTypes
	}
	v.types[i].Count++
	return v.types[i].Class
}

func typeClass(i int) string { return "t" + strconv.Itoa(i) }

// hiding is the style that hides the types whose boxes are not ticked.
func hiding() string {
	var b strings.Builder
	for i := range maxTypes + 1 {
		class := typeClass(i)
		fmt.Fprintf(&b, "body:has(#%s:not(:checked)) .%s { display: none; }\n", class, class)
	}
	return b.String()
}

// Write writes the page: its head and index, what was written to the body, its end.
func (v *View) Write(w io.Writer, body func(io.Writer) error) error {
	out := bufio.NewWriterSize(w, 64<<10)
	type count struct {
		What  string
		Count int
	}
	var leftOut []count
	for what, n := range v.leftOut {
		leftOut = append(leftOut, count{what, n})
	}
	slices.SortFunc(leftOut, func(a, b count) int { return strings.Compare(a.What, b.What) })
	err := v.templates.ExecuteTemplate(out, "top", struct {
		Head     head
		Name     string
		Elements int
		Types    []typeCount
		Index    [][]indexed
		Unlisted int
		LeftOut  []count
	}{newHead(v.name, readFile("view.css"), hiding()), v.name, v.elements, v.types, v.byDocument(), v.unlisted, leftOut})
	if err != nil {
		return err
	}
	if err := body(out); err != nil {
		return err
	}
	if err := v.templates.ExecuteTemplate(out, "bottom", v.elements > 0); err != nil {
		return err
	}
	return out.Flush()
}

// Document is the document that an entry of the index belongs to.
func (i indexed) Document() string { return i.document }

// byDocument is the index, a group for each run of entries of one document.
func (v *View) byDocument() [][]indexed {
	var groups [][]indexed
	for i, entry := range v.index {
		if i == 0 || entry.document != v.index[i-1].document {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], entry)
	}
	return groups
}

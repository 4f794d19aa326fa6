package format

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// markdownEncoder writes elements as GitHub Flavored Markdown: titles as headings by their depth,
// list items as nested lists, tables as pipe tables, code in fences, page breaks as rules, links to
// http, https and mailto as links, images that have files as images with their text below,
// everything else, the texts of other images too, as paragraphs. Where another page begins there is a
// comment, <!-- page 3 -->; page 1 needs none. Nothing in a text is markup, and nothing is loaded
// from elsewhere but those files.
type markdownEncoder struct {
	w      *bufio.Writer
	page   int
	titles map[string]int // the depth of every title so far, by its id
	list   []listLevel    // the items that the next one may be nested in, the outermost first; empty outside a list
	begun  bool
}

// A listLevel is the last item of a level of the list that is being written.
type listLevel struct {
	id    string
	depth int
}

func newMarkdownEncoder(w *bufio.Writer, _ Options) Encoder {
	return &markdownEncoder{w: w, page: 1, titles: map[string]int{}}
}

func (f *markdownEncoder) Encode(e Item) error {
	block := markdownBlocks[e.Type]
	if block == nil {
		block = markdownParagraph
	}
	text := block(e, f.titleDepth(e))
	if text == "" || e.Type == element.TypePageBreak && !f.begun {
		return nil // a rule at the very beginning would begin what some readers take for settings
	}
	inList := len(f.list) > 0
	level := f.listLevel(e)
	indent := strings.Repeat("  ", max(level, 0))
	if page := e.Metadata.PageNumber; page > 0 && page != f.page {
		f.page = page
		inList = level > 0 // then the comment stands inside the item above, and the list goes on
		if err := f.block(fmt.Sprintf("%s<!-- page %d -->", indent, page), inList); err != nil {
			return err
		}
	}
	return f.block(indent+text, inList && level >= 0)
}

// block writes a block, after a blank line unless it goes on with a list.
func (f *markdownEncoder) block(text string, goesOn bool) error {
	separator := "\n"
	if !f.begun || goesOn {
		separator = ""
	}
	f.begun = true
	_, err := f.w.WriteString(separator + text + "\n")
	return err
}

func (f *markdownEncoder) End() error { return nil }

// titleDepth is how deep a title is nested, from 0: what the API says, else one deeper than the
// title that is its parent.
func (f *markdownEncoder) titleDepth(e Item) int {
	if e.Type != element.TypeTitle {
		return 0
	}
	depth := 0
	if parent, known := f.titles[e.Metadata.ParentID]; known {
		depth = parent + 1
	}
	if e.Metadata.CategoryDepth != nil {
		depth = max(*e.Metadata.CategoryDepth, 0)
	}
	depth = min(depth, deepestTitle)
	f.titles[e.ID] = depth
	return depth
}

// deepestTitle is the depth of the deepest heading that there is.
const deepestTitle = 5

// listLevel is the level of a list item, from 0, and -1 for everything else, which ends a list. The
// API counts the depth of items from 0 or from 1, by the type of the file, and may skip depths: so
// an item is one level below the last one that is less deep. Without a depth it is one level below
// its parent.
func (f *markdownEncoder) listLevel(e Item) int {
	if e.Type != element.TypeListItem {
		f.list = nil
		return -1
	}
	this := listLevel{id: e.ID}
	above := 0 // how many items it is nested in
	if e.Metadata.CategoryDepth != nil {
		this.depth = *e.Metadata.CategoryDepth
		for above < len(f.list) && f.list[above].depth < this.depth {
			above++
		}
	} else if parent := e.Metadata.ParentID; parent != "" {
		for i, open := range f.list {
			if open.id == parent {
				above, this.depth = i+1, open.depth+1
			}
		}
	}
	above = min(above, deepestItem)
	f.list = append(f.list[:above], this)
	return above
}

// deepestItem is the deepest level of a list. Readers stop following somewhere, and a hostile list
// could be indented without end.
const deepestItem = 12

// markdownBlocks is the table of the types of elements that are more than a paragraph. An empty
// block is left out.
var markdownBlocks = map[element.ElementType]func(e Item, depth int) string{
	element.TypeTitle:       markdownHeading,
	element.TypeListItem:    markdownItem,
	element.TypeTable:       markdownTableOf,
	element.TypeTableChunk:  markdownTableOf,
	element.TypeCodeSnippet: markdownCode,
	element.TypePageBreak:   func(Item, int) string { return "---" },
}

func markdownParagraph(e Item, _ int) string {
	text := linked(e, escapeParagraph)
	if e.ImagePath != "" {
		return strings.TrimSpace(markdownImage(e) + "\n\n" + text)
	}
	return text
}

// markdownImage is the file of an element's image. It needs no other words: its text stands below it.
func markdownImage(e Item) string {
	return "![](<" + strings.NewReplacer("<", `\<`, ">", `\>`, `\`, `\\`, "&", `\&`, "\n", " ").Replace(e.ImagePath) + ">)"
}

func markdownHeading(e Item, depth int) string {
	text := linked(e, escapeHeading)
	if text == "" {
		return ""
	}
	return strings.Repeat("#", depth+1) + " " + text
}

func markdownItem(e Item, _ int) string {
	text := linked(e, func(text string) string { return escapeParagraph(oneLine(text)) })
	if text == "" {
		return ""
	}
	return "- " + text
}

// markdownTableOf is the table that the API gives as HTML, and the element's text where that is not
// a table.
func markdownTableOf(e Item, _ int) string {
	if table := markdownTables(e.Metadata.TextAsHTML); table != "" {
		return table
	}
	return escapeParagraph(e.Text)
}

func markdownCode(e Item, _ int) string {
	code := strings.Trim(plainLines(e.Text), "\n")
	if strings.TrimSpace(code) == "" {
		return ""
	}
	fence := codeFence(code)
	return fence + "\n" + code + "\n" + fence
}

// codeFence is a fence longer than any run of backquotes in the code.
func codeFence(code string) string {
	longest := 2
	for run := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}

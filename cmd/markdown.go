package cmd

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"

	"github.com/quire-dev/quire/partition"
)

// markdownFormat renders elements as Markdown: titles as headings by their depth, list items, tables as the HTML that the API
// gives (Markdown allows it) or else as text, code fenced, page breaks as rules. Every other element is a paragraph.
type markdownFormat struct {
	w    *bufio.Writer
	last partition.ElementType
}

func (f *markdownFormat) element(e partition.Element) error {
	block := renderMarkdown(e)
	if block == "" {
		return nil
	}
	separator := "\n"
	if f.last == "" || f.last == partition.ListItem && e.Type == partition.ListItem {
		separator = ""
	}
	f.last = e.Type
	_, err := f.w.WriteString(separator + block + "\n")
	return err
}

func (f *markdownFormat) end() error { return nil }

func renderMarkdown(e partition.Element) string {
	depth := 0
	if e.Metadata.CategoryDepth != nil {
		depth = max(0, *e.Metadata.CategoryDepth)
	}
	switch {
	case e.Type == partition.PageBreak:
		return "---"
	case e.Metadata.TextAsHTML != "":
		return noBlankLines(e.Metadata.TextAsHTML)
	case e.Type == partition.Image && e.Metadata.ImageURL != "":
		return fmt.Sprintf("![%s](<%s>)", escapeMarkdown(oneLine(e.Text)), e.Metadata.ImageURL)
	case strings.TrimSpace(e.Text) == "":
		return ""
	case e.Type == partition.Title:
		return strings.Repeat("#", min(depth+1, 6)) + " " + escapeMarkdown(oneLine(e.Text))
	case e.Type == partition.ListItem:
		return strings.Repeat("  ", min(max(depth-1, 0), 8)) + "- " + escapeMarkdown(oneLine(e.Text))
	case e.Type == partition.CodeSnippet:
		fence := codeFence(e.Text)
		return fence + "\n" + strings.TrimRight(e.Text, "\n") + "\n" + fence
	default:
		return escapeMarkdown(strings.TrimSpace(e.Text))
	}
}

// codeFence is a fence longer than any run of backquotes in the code.
func codeFence(code string) string {
	longest := 2
	for run := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}

var (
	markdownInline = regexp.MustCompile("([\\\\`*_\\[\\]<])")
	markdownStart  = regexp.MustCompile(`(?m)^(\s*)([#>+=~|-]|\d+(?:[.)]))`)
)

// escapeMarkdown keeps text from being read as markup.
func escapeMarkdown(text string) string {
	text = markdownInline.ReplaceAllString(text, `\$1`)
	return markdownStart.ReplaceAllStringFunc(text, func(start string) string {
		return start[:len(start)-1] + `\` + start[len(start)-1:]
	})
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// noBlankLines keeps an HTML block together: a blank line would end it.
func noBlankLines(html string) string {
	lines := strings.FieldsFunc(html, func(r rune) bool { return r == '\n' || r == '\r' })
	kept := lines[:0]
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

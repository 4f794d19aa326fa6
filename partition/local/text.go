package local

import (
	"context"
	"iter"
	"regexp"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// Measures of the grouping of lines, the API's.
const (
	groupingLines = 2000 // lines that are looked at
	blankShare    = 0.1  // with a smaller share of blank lines, every line is a paragraph
	shortLine     = 5    // words; lines that are all shorter stay apart
)

// readText gives the paragraphs of a text, which has no pages.
func readText(_ context.Context, _ *Engine, d *document) error {
	content, err := d.text(d.request.encoding)
	if err != nil {
		return err
	}
	for paragraph := range textParagraphs(content) {
		kind, text := classify(strings.TrimSpace(paragraph))
		if text == "" {
			continue
		}
		if err := d.add(element.Element{Type: kind, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

var blankLines = regexp.MustCompile(`\n[^\S\n]*(?:\n\s*)+`)

// textParagraphs groups the lines of a text, one paragraph at a time.
func textParagraphs(content string) iter.Seq[string] {
	if !hasBlankLines(content) {
		return strings.SplitSeq(content, "\n")
	}
	return func(yield func(string) bool) {
		for rest := content; rest != ""; {
			p := rest
			if blank := blankLines.FindStringIndex(rest); blank != nil {
				p, rest = rest[:blank[0]], rest[blank[1]:]
			} else {
				rest = ""
			}
			for item := range paragraphItems(strings.TrimSpace(p)) {
				if !yield(item) {
					return
				}
			}
		}
	}
}

// paragraphItems parts lines without a blank one between them: each item of a list stands by
// itself, and so does each of a few short lines; others are one paragraph.
func paragraphItems(p string) iter.Seq[string] {
	starts := func(string) bool { return false }
	switch {
	case p == "":
		return func(func(string) bool) {}
	case startsWithBullet(p):
		starts = startsWithBullet
	case allShort(p):
		return strings.SplitSeq(p, "\n")
	}
	return func(yield func(string) bool) {
		var item strings.Builder
		for line := range strings.SplitSeq(p, "\n") {
			line = strings.TrimSpace(line)
			switch {
			case item.Len() == 0:
			case starts(line):
				if !yield(item.String()) {
					return
				}
				item.Reset()
			default:
				item.WriteByte(' ')
			}
			item.WriteString(line)
		}
		yield(item.String())
	}
}

func hasBlankLines(content string) bool {
	lines, blank := 0, 0
	for line := range strings.SplitSeq(content, "\n") {
		if lines == groupingLines {
			break
		}
		lines++
		if strings.TrimSpace(line) == "" {
			blank++
		}
	}
	return float64(blank)/float64(lines) >= blankShare
}

func startsWithBullet(text string) bool {
	_, is := cutBullet(text)
	return is
}

// allShort reports whether every line has fewer than shortLine words.
func allShort(p string) bool {
	for line := range strings.SplitSeq(p, "\n") {
		if strings.Count(strings.TrimSpace(line), " ")+1 >= shortLine {
			return false
		}
	}
	return true
}

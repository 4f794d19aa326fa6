package local

import (
	"context"
	"regexp"
	"strings"

	"github.com/quire-dev/quire/partition"
)

// Measures of the grouping of lines, the API's.
const (
	groupingLines = 2000 // lines that are looked at
	blankShare    = 0.1  // with a smaller share of blank lines, every line is a paragraph
	shortLine     = 5    // words; lines that are all shorter stay apart
)

// readText yields the paragraphs of a text, which has no pages.
func readText(ctx context.Context, _ *Engine, d *document) ([]partition.Element, error) {
	content, err := d.text(d.request.encoding)
	if err != nil {
		return nil, err
	}
	var elements []partition.Element
	for i, paragraph := range textParagraphs(content) {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if kind, text := classify(strings.TrimSpace(paragraph)); text != "" {
			elements = append(elements, partition.Element{Type: kind, Text: text})
		}
	}
	return elements, nil
}

var blankLines = regexp.MustCompile(`\n[^\S\n]*(?:\n\s*)+`)

// textParagraphs groups the lines of a text.
func textParagraphs(content string) []string {
	if !hasBlankLines(content) {
		return strings.Split(content, "\n")
	}
	var paragraphs []string
	for _, p := range blankLines.Split(content, -1) {
		p = strings.TrimSpace(p)
		rows := strings.Split(p, "\n")
		switch {
		case p == "":
		case startsWithBullet(p):
			paragraphs = append(paragraphs, bulletItems(rows)...)
		case allShort(rows):
			paragraphs = append(paragraphs, rows...)
		default:
			for i, row := range rows {
				rows[i] = strings.TrimSpace(row)
			}
			paragraphs = append(paragraphs, strings.Join(rows, " "))
		}
	}
	return paragraphs
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

// bulletItems joins the lines of each item of a list.
func bulletItems(rows []string) []string {
	var items []string
	start := 0
	for i, row := range rows {
		rows[i] = strings.TrimSpace(row)
		if i > start && startsWithBullet(rows[i]) {
			items = append(items, strings.Join(rows[start:i], " "))
			start = i
		}
	}
	return append(items, strings.Join(rows[start:], " "))
}

func allShort(rows []string) bool {
	for _, row := range rows {
		if len(strings.Split(strings.TrimSpace(row), " ")) >= shortLine {
			return false
		}
	}
	return true
}

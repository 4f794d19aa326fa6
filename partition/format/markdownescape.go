package format

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// activeMarkup is what is markup in a line of CommonMark or of GitHub's additions. A backslash goes
// before the first character of each group.
var activeMarkup = struct{ inLine, atStart, headingEnd *regexp.Regexp }{
	inLine: regexp.MustCompile("([\\\\`*\\[<~@])" + // escapes, code, emphasis, links and images, HTML, strikethrough, addresses
		`|(&)(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]*);` + // entities
		`|(:)//|(?i:www)(\.)`), // links without brackets
	atStart: regexp.MustCompile(`^(?:([#>=|])` + // headings, quotations, underlines of headings, tables
		`|([-+:])(?:[-+:|\s]|$)` + // lists, rules, underlines, tables, definitions
		`|[0-9]{1,9}([.)])(?:\s|$))`), // numbered lists
	headingEnd: regexp.MustCompile(`(?:^|\s)(#)#*$`), // a run that would be taken for the heading's end
}

// escapeParagraph is a text as paragraphs in which nothing is markup. Its lines stay lines, without
// the space around them.
func escapeParagraph(text string) string {
	var lines []string
	for line := range strings.SplitSeq(plainLines(text), "\n") {
		line = strings.TrimSpace(line)
		if line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, escapeAt(activeMarkup.atStart, escapeLine(line)))
		}
	}
	return strings.TrimSuffix(strings.Join(lines, "\n"), "\n")
}

// escapeHeading is a text as the content of a heading.
func escapeHeading(text string) string {
	return escapeAt(activeMarkup.headingEnd, escapeLine(oneLine(text)))
}

// escapeCell is a text as the content of a cell of a table.
func escapeCell(text string) string { return strings.ReplaceAll(escapeLine(oneLine(text)), "|", `\|`) }

// escapeLine escapes what is markup anywhere in a line.
func escapeLine(line string) string { return escapeUnderscores(escapeAt(activeMarkup.inLine, line)) }

// escapeAt puts a backslash before each group that matched.
func escapeAt(pattern *regexp.Regexp, text string) string {
	var b strings.Builder
	written := 0
	for _, match := range pattern.FindAllStringSubmatchIndex(text, -1) {
		for group := 2; group < len(match); group += 2 {
			if at := match[group]; at >= 0 {
				b.WriteString(text[written:at])
				b.WriteByte('\\')
				written = at
			}
		}
	}
	b.WriteString(text[written:])
	return b.String()
}

// escapeUnderscores escapes underscores but those inside a word, which are never emphasis.
func escapeUnderscores(text string) string {
	if !strings.Contains(text, "_") {
		return text
	}
	var b strings.Builder
	before := ' '
	for i, r := range text {
		if r == '_' {
			if after, _ := utf8.DecodeRuneInString(text[i+1:]); !inWord(before) || !inWord(after) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// oneLine is a text with every run of white space as one space.
func oneLine(text string) string { return strings.Join(strings.Fields(plainLines(text)), " ") }

// plainLines is a text with newlines for every kind of line end, tabs, and otherwise no control
// characters: they, and bytes that are not UTF-8, become the replacement character.
func plainLines(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, string(utf8.RuneError)), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case r == '\n', r == '\r', r == '\v', r == '\f', r == '\u0085', r == '\u2028', r == '\u2029':
			return '\n'
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

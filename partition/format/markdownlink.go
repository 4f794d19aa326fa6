package format

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// A linked text is marked by these two while it is escaped. They are noncharacters of Unicode, which
// no text should have.
const (
	linkStart = '\ufdd0'
	linkEnd   = '\ufdd1'
)

// A markdownLink is a link of an element: a part of its text, and where it leads.
type markdownLink struct {
	start, end  int // in bytes of the text
	destination string
}

// markdownLinks are the links of an element that can be followed, in the order of the text. The API
// says where a link's text is, or only what it is; it is then looked for behind the one before.
func markdownLinks(e Item, text string) []markdownLink {
	var links []markdownLink
	from := 0
	for i, destination := range e.Metadata.LinkURLs {
		if i >= len(e.Metadata.LinkTexts) {
			break
		}
		words := plainLines(e.Metadata.LinkTexts[i])
		at := -1
		if i < len(e.Metadata.LinkStartIndexes) {
			at = byteOffset(text, e.Metadata.LinkStartIndexes[i])
		}
		if at < from || !strings.HasPrefix(text[at:], words) {
			at = strings.Index(text[from:], words)
			if at >= 0 {
				at += from
			}
		}
		destination = linkDestination(destination)
		if at < 0 || destination == "" || strings.TrimSpace(words) == "" || strings.Contains(words, "\n") {
			continue
		}
		from = at + len(words)
		links = append(links, markdownLink{at, from, destination})
	}
	return links
}

// byteOffset is where the n-th character of a text begins, -1 if there is none.
func byteOffset(text string, n int) int {
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return -1
}

// linkDestination is a URL as it stands behind a link's text; "" for one that leads nowhere by
// itself, such as a place in the document, or that a reader must not follow, such as a script.
func linkDestination(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(u.Scheme)) || u.Host == "" && u.Opaque == "" {
		return ""
	}
	plain := strings.NewReplacer("<", "%3C", ">", "%3E", `\`, "%5C", " ", "%20").Replace(u.String())
	return "<" + strings.ReplaceAll(plain, "&", `\&`) + ">" // what follows could be read as an entity
}

// linked escapes the text of an element, with its links as links.
func linked(e Item, escape func(string) string) string {
	text := plainLines(e.Text)
	if len(e.Metadata.LinkURLs) > 0 {
		text = strings.NewReplacer(string(linkStart), string(utf8.RuneError), string(linkEnd), string(utf8.RuneError)).Replace(text)
	}
	links := markdownLinks(e, text)
	var marked strings.Builder
	written := 0
	for _, link := range links {
		marked.WriteString(text[written:link.start] + string(linkStart) + text[link.start:link.end] + string(linkEnd))
		written = link.end
	}
	marked.WriteString(text[written:])
	var out strings.Builder
	rest := escape(marked.String())
	for _, link := range links {
		before, behind, _ := strings.Cut(rest, string(linkStart))
		words, after, _ := strings.Cut(behind, string(linkEnd))
		if bare, image := strings.CutSuffix(before, "!"); image {
			before = bare + `\!`
		}
		switch {
		case strings.HasPrefix(words, "^"): // it would be a footnote
			words = `\` + words
		case words == "x" || words == "X": // in an item it would be a box to tick
			words = fmt.Sprintf("&#%d;", words[0])
		}
		out.WriteString(before + "[" + strings.ReplaceAll(words, "]", `\]`) + "](" + link.destination + ")")
		rest = after
	}
	return out.String() + rest
}

package page

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/wire"
)

// A link is one that may be followed.
type link struct{ Text, URL string }

// linkSchemes are those of links that come through.
func linkSchemes() []string { return []string{"http", "https", "mailto"} }

// links are an element's links, each once, and how many of them were left out.
func links(e element.Element) (kept []link, leftOut int) {
	m := e.Metadata
	var found []link
	if value, ok := e.MetadataMember("links"); ok { // as older servers have them
		var older []struct{ Text, URL string }
		_ = json.Unmarshal(value, &older) // what is of another shape is left out
		for _, l := range older {
			found = append(found, link(l))
		}
	}
	for i, address := range m.LinkURLs {
		l := link{"", address}
		if i < len(m.LinkTexts) {
			l.Text = m.LinkTexts[i]
		}
		found = append(found, l)
	}
	if m.URL != "" {
		found = append(found, link{"", m.URL})
	}
	for _, l := range found {
		switch {
		case slices.Contains(kept, tidy(l)):
		case follows(l.URL):
			kept = append(kept, tidy(l))
		default:
			leftOut++
		}
	}
	return kept, leftOut
}

// tidy makes a link fit to be shown: on one line, and with a text.
func tidy(l link) link {
	text := wire.Printable(strings.TrimSpace(l.Text))
	if text == "" {
		text = wire.Printable(l.URL)
	}
	return link{text, l.URL}
}

// follows reports whether an address may be made a link.
func follows(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && slices.Contains(linkSchemes(), parsed.Scheme) && (parsed.Host != "" || parsed.Scheme == "mailto")
}

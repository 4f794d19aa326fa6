package retry

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Condition says which outcomes a rule is for. All fields that are set must hold; the zero value
// matches every outcome.
type Condition struct {
	// Status holds if the answer's status is in the set. Empty: any status, and no answer.
	Status Statuses `json:"status,omitempty"`
	// Kind holds if the attempt ended with an error of one of these kinds. Empty: any error, and
	// none.
	Kind []Kind `json:"kind,omitempty"`
	// Header holds if the answer matches every entry. An entry is a name that must be present
	// ("Retry-After") or a name and value that must be equal ("x-should-retry: false"), ignoring
	// case and surrounding blanks. Empty: any header.
	Header []string `json:"header,omitempty"`
	// NoHeader holds if the answer has none of these headers. Empty: any header.
	NoHeader []string `json:"no_header,omitempty"`
	// JSON holds if the whole body was read, is a JSON object and has each of these members with
	// that boolean. Names are case-sensitive; of duplicates the last counts; a dot leads to a
	// nested object ("result.isError"). Empty: any body.
	JSON map[string]bool `json:"json,omitempty"`
	// Body holds if the whole body was read and has this shape: "not_json" (including an empty body
	// and an HTML page), "not_object" (anything but a JSON object) or "not_list" (anything but a
	// JSON array). "": any body.
	Body string `json:"body,omitempty"`
	// Fact holds if [Call.Facts] has each of these facts with that value. A fact that is not there
	// matches neither true nor false. Empty: any facts.
	Fact map[string]bool `json:"fact,omitempty"`
	// Any holds if one of these conditions holds. Empty: it holds.
	Any []Condition `json:"any,omitempty"`
	// Not holds if this condition does not hold. nil: it holds.
	Not *Condition `json:"not,omitempty"`
}

// The shapes that [Condition.Body] names.
const (
	notJSON   = "not_json"
	notObject = "not_object"
	notList   = "not_list"
)

// isZero reports whether the condition matches every outcome.
func (c *Condition) isZero() bool {
	return len(c.Status) == 0 && len(c.Kind) == 0 && len(c.Header) == 0 && len(c.NoHeader) == 0 &&
		len(c.JSON) == 0 && c.Body == "" && len(c.Fact) == 0 && len(c.Any) == 0 && c.Not == nil
}

// text is the condition as the policy's table shows it.
func (c *Condition) text() string {
	if c.isZero() {
		return "always"
	}
	var parts []string
	if len(c.Status) > 0 {
		parts = append(parts, "status "+c.Status.text())
	}
	if len(c.Kind) > 0 {
		names := make([]string, len(c.Kind))
		for i, k := range c.Kind {
			names[i] = string(k)
		}
		parts = append(parts, "error "+strings.Join(names, ", "))
	}
	for _, h := range c.Header {
		parts = append(parts, "header `"+h+"`")
	}
	for _, h := range c.NoHeader {
		parts = append(parts, "no header `"+h+"`")
	}
	for _, k := range slices.Sorted(maps.Keys(c.JSON)) {
		parts = append(parts, fmt.Sprintf("body `%q: %t`", k, c.JSON[k]))
	}
	if c.Body != "" {
		parts = append(parts, "body "+c.Body)
	}
	for _, k := range slices.Sorted(maps.Keys(c.Fact)) {
		parts = append(parts, fmt.Sprintf("fact %s is %t", k, c.Fact[k]))
	}
	if len(c.Any) > 0 {
		alt := make([]string, len(c.Any))
		for i := range c.Any {
			alt[i] = c.Any[i].text()
		}
		parts = append(parts, "("+strings.Join(alt, " or ")+")")
	}
	if c.Not != nil {
		parts = append(parts, "not ("+c.Not.text()+")")
	}
	return strings.Join(parts, " and ")
}

// needsBody reports whether the condition looks at the body.
func (c *Condition) needsBody() bool {
	return len(c.JSON) > 0 || c.Body != "" || slices.ContainsFunc(c.Any, func(a Condition) bool { return a.needsBody() }) ||
		c.Not != nil && c.Not.needsBody()
}

// truth is a three-valued answer: without the body some conditions are open.
type truth int8

const (
	no truth = iota
	open
	yes
)

// matcher evaluates conditions on one observation; the body is parsed once.
type matcher struct {
	o      *observation
	facts  map[string]bool
	parsed bool
	doc    document
}

func (m *matcher) match(c *Condition) truth {
	if len(c.Status) > 0 && !c.Status.has(m.o.Status) ||
		len(c.Kind) > 0 && !slices.Contains(c.Kind, m.o.Kind) {
		return no
	}
	for _, h := range c.Header {
		if !hasHeader(m.o.Header, h) {
			return no
		}
	}
	for _, h := range c.NoHeader {
		if hasHeader(m.o.Header, h) {
			return no
		}
	}
	for k, want := range c.Fact {
		if got, ok := m.facts[k]; !ok || got != want {
			return no
		}
	}
	result := yes
	if len(c.Any) > 0 {
		best := no
		for i := range c.Any {
			best = max(best, m.match(&c.Any[i]))
		}
		result = min(result, best)
	}
	if c.Not != nil {
		result = min(result, yes-m.match(c.Not))
	}
	if result == no || len(c.JSON) == 0 && c.Body == "" {
		return result
	}
	if !m.o.seen {
		if m.o.Status == 0 || m.o.stream {
			return no
		}
		return open
	}
	if !m.o.whole {
		return no
	}
	if !m.body(c) {
		return no
	}
	return result
}

func (m *matcher) body(c *Condition) bool {
	if !m.parsed {
		m.doc, m.parsed = parseDocument(m.o.Body), true
	}
	switch c.Body {
	case notJSON:
		if m.doc.valid() {
			return false
		}
	case notObject:
		if m.doc.isObject() {
			return false
		}
	case notList:
		if m.doc.isList() {
			return false
		}
	}
	for path, want := range c.JSON {
		if got, ok := m.doc.boolean(path); !ok || got != want {
			return false
		}
	}
	return true
}

func hasHeader(h http.Header, entry string) bool {
	name, want, pair := strings.Cut(entry, ":")
	values := h.Values(strings.TrimSpace(name))
	if !pair {
		return len(values) > 0
	}
	want = strings.TrimSpace(want)
	return slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(strings.TrimSpace(v), want) })
}

package split

import (
	"bytes"
	"maps"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// mostContent is what a stream may inflate to that the package looks into: the largest drawings are
// around half of it.
const mostContent = 64 * mebi

// names returns every name in the content of a page or form: of a stream, or of an array of them. It
// is false where not all of the content can be read, or more than is sensible. The names must not be
// changed.
func (v *view) names(o types.Object) (names, bool) {
	switch o := v.follow(o).(type) {
	case nil:
		return nil, true
	case *stream:
		return v.streamNames(o)
	case types.Array:
		all := names{}
		for _, part := range o {
			if _, nested := v.follow(part).(types.Array); nested {
				return nil, false
			}
			found, ok := v.names(part)
			if !ok || v.err != nil {
				return nil, false
			}
			maps.Copy(all, found)
		}
		return all, true
	}
	return nil, false
}

func (v *view) streamNames(s *stream) (names, bool) {
	limit := min(v.table.limits.DecodedBytes-v.inflated, mostContent)
	c, ok := v.table.contents.get(s.number)
	if !ok {
		err := v.inflate(s, limit, func(data []byte) { c = content{int64(len(data)), contentNames(data)} })
		if err != nil {
			return nil, false
		}
		v.table.contents.put(s.number, c)
	}
	if limit <= 0 || c.size > limit {
		return nil, false
	}
	v.inflated += c.size
	return c.names, true
}

// content is what is kept of a content stream: how long it is once decompressed, and its names.
type content struct {
	size  int64
	names names
}

// contents holds what was found in content streams, by the number of the stream: other pages may
// have the same content, and draw the same forms.
type contents struct {
	mu   sync.Mutex
	held map[int]content
	cost int
}

// What the held names cost, in bytes, and what an entry does without its text.
const mostNames, nameCost = 4 * mebi, 64

func (c *contents) get(nr int) (content, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.held[nr]
	return found, ok
}

func (c *contents) put(nr int, found content) {
	cost := nameCost
	for name := range found.names {
		cost += nameCost + len(name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.held[nr]; known || cost > mostNames {
		return
	}
	if c.cost += cost; c.held == nil || c.cost > mostNames {
		c.held, c.cost = map[int]content{}, cost
	}
	c.held[nr] = found
}

// contentNames returns every name in a content stream. It takes strings and image data for content,
// too: that finds some names more, and misses none.
func contentNames(content []byte) names {
	found := names{}
	for i := 0; i < len(content); i++ {
		next := bytes.IndexByte(content[i:], '/')
		if next < 0 {
			break
		}
		start := i + next + 1
		end := start
		escaped := false
		for end < len(content) && !isDelimiter(content[end]) && !isBlank(rune(content[end])) {
			escaped = escaped || content[end] == '#'
			end++
		}
		i = end - 1
		if found[string(content[start:end])] {
			continue
		}
		name := string(content[start:end])
		found[name] = true
		if escaped {
			found[unescapeName(name)] = true
		}
	}
	return found
}

// unescapeName decodes the #xx in a name; what is no such sequence stays.
func unescapeName(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+2 < len(s) {
			hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

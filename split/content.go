package split

import "github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

// mostContent is what a stream may inflate to that the package looks into: the largest drawings are
// around half of it.
const mostContent = 64 * mebi

// content returns the content of a page or form: of a stream, or of an array of them. It is false
// where not all of it can be read, or more than is sensible.
func (v *view) content(o types.Object) ([]byte, bool) {
	switch o := v.follow(o).(type) {
	case nil:
		return nil, true
	case *stream:
		data, err := v.inflate(o, min(v.table.limits.DecodedBytes-v.inflated, mostContent))
		v.inflated += int64(len(data))
		return data, err == nil
	case types.Array:
		var all []byte
		for _, part := range o {
			if _, nested := v.follow(part).(types.Array); nested {
				return nil, false
			}
			data, ok := v.content(part)
			if !ok || v.err != nil {
				return nil, false
			}
			all = append(append(all, data...), '\n')
		}
		return all, true
	}
	return nil, false
}

// contentNames returns every name in a content stream. It takes strings and image data for content,
// too: that finds some names more, and misses none.
func contentNames(content []byte) names {
	found := names{}
	for i := 0; i < len(content); i++ {
		if content[i] != '/' {
			continue
		}
		start := i + 1
		end := start
		escaped := false
		for end < len(content) && !isDelimiter(content[end]) && !isBlank(rune(content[end])) {
			escaped = escaped || content[end] == '#'
			end++
		}
		name := string(content[start:end])
		found[name] = true
		if escaped {
			found[unescapeName(name)] = true
		}
		i = end - 1
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

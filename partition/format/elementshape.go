package format

import (
	"encoding/json"
	"slices"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// An elementShape is what the options make of an element's JSON. What they do not name stays byte
// for byte, in its order.
type elementShape struct {
	metadata nameFilter
	flatten  bool
	source   json.RawMessage // the value of the member called source; nil for none
}

func newElementShape(o Options) elementShape {
	shape := elementShape{metadata: o.metadata(), flatten: o.FlattenMetadata}
	if o.Source != nil {
		shape.source = jsonText(struct {
			Path   string `json:"path"`
			SHA256 string `json:"sha256"`
		}{o.Source.Path, o.Source.SHA256})
	}
	return shape
}

// Where a name is taken, these go before that of the member that has to give way, so that nothing
// is lost.
const (
	prefixMetadata = "metadata." // flattened metadata gives way to the element's own members
	prefixElement  = "element."  // a member called source gives way to ours
)

// apply returns the element's JSON in its shape. imagePath is the file that the element's image was
// written to, "" for none: it takes the image's place, and that of an image_path from the server,
// which would name a file there.
func (s elementShape) apply(element []byte, imagePath string) ([]byte, error) {
	if s.metadata.keepsAll() && !s.flatten && s.source == nil && imagePath == "" {
		return element, nil
	}
	members, err := membersOf(element)
	if err != nil {
		return nil, err
	}
	var shaped []member
	for i, m := range members {
		switch {
		case m.Name == "metadata" && s.flatten && slices.ContainsFunc(members[i+1:], func(m member) bool { return m.Name == "metadata" }):
			continue // of a repeated member the last counts
		case m.Name == "source" && s.source != nil:
			m.givesWay = prefixElement
			shaped = append(shaped, m)
		case m.Name == "metadata" && jsonobject.Is(m.Value):
			metadata, err := membersOf(m.Value)
			if err != nil {
				return nil, err
			}
			metadata = s.ofMetadata(metadata, imagePath)
			if s.flatten {
				shaped = append(shaped, metadata...)
			} else {
				shaped = append(shaped, newMember("metadata", objectOf(metadata)))
			}
		default:
			shaped = append(shaped, m)
		}
	}
	if s.source != nil {
		shaped = append(shaped, newMember("source", s.source))
	}
	return objectOf(apart(shaped)), nil
}

// ofMetadata is the metadata that is kept, with the path in the image's place.
func (s elementShape) ofMetadata(metadata []member, imagePath string) []member {
	var kept []member
	for _, m := range metadata {
		switch {
		case m.Name == "image_path" && imagePath != "":
			continue
		case m.Name == "image_base64" && imagePath != "":
			m = newMember("image_path", jsonText(imagePath))
		}
		if s.metadata.keeps(m.Name) {
			if s.flatten {
				m.givesWay = prefixMetadata
			}
			kept = append(kept, m)
		}
	}
	return kept
}

// apart renames the members that have to give way.
func apart(members []member) []member {
	taken, used := map[string]bool{}, map[string]bool{}
	for _, m := range members {
		used[m.Name] = true
		if m.givesWay == "" {
			taken[m.Name] = true
		}
	}
	for i, m := range members {
		if m.givesWay == "" || !taken[m.Name] {
			continue
		}
		name := m.givesWay + m.Name
		for used[name] {
			name = m.givesWay + name
		}
		used[name] = true
		members[i] = newMember(name, m.Value)
	}
	return members
}

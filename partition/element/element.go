package element

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// An Element is one piece of a document: a title, a paragraph, a table.
//
// Decoding is lossless. The element has a field for each member that is known, and keeps the
// server's JSON as well. Written back, it has every key, null and digit in the original order. A
// field that the caller has changed is written with its new value, in its old place.
//
// Keys are exact: "Text" is not the text. Of a key that is repeated the last value counts. If the
// JSON of a known key has an unexpected type, such as a page number that is a string, the field stays
// zero; the raw JSON still has the value. The client refuses a server's answer of that kind.
type Element struct {
	Type     ElementType `json:"type"`
	ID       string      `json:"element_id"` // 32 hex digits, or a UUID when unique_element_ids is set
	Text     string      `json:"text"`
	Metadata Metadata    `json:"metadata"`

	raw json.RawMessage // as received; nil for an element that was made here
	sum uint64          // of the fields as they were decoded
}

// ElementType is the type of an element. Types that are not listed here are kept as they are.
type ElementType string

// The usual element types. The API has a few more, such as CheckBox or FormKeysValues.
const (
	TypeTitle             ElementType = "Title"
	TypeNarrativeText     ElementType = "NarrativeText"
	TypeListItem          ElementType = "ListItem"
	TypeUncategorizedText ElementType = "UncategorizedText"
	TypeTable             ElementType = "Table"
	TypeTableChunk        ElementType = "TableChunk"
	TypeCompositeElement  ElementType = "CompositeElement"
	TypeHeader            ElementType = "Header"
	TypeFooter            ElementType = "Footer"
	TypeImage             ElementType = "Image"
	TypeFigureCaption     ElementType = "FigureCaption"
	TypeFormula           ElementType = "Formula"
	TypeAddress           ElementType = "Address"
	TypeEmailAddress      ElementType = "EmailAddress"
	TypePageBreak         ElementType = "PageBreak"
	TypeCodeSnippet       ElementType = "CodeSnippet"
)

var (
	errNotObject = errors.New("element is not a JSON object")
	errNotJSON   = errors.New("element is not valid JSON")
)

// plainElement has Element's fields without its methods.
type plainElement Element

// UnmarshalJSON keeps a copy of data and decodes the known fields. Anything but an object is an
// error.
func (e *Element) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(slices.Clone(data))
	if err == nil {
		*e = parsed
	}
	return err
}

// Parse is [Element.UnmarshalJSON] without the copy: the element keeps data, which must not be changed
// any more.
func Parse(data json.RawMessage) (Element, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return Element{}, errNotObject
	}
	if !json.Valid(data) {
		return Element{}, errNotJSON
	}
	e := Element{raw: data}
	decode(e.raw, reflect.ValueOf(&e).Elem(), elementFields)
	e.sum = sumOf(plainElement(e))
	return e, nil
}

// MarshalJSON writes the element as it was received. Fields changed since then replace what was
// received.
func (e Element) MarshalJSON() ([]byte, error) {
	if e.raw == nil {
		return jsonobject.Marshal(plainElement(e))
	}
	if sumOf(plainElement(e)) == e.sum {
		return e.raw, nil
	}
	was, err := Parse(e.raw)
	if err != nil {
		return nil, fmt.Errorf("stored element: %w", err)
	}
	return patchObject(e.raw, plainElement(was), plainElement(e))
}

// Raw returns the element's JSON as the server sent it, including the keys without a field here. It
// returns nil for an element that was not decoded from JSON. The caller must not change it.
func (e Element) Raw() json.RawMessage { return e.raw }

// MetadataMember returns a member of the element's metadata by the API's name, as the server sent
// it. It ignores changes of the fields of [Metadata]. ok is false if the server sent no such
// member, or if the element was not decoded from JSON.
func (e Element) MetadataMember(name string) (value json.RawMessage, ok bool) {
	metadata, ok := lastMember(e.raw, "metadata")
	if !ok {
		return nil, false
	}
	return lastMember(metadata, name)
}

// lastMember returns the value of an object's member, of a repeated one the last.
func lastMember(object json.RawMessage, name string) (value json.RawMessage, ok bool) {
	if !jsonobject.Is(object) {
		return nil, false
	}
	members, _ := jsonobject.Members(object) // it was read before
	for _, m := range members {
		if m.Name == name {
			value, ok = m.Value, true
		}
	}
	return value, ok
}

// patchObject returns the JSON object raw with what differs between the structs was and now
// replaced, added or taken out; what neither of them knows stays, in its order. A member that is
// repeated stays once, with its last value.
func patchObject(raw json.RawMessage, was, now any) (json.RawMessage, error) {
	wasFields, err := objectFields(was)
	if err != nil {
		return nil, err
	}
	nowFields, err := objectFields(now)
	if err != nil {
		return nil, err
	}
	var members []jsonobject.Member
	if jsonobject.Is(raw) {
		if members, err = onceEach(raw); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nowFields)) {
		value := nowFields[name]
		old, had := wasFields[name]
		if had && bytes.Equal(old, value) {
			continue
		}
		at := memberNamed(members, name)
		if at < 0 {
			members = append(members, jsonobject.New(name, value))
			continue
		}
		if name == "metadata" && had {
			if value, err = patchObject(members[at].Value, old, value); err != nil {
				return nil, err
			}
		}
		members[at].Value = value
	}
	members = slices.DeleteFunc(members, func(m jsonobject.Member) bool {
		_, had := wasFields[m.Name]
		_, still := nowFields[m.Name]
		return had && !still
	})
	return jsonobject.Join(members), nil
}

func memberNamed(members []jsonobject.Member, name string) int {
	return slices.IndexFunc(members, func(m jsonobject.Member) bool { return m.Name == name })
}

// onceEach returns the members of an object, a repeated one at its first place, with its last
// value.
func onceEach(raw json.RawMessage) ([]jsonobject.Member, error) {
	members, err := jsonobject.Members(raw)
	var once []jsonobject.Member
	for _, m := range members {
		if at := memberNamed(once, m.Name); at >= 0 {
			once[at].Value = m.Value
			continue
		}
		once = append(once, m)
	}
	return once, err
}

func objectFields(v any) (map[string]json.RawMessage, error) {
	data, err := jsonobject.Marshal(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	return fields, json.Unmarshal(data, &fields)
}

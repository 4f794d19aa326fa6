package partition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// An Element is one piece of a document: a title, a paragraph, a table.
//
// Decoding is lossless. The fields below are what is known of the API's answer; the answer's own JSON is kept beside them, so
// that an element which is read and written back has every key, null and digit that came, in the order in which it came. A field
// that is changed before writing is written with its new value, in its old place.
//
// A known key whose JSON has an unexpected type (a page number that is a string) leaves its field at the zero value; the raw JSON
// still has it.
type Element struct {
	Type     ElementType `json:"type"`
	ID       string      `json:"element_id"` // 32 hex digits, or a UUID when unique_element_ids is set
	Text     string      `json:"text"`
	Metadata Metadata    `json:"metadata"`

	raw json.RawMessage // compact, as received; nil for an element that was made here
}

// ElementType is the kind of an element. The server is the judge: unknown names pass through.
type ElementType string

// The element types that the API emits today.
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
	TypePageNumber        ElementType = "PageNumber"
	TypeCodeSnippet       ElementType = "CodeSnippet"
	TypeFormKeysValues    ElementType = "FormKeysValues"
	TypeCheckBox          ElementType = "CheckBox"
	TypeDocumentData      ElementType = "DocumentData"
	TypeForm              ElementType = "Form"
)

var errNotObject = errors.New("element is not a JSON object")

// plainElement has Element's fields without its methods.
type plainElement Element

// UnmarshalJSON keeps data and reads the known fields out of it. Anything but an object is an error.
func (e *Element) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return errNotObject
	}
	var p plainElement
	if err := lenient(json.Unmarshal(data, &p)); err != nil {
		return err
	}
	*e = Element(p)
	e.raw = slices.Clone(data)
	return nil
}

// lenient lets pass what [json.Unmarshal] reports of single values of an unexpected type: it has read everything else by then.
func lenient(err error) error {
	if wrongType := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrongType) {
		return nil
	}
	return err
}

// MarshalJSON writes the element as it was received. Fields changed since then replace what was received.
func (e Element) MarshalJSON() ([]byte, error) {
	if e.raw == nil {
		return marshal(plainElement(e))
	}
	var was Element
	if err := was.UnmarshalJSON(e.raw); err != nil {
		return nil, fmt.Errorf("stored element: %w", err)
	}
	now := e
	now.raw = was.raw
	if reflect.DeepEqual(was, now) {
		return e.raw, nil
	}
	return patchObject(e.raw, plainElement(was), plainElement(now))
}

// Raw returns the element's JSON as the server sent it, with every key, also those that have no field here; nil for an element
// that did not come from JSON. The caller must not change it.
func (e Element) Raw() json.RawMessage { return e.raw }

// marshal is [json.Marshal] without the escaping of <, > and &, which the API does not do either.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// patchObject returns the JSON object raw with what differs between the structs was and now replaced, added or taken out; what
// neither of them knows stays, in its order.
func patchObject(raw json.RawMessage, was, now any) ([]byte, error) {
	wasFields, err := objectFields(was)
	if err != nil {
		return nil, err
	}
	nowFields, err := objectFields(now)
	if err != nil {
		return nil, err
	}
	keys, values, err := orderedObject(raw)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(nowFields)) {
		value := nowFields[key]
		old, had := wasFields[key]
		if had && bytes.Equal(old, value) {
			continue
		}
		if _, present := values[key]; !present {
			keys = append(keys, key)
		}
		if key == "metadata" && had && values[key] != nil {
			if value, err = patchObject(values[key], json.RawMessage(old), json.RawMessage(value)); err != nil {
				return nil, err
			}
		}
		values[key] = value
	}
	for key := range wasFields {
		if _, still := nowFields[key]; !still {
			delete(values, key)
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, key := range keys {
		value, present := values[key]
		if !present {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		name, err := marshal(key)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func objectFields(v any) (map[string]json.RawMessage, error) {
	data, err := marshal(v)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	return fields, json.Unmarshal(data, &fields)
}

// orderedObject returns the keys of a JSON object in their order, a repeated key once, and their values, of a repeated key the
// last. Anything but an object has no keys.
func orderedObject(raw json.RawMessage) (keys []string, values map[string]json.RawMessage, err error) {
	values = map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, values, err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		key := name.(string)
		if _, again := values[key]; !again {
			keys = append(keys, key)
		}
		values[key] = value
	}
	return keys, values, nil
}

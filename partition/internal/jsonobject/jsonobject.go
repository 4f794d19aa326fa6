// Package jsonobject takes JSON objects apart and puts them together again, without losing the
// order of their members, a repeated one, or the spelling of anything.
package jsonobject

import (
	"bytes"
	"encoding/json"
)

// A Member is one member of a JSON object.
type Member struct {
	Name  string
	Key   json.RawMessage // the name as it is spelled
	Value json.RawMessage
}

// New returns a member.
func New(name string, value json.RawMessage) Member {
	key, _ := Marshal(name) // a string always has a JSON
	return Member{Name: name, Key: key, Value: value}
}

// Is reports whether a JSON value is an object.
func Is(value []byte) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	return len(value) > 0 && value[0] == '{'
}

// Members returns the members of an object in their order, repeated ones too.
func Members(object []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var members []Member
	for dec.More() {
		before := dec.InputOffset()
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := Member{Key: bytes.TrimLeft(object[before:dec.InputOffset()], " \t\r\n,")}
		m.Name, _ = name.(string) // anything else is an error of Token
		if err := dec.Decode(&m.Value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// Join returns the object with these members.
func Join(members []Member) json.RawMessage {
	object := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, m.Key...)
		object = append(object, ':')
		object = append(object, m.Value...)
	}
	return append(object, '}')
}

// Marshal is [json.Marshal] without the escaping of <, > and &, which the API does not do either.
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Package jsonobject takes JSON objects apart and puts them together again, without losing the
// order of their members, a repeated one, or the spelling of anything.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

var errNoObject = errors.New("not a JSON object")

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
	if !Is(object) || !json.Valid(object) {
		return nil, errNoObject
	}
	return slices.Collect(All(object)), nil
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

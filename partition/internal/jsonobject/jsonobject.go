// Package jsonobject takes JSON objects apart and puts them together again, without losing the
// order of their members, a repeated one, or the spelling of anything.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/quire-dev/quire/partition/internal/jsonlist"
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

// Members returns the members of an object in their order, repeated ones too. They share its memory.
func Members(object []byte) ([]Member, error) {
	rest, found := bytes.CutPrefix(bytes.TrimLeft(object, blanks), []byte("{"))
	if !found {
		return nil, errNotObject
	}
	var members []Member
	for rest = bytes.TrimLeft(rest, blanks); !bytes.HasPrefix(rest, []byte("}")); {
		var m Member
		var err error
		if m.Key, rest, err = cut(rest, ":"); err == nil {
			err = json.Unmarshal(m.Key, &m.Name)
		}
		if err != nil {
			return nil, err
		}
		if m.Value, rest, err = cut(rest, ",}"); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

const blanks = " \t\r\n"

var errNotObject = errors.New("not a JSON object")

// cut takes the value that text begins with, and what is after it: one of after, of which } stays.
func cut(text []byte, after string) (value json.RawMessage, rest []byte, err error) {
	n, err := jsonlist.Length(text)
	if err != nil {
		return nil, nil, err
	}
	rest = bytes.TrimLeft(text[n:], blanks)
	if len(rest) == 0 || !strings.ContainsRune(after, rune(rest[0])) {
		return nil, nil, errNotObject
	}
	if rest[0] != '}' {
		rest = bytes.TrimLeft(rest[1:], blanks)
	}
	return json.RawMessage(text[:n:n]), rest, nil
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

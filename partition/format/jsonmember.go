package format

import (
	"bytes"
	"encoding/json"
)

// A member is one member of a JSON object.
type member struct {
	name     string
	key      json.RawMessage // the name as it is spelled
	value    json.RawMessage
	givesWay string // what goes before the name where it is taken; "" for a member that keeps its name
}

func newMember(name string, value json.RawMessage) member {
	return member{name: name, key: jsonText(name), value: value}
}

// membersOf returns the members of a JSON object in their order, repeated ones too.
func membersOf(object []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var members []member
	for dec.More() {
		before := dec.InputOffset()
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: bytes.TrimLeft(object[before:dec.InputOffset()], " \t\r\n,")}
		m.name, _ = name.(string) // anything else is an error of Token
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// objectOf is the JSON object with these members.
func objectOf(members []member) json.RawMessage {
	object := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, m.key...)
		object = append(object, ':')
		object = append(object, m.value...)
	}
	return append(object, '}')
}

func isObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }

// jsonText is the JSON of a value made of strings, with <, > and & as they are, as the API writes
// them.
func jsonText(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings always have a JSON
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

package format

import (
	"encoding/json"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// A member is one member of an element's JSON.
type member struct {
	jsonobject.Member
	givesWay string // what goes before the name where it is taken; "" for a member that keeps its name
}

func newMember(name string, value json.RawMessage) member {
	return member{Member: jsonobject.New(name, value)}
}

// membersOf returns the members of a JSON object in their order, repeated ones too.
func membersOf(object []byte) ([]member, error) {
	found, err := jsonobject.Members(object)
	members := make([]member, len(found))
	for i, m := range found {
		members[i].Member = m
	}
	return members, err
}

// objectOf is the JSON object with these members.
func objectOf(members []member) json.RawMessage {
	plain := make([]jsonobject.Member, len(members))
	for i, m := range members {
		plain[i] = m.Member
	}
	return jsonobject.Join(plain)
}

// jsonText is the JSON of a value made of strings, with <, > and & as they are, as the API writes
// them.
func jsonText(v any) json.RawMessage {
	text, _ := jsonobject.Marshal(v) // strings always have a JSON
	return text
}

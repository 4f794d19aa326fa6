package partition

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
	"github.com/quire-dev/quire/partition/internal/secret"
)

// A jsonType is what the value of a member must be.
type jsonType struct {
	words string
	is    func(value []byte) bool
}

var (
	jsonString  = jsonType{"a string", begins('"')}
	jsonObject  = jsonType{"an object", begins('{')}
	jsonWhole   = jsonType{"a whole number", isWhole}
	jsonStrings = jsonType{"a list of strings", listOf(begins('"'))}
	jsonWholes  = jsonType{"a list of whole numbers", listOf(isWhole)}
)

// A schema is what the members of an object must be. null is the same as no member. What is not
// listed may be anything: servers differ, and it goes into the output as it is.
type schema struct {
	prefix  string // of the members' names, in messages
	members []memberType
	index   jsonobject.Index
}

type memberType struct {
	name string
	jsonType
}

func newSchema(prefix string, members ...memberType) *schema {
	s := &schema{prefix: prefix, members: members, index: jsonobject.Index{}}
	for i, m := range members {
		s.index[m.name] = i
	}
	return s
}

// elementSchema and metadataSchema list the members that outputs are made of. The first ones have the
// places of the constants.
var (
	elementSchema = newSchema(
		"",
		memberType{"type", jsonString}, memberType{"element_id", jsonString}, memberType{"text", jsonString}, memberType{"metadata", jsonObject},
	)
	metadataSchema = newSchema(
		"metadata.",
		memberType{"parent_id", jsonString}, memberType{"category_depth", jsonWhole}, memberType{"page_number", jsonWhole},
		memberType{"filename", jsonString}, memberType{"filetype", jsonString}, memberType{"page_name", jsonString},
		memberType{"languages", jsonStrings}, memberType{"coordinates", jsonObject}, memberType{"text_as_html", jsonString},
		memberType{"emphasized_text_contents", jsonStrings}, memberType{"emphasized_text_tags", jsonStrings},
		memberType{"link_texts", jsonStrings}, memberType{"link_urls", jsonStrings}, memberType{"link_start_indexes", jsonWholes},
		memberType{"url", jsonString}, memberType{"image_base64", jsonString}, memberType{"image_mime_type", jsonString},
		memberType{"image_url", jsonString}, memberType{"orig_elements", jsonString},
		memberType{"sent_from", jsonStrings}, memberType{"sent_to", jsonStrings}, memberType{"subject", jsonString},
	)
)

const (
	memberKind = iota
	memberID
	memberText
	memberMetadata

	memberParent = 0
	memberDepth  = 1
)

// The members of one element: of a repeated one the last, nil for one that is not there.
type elementMembers struct{ element, metadata [][]byte }

func newElementMembers() *elementMembers {
	return &elementMembers{make([][]byte, len(elementSchema.members)), make([][]byte, len(metadataSchema.members))}
}

// read takes an element, a JSON object, apart.
func (m *elementMembers) read(raw []byte) {
	clear(m.metadata)
	elementSchema.index.Read(raw, m.element)
	if metadata := m.element[memberMetadata]; jsonobject.Is(metadata) {
		metadataSchema.index.Read(metadata, m.metadata)
	}
}

// forget lets go of the element.
func (m *elementMembers) forget() {
	clear(m.element)
	clear(m.metadata)
}

// maxDepth is how deep an element may be nested. The API's are nested less than 10 deep; Python's
// parser stops at about 1000.
const maxDepth = 256

// typeCheckBox is the type whose elements have no text from servers of 2023.
const typeCheckBox = "CheckBox"

// check returns why the element is none of a partition answer, nil where it is one.
func (m *elementMembers) check(raw []byte, secrets *secret.Redactor) error {
	if opened := bytes.Count(raw, []byte("[")) + bytes.Count(raw, []byte("{")); opened > maxDepth {
		if depth := jsonobject.Depth(raw); depth > maxDepth {
			return fmt.Errorf("is nested %d deep, more than %d", depth, maxDepth)
		}
	}
	if err := elementSchema.check(m.element, secrets); err != nil {
		return err
	}
	switch kind := m.element[memberKind]; {
	case !given(kind), string(kind) == `""`:
		return errors.New("is no element: it has no type: " + excerptOf(raw, secrets))
	case m.element[memberText] == nil && jsonobject.Text(kind) != typeCheckBox:
		return errors.New("is no element: it has no text: " + excerptOf(raw, secrets))
	}
	return metadataSchema.check(m.metadata, secrets)
}

func (s *schema) check(values [][]byte, secrets *secret.Redactor) error {
	for i, want := range s.members {
		if value := values[i]; given(value) && !want.is(value) {
			return fmt.Errorf("is no element: its %s%s is %s, not %s: %s", s.prefix, want.name, jsonWords(value), want.words, excerptOf(value, secrets))
		}
	}
	return nil
}

func given(value []byte) bool { return len(value) > 0 && value[0] != 'n' }

func begins(c byte) func([]byte) bool {
	return func(value []byte) bool { return value[0] == c }
}

// listOf accepts a list of such items; null may stand for an item.
func listOf(is func([]byte) bool) func([]byte) bool {
	return func(value []byte) bool {
		if value[0] != '[' {
			return false
		}
		for item := range jsonobject.Items(value) {
			if given(item) && !is(item) {
				return false
			}
		}
		return true
	}
}

func isWhole(value []byte) bool {
	_, ok := jsonobject.Whole(value)
	return ok
}

// jsonWords says what a value is.
func jsonWords(value []byte) string {
	switch value[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

// excerptOf shows the beginning of a value.
func excerptOf(value []byte, secrets *secret.Redactor) string {
	return excerpt(value[:min(len(value), excerptBytes+secrets.Longest())], secrets)
}

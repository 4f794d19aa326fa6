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

// elementTypes and metadataTypes are the members that outputs are made of. null is the same as no
// member. What is not listed may be anything: servers differ, and it goes into the output as it is.
var (
	elementTypes = map[string]jsonType{
		"type": jsonString, "element_id": jsonString, "text": jsonString, "metadata": jsonObject,
	}
	metadataTypes = map[string]jsonType{
		"filename": jsonString, "filetype": jsonString, "page_number": jsonWhole, "page_name": jsonString, "languages": jsonStrings,
		"parent_id": jsonString, "category_depth": jsonWhole, "coordinates": jsonObject,
		"text_as_html": jsonString, "emphasized_text_contents": jsonStrings, "emphasized_text_tags": jsonStrings,
		"link_texts": jsonStrings, "link_urls": jsonStrings, "link_start_indexes": jsonWholes, "url": jsonString,
		"image_base64": jsonString, "image_mime_type": jsonString, "image_url": jsonString, "orig_elements": jsonString,
		"sent_from": jsonStrings, "sent_to": jsonStrings, "subject": jsonString,
	}
)

// maxDepth is how deep an element may be nested. The API's are nested less than 10 deep; Python's
// parser stops at about 1000.
const maxDepth = 256

// checkElement returns why a JSON object is no element of a partition answer, nil where it is one.
func checkElement(raw []byte, secrets *secret.Redactor) error {
	if depth := jsonobject.Depth(raw); depth > maxDepth {
		return fmt.Errorf("is nested %d deep, more than %d", depth, maxDepth)
	}
	last, err := checkMembers(raw, "", elementTypes, secrets)
	switch {
	case err != nil:
		return err
	case !given(last["type"]), string(last["type"]) == `""`:
		return errors.New("is no element: it has no type: " + excerptOf(raw, secrets))
	case last["text"] == nil && jsonobject.Text(last["type"]) != typeCheckBox:
		return errors.New("is no element: it has no text: " + excerptOf(raw, secrets))
	case !given(last["metadata"]):
		return nil
	}
	_, err = checkMembers(last["metadata"], "metadata.", metadataTypes, secrets)
	return err
}

// typeCheckBox is the type whose elements have no text from servers of 2023.
const typeCheckBox = "CheckBox"

// checkMembers checks the members of an object, and returns those that have a type. Of a repeated
// one the last counts.
func checkMembers(object []byte, prefix string, types map[string]jsonType, secrets *secret.Redactor) (map[string][]byte, error) {
	last := make(map[string][]byte, len(types))
	for m := range jsonobject.All(object) {
		if _, known := types[m.Name]; known {
			last[m.Name] = m.Value
		}
	}
	for m := range jsonobject.All(object) {
		if want, known := types[m.Name]; known && given(last[m.Name]) && !want.is(last[m.Name]) {
			return nil, fmt.Errorf("is no element: its %s%s is %s, not %s: %s", prefix, m.Name, jsonWords(last[m.Name]), want.words, excerptOf(last[m.Name], secrets))
		}
	}
	return last, nil
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
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// excerptOf shows the beginning of a value.
func excerptOf(value []byte, secrets *secret.Redactor) string {
	return excerpt(bytes.TrimSpace(value[:min(len(value), excerptBytes+secrets.Longest())]), secrets)
}

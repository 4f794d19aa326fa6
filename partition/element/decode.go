package element

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// The fields of the structs that are decoded, by the names of their members.
var (
	elementFields     = fieldsOf(reflect.TypeFor[Element]())
	metadataFields    = fieldsOf(reflect.TypeFor[Metadata]())
	coordinatesFields = fieldsOf(reflect.TypeFor[Coordinates]())
)

func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			fields[name] = i
		}
	}
	return fields
}

// decode sets the fields of a struct from a JSON object. Names are exact, and of a repeated member
// the last counts, with nothing of the others: so other languages read it, unlike [json.Unmarshal].
// A member of an unexpected type leaves its field zero.
func decode(object []byte, into reflect.Value, fields map[string]int) {
	if !jsonobject.Is(object) {
		return
	}
	for m := range jsonobject.All(object) {
		i, known := fields[m.Name]
		if !known {
			continue
		}
		field := into.Field(i)
		field.SetZero()
		switch to := field.Addr().Interface().(type) {
		case *Metadata:
			decode(m.Value, field, metadataFields)
		case **Coordinates:
			if jsonobject.Is(m.Value) {
				*to = &Coordinates{}
				decode(m.Value, field.Elem(), coordinatesFields)
			}
		case *int:
			*to, _ = jsonobject.Whole(m.Value)
		case **int:
			if n, ok := jsonobject.Whole(m.Value); ok {
				*to = &n
			}
		case *[]string:
			*to = listOf(m.Value, func(item []byte) (string, bool) { return jsonobject.Text(item), item[0] == '"' })
		case *[]int:
			*to = listOf(m.Value, jsonobject.Whole)
		default:
			decodeValue(m.Value, field)
		}
	}
}

func decodeValue(value []byte, field reflect.Value) {
	switch {
	case field.Kind() != reflect.String:
		if json.Unmarshal(value, field.Addr().Interface()) != nil {
			field.SetZero()
		}
	case value[0] == '"':
		field.SetString(jsonobject.Text(value))
	}
}

// listOf is a list of such items, in which a null is a zero; nil for anything else.
func listOf[T any](value []byte, read func(item []byte) (T, bool)) []T {
	if value[0] != '[' {
		return nil
	}
	list := []T{}
	for item := range jsonobject.Items(value) {
		read, ok := read(item)
		if !ok && item[0] != 'n' {
			return nil
		}
		list = append(list, read)
	}
	return list
}

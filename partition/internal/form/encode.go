package form

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/quire-dev/quire/partition/internal/text"
)

// A Pair is one field of a request's form.
type Pair struct{ Name, Value string }

// Encode returns the form fields of a struct whose fields have the tag form:"name", and of what was
// set by name alone: in the order of the table, unset ones absent, a list as name[] for each of its
// values; then, by name, those that are not in the table, several values of one name as name[]
// each.
func Encode(params any, extra url.Values) ([]Pair, error) {
	for name := range extra {
		if err := checkExtra(params, name); err != nil {
			return nil, err
		}
	}
	var pairs []Pair
	for _, field := range table {
		values, err := valuesOf(reflect.ValueOf(params), field, extra)
		if err != nil {
			return nil, err
		}
		name := field.Name
		if field.Kind == List {
			name += "[]"
		}
		for _, value := range values {
			pairs = append(pairs, Pair{name, value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, known := lookup(name); known {
			continue
		}
		wireName := name
		if len(extra[name]) > 1 && !strings.HasSuffix(name, "[]") {
			wireName += "[]"
		}
		for _, value := range extra[name] {
			pairs = append(pairs, Pair{wireName, value})
		}
	}
	return pairs, nil
}

// valuesOf returns the values of one field of the table, none where it is unset.
func valuesOf(params reflect.Value, field Field, extra url.Values) ([]string, error) {
	member := memberOf(params, field.Name)
	if !member.IsValid() {
		return canonical(field, extra[field.Name])
	}
	if member.IsZero() {
		return nil, nil
	}
	switch value := reflect.Indirect(member); value.Kind() {
	case reflect.Slice:
		return value.Interface().([]string), nil
	case reflect.Bool:
		return []string{strconv.FormatBool(value.Bool())}, nil
	case reflect.Int:
		return []string{strconv.FormatInt(value.Int(), 10)}, nil
	case reflect.Float64:
		return []string{formatFloat(value.Float())}, nil
	default:
		return []string{value.String()}, nil
	}
}

// canonical returns the values of a field as they are sent: texts as they are, flags and numbers in
// one spelling.
func canonical(field Field, values []string) ([]string, error) {
	switch {
	case field.Kind == List || len(values) == 0:
		return values, nil
	case len(values) > 1:
		return nil, fmt.Errorf("parameter %s: %d values, but it takes one", field.Name, len(values))
	}
	said := values[0]
	var err error
	switch field.Kind {
	case Bool:
		var b bool
		b, err = strconv.ParseBool(said)
		said = strconv.FormatBool(b)
	case Int:
		var n int64
		n, err = strconv.ParseInt(said, 10, 64)
		said = strconv.FormatInt(n, 10)
	case Float:
		var f float64
		f, err = strconv.ParseFloat(said, 64)
		said = formatFloat(f)
	default:
		if said == "" {
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("parameter %s: %s is not a valid %s", field.Name, strconv.Quote(values[0]), field.Kind)
	}
	return []string{said}, nil
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// Set sets a field by its name: in the struct that params points to where that has a field with
// this tag, else in extra. A list takes all values, every other kind exactly one.
func Set(params any, extra *url.Values, name string, values ...string) error {
	if len(values) == 0 {
		return fmt.Errorf("parameter %s: no value", text.Printable(name))
	}
	if field, known := lookup(name); known {
		sent, err := canonical(field, values)
		if err != nil {
			return err
		}
		if member := memberOf(reflect.ValueOf(params).Elem(), name); member.IsValid() {
			assign(member, sent)
			return nil
		}
	}
	if err := checkExtra(reflect.Indirect(reflect.ValueOf(params)).Interface(), name); err != nil {
		return err
	}
	if *extra == nil {
		*extra = url.Values{}
	}
	(*extra)[name] = slices.Clone(values)
	return nil
}

// assign sets a member of a struct to values that are spelled as they are sent.
func assign(member reflect.Value, values []string) {
	if member.Kind() == reflect.Slice {
		member.Set(reflect.ValueOf(slices.Clone(values)))
		return
	}
	said := ""
	if len(values) > 0 {
		said = values[0]
	}
	if member.Kind() == reflect.String {
		member.SetString(said)
		return
	}
	value := reflect.New(member.Type().Elem())
	switch value.Elem().Kind() {
	case reflect.Bool:
		value.Elem().SetBool(said == "true")
	case reflect.Int:
		n, _ := strconv.ParseInt(said, 10, 64) // it was formatted from a number
		value.Elem().SetInt(n)
	default:
		f, _ := strconv.ParseFloat(said, 64) // as above
		value.Elem().SetFloat(f)
	}
	member.Set(value)
}

// memberOf is the member of a struct that has a form field's value, invalid where there is none.
func memberOf(params reflect.Value, name string) reflect.Value {
	for i := range params.NumField() {
		if params.Type().Field(i).Tag.Get("form") == name {
			return params.Field(i)
		}
	}
	return reflect.Value{}
}

// checkExtra refuses the names that may not be set by name alone: those of the struct's own fields,
// and those that the client owns.
func checkExtra(params any, name string) error {
	plain := strings.TrimSuffix(name, "[]")
	switch {
	case plain == "":
		return errors.New("parameter without a name")
	case plain == "files" || strings.HasPrefix(plain, "split_pdf_"):
		return fmt.Errorf("parameter %s: not sent to the server; use the client's own option", text.Printable(name))
	}
	if _, known := lookup(plain); known && (plain != name || memberOf(reflect.ValueOf(params), plain).IsValid()) {
		return fmt.Errorf("parameter %s: set its field in Params instead", text.Printable(name))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("parameter %s: control character in the name", text.Printable(name))
	}
	return nil
}

// Keep unsets, in the struct that params points to and in extra, either what says how text is
// chunked or everything else. The values of extra are not changed: what is returned replaces it.
func Keep(params any, extra url.Values, chunking bool) url.Values {
	v := reflect.ValueOf(params).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("form"); name != "" && isChunking(name) != chunking {
			v.Field(i).SetZero()
		}
	}
	kept := url.Values{}
	for name, values := range extra {
		if isChunking(name) == chunking {
			kept[name] = values
		}
	}
	return kept
}

func isChunking(name string) bool {
	field, _ := lookup(name)
	return field.chunking
}

// Concurrency is how finely a PDF is cut, for the API's split_pdf_concurrency_level: 0 or less is
// 10, more than 50, the official client's limit, is 50: a finer cut only multiplies requests.
func Concurrency(level int) int {
	const usual, most = 10, 50
	if level <= 0 {
		return usual
	}
	return min(level, most)
}

package parquet

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// A column is the place of a member of the element or of its metadata.
type column struct {
	name  string
	owner owner
	kind  kind
}

// An owner is what a column belongs to.
type owner int

const (
	ofElement owner = iota
	ofMetadata
	ofSource
)

// A kind is what is in a column.
type kind struct {
	node parquet.Node
	list bool
	put  func(json.RawMessage) (parquet.Value, bool) // of a list: each of its values; false: it does not fit
	get  func(parquet.Value) any
}

var (
	aText   = kind{node: parquet.String(), put: textValue, get: valueText}
	aWord   = kind{node: parquet.Encoded(parquet.String(), &parquet.RLEDictionary), put: textValue, get: valueText} // repeated in many rows
	aNumber = kind{node: parquet.Int(32), put: numberValue, get: valueNumber}
	texts   = kind{node: parquet.List(parquet.String()), list: true, put: textValue, get: valueText}
	numbers = kind{node: parquet.List(parquet.Int(32)), list: true, put: numberValue, get: valueNumber}
	members = kind{node: parquet.JSON()}
)

// columns are the columns in their order, as the package's documentation has them.
var columns = []column{
	{"type", ofElement, aWord},
	{"element_id", ofElement, aText},
	{"text", ofElement, aText},
	{"filename", ofMetadata, aWord},
	{"filetype", ofMetadata, aWord},
	{"page_number", ofMetadata, aNumber},
	{"page_name", ofMetadata, aWord},
	{"languages", ofMetadata, texts},
	{"parent_id", ofMetadata, aWord},
	{"category_depth", ofMetadata, aNumber},
	{"text_as_html", ofMetadata, aText},
	{"emphasized_text_contents", ofMetadata, texts},
	{"emphasized_text_tags", ofMetadata, texts},
	{"link_texts", ofMetadata, texts},
	{"link_urls", ofMetadata, texts},
	{"link_start_indexes", ofMetadata, numbers},
	{"url", ofMetadata, aWord},
	{"image_base64", ofMetadata, aText},
	{"image_mime_type", ofMetadata, aWord},
	{"image_path", ofMetadata, aText},
	{"image_url", ofMetadata, aText},
	{"orig_elements", ofMetadata, aText},
	{"sent_from", ofMetadata, texts},
	{"sent_to", ofMetadata, texts},
	{"subject", ofMetadata, aWord},
	{"source_path", ofSource, aWord},
	{"source_sha256", ofSource, aWord},
	{"metadata", ofMetadata, members}, // the members without a column
	{"element", ofElement, members},
}

// schema has the columns, each of which may be null.
var schema = func() *parquet.Schema {
	group := orderedGroup{parquet.Group{}}
	for _, c := range columns {
		group.Group[c.name] = parquet.Optional(c.kind.node)
	}
	return parquet.NewSchema("element", group)
}()

// An orderedGroup has its fields in the order of the columns; a [parquet.Group] has them by name.
type orderedGroup struct{ parquet.Group }

// Fields returns the fields.
func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return columnNamed(a.Name()) - columnNamed(b.Name()) })
	return fields
}

// columnNamed is the index of a column, -1 if there is none.
func columnNamed(name string) int {
	return slices.IndexFunc(columns, func(c column) bool { return c.name == name })
}

func textValue(value json.RawMessage) (parquet.Value, bool) {
	var s string
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return parquet.Value{}, false
	}
	return parquet.ByteArrayValue([]byte(s)), true
}

// numberValue reads an integer as JSON usually spells it. 1.0 and 1e3 do not fit, so that no digit is lost.
func numberValue(value json.RawMessage) (parquet.Value, bool) {
	n, err := strconv.ParseInt(string(value), 10, 32)
	fits := err == nil && strconv.FormatInt(n, 10) == string(value)
	return parquet.Int32Value(int32(max(math.MinInt32, min(n, math.MaxInt32)))), fits
}

func valueText(v parquet.Value) any   { return string(v.ByteArray()) }
func valueNumber(v parquet.Value) any { return v.Int32() }

// A cell is what is in one column of a row: nil for null, an empty list for one.
type cell []parquet.Value

// cellOf reads a member's value; false: it does not fit.
func (k kind) cellOf(value json.RawMessage) (cell, bool) {
	if !k.list {
		v, fits := k.put(value)
		return cell{v}, fits
	}
	var values []json.RawMessage
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &values) != nil {
		return nil, false
	}
	list := make(cell, len(values))
	for i, value := range values {
		var fits bool
		if list[i], fits = k.put(value); !fits {
			return nil, false
		}
	}
	return list, true
}

// json is a cell's value. The cell is not null.
func (k kind) json(c cell) json.RawMessage {
	list := make([]any, len(c))
	for i, v := range c {
		list[i] = k.get(v)
	}
	var value any = list
	if !k.list {
		value = list[0]
	}
	data, _ := jsonobject.Marshal(value) // texts and numbers always have a JSON
	return data
}

// The definition levels: what of a value is there.
const (
	isNull   = 0
	isThere  = 1 // a value, or a list without values
	isListed = 2 // a value of a list
)

// appendTo appends a cell to a row, with the levels that Parquet has for it.
func (k kind) appendTo(row parquet.Row, c cell, index int) parquet.Row {
	switch {
	case c == nil:
		return append(row, parquet.NullValue().Level(0, isNull, index))
	case !k.list:
		return append(row, c[0].Level(0, isThere, index))
	case len(c) == 0:
		return append(row, parquet.NullValue().Level(0, isThere, index))
	}
	for i, v := range c {
		row = append(row, v.Level(min(i, 1), isListed, index))
	}
	return row
}

// cellFrom is the cell that the values of a column in one row make.
func (k kind) cellFrom(values []parquet.Value) cell {
	switch {
	case len(values) == 0 || values[0].DefinitionLevel() == isNull:
		return nil
	case k.list && values[0].DefinitionLevel() == isThere:
		return cell{}
	}
	return values
}

package local

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/quire-dev/quire/partition/internal/spool"
)

// A row is what the table shows of an element.
type row struct {
	Type     string          `json:"type"`
	ID       string          `json:"element_id"`
	Text     string          `json:"text"`
	Metadata json.RawMessage `json:"metadata"`
}

// cells returns the row's values by column, and the columns in their order.
func (r row) cells() (values map[string]string, columns []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(r.Metadata))
	dec.UseNumber()
	values = map[string]string{"type": r.Type, "element_id": r.ID, "text": r.Text}
	columns, err = flatten(dec, "", values)
	return values, columns, err
}

// writeCSV writes elements as the API's table: type, id and text, then the metadata with nested
// names joined by an underscore and lists in Python's notation. Columns that are empty in every row
// are left out; no elements at all are one newline. It goes through the rows twice and holds one at
// a time. A table longer than [maxAnswer] is refused.
func writeCSV(w *spool.File, rows func(yield func(row) error) error) error {
	columns := []string{"type", "element_id", "text"}
	filled := map[string]bool{}
	err := rows(func(r row) error {
		values, names, err := r.cells()
		for _, name := range names {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
		for name, value := range values {
			filled[name] = filled[name] || value != ""
		}
		return err
	})
	if err != nil {
		return err
	}
	columns = slices.DeleteFunc(columns, func(name string) bool { return !filled[name] })
	if len(columns) == 0 {
		_, err := io.WriteString(w, "\n")
		return err
	}
	table := csv.NewWriter(w)
	table.Write(columns) //nolint:errcheck // Flush keeps the error
	err = rows(func(r row) error {
		values, _, err := r.cells()
		cells := make([]string, len(columns))
		for i, name := range columns {
			cells[i] = values[name]
		}
		table.Write(cells) //nolint:errcheck // Flush keeps the error
		if w.Size() > maxAnswer {
			return answerTooLarge()
		}
		return err
	})
	table.Flush()
	return errors.Join(err, table.Error())
}

// flatten reads one JSON object into row and returns the names it has set, in their order.
func flatten(dec *json.Decoder, prefix string, row map[string]string) ([]string, error) {
	if _, err := dec.Token(); err != nil { // the opening brace
		return nil, err
	}
	var names []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name := prefix + key.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		inner := json.NewDecoder(bytes.NewReader(raw))
		inner.UseNumber()
		if raw[0] == '{' {
			nested, err := flatten(inner, name+"_", row)
			if err != nil {
				return nil, err
			}
			names = append(names, nested...)
			continue
		}
		var value any
		if err := inner.Decode(&value); err != nil {
			return nil, err
		}
		row[name] = cell(value)
		names = append(names, name)
	}
	return names, nil
}

func cell(value any) string {
	if text, is := value.(string); is {
		return text
	}
	return pythonValue(value)
}

// pythonValue writes a JSON value as Python prints it.
func pythonValue(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case string:
		return pythonString(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = pythonValue(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]any:
		items := make([]string, 0, len(v))
		for key, item := range v {
			items = append(items, pythonString(key)+": "+pythonValue(item))
		}
		slices.Sort(items)
		return "{" + strings.Join(items, ", ") + "}"
	}
	return fmt.Sprint(value)
}

func pythonString(s string) string {
	quoted := strconv.Quote(s)
	inner := strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + inner + `"`
	}
	return "'" + strings.ReplaceAll(inner, "'", `\'`) + "'"
}

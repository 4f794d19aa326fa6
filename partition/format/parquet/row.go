package parquet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

// A row is an element in the file: a cell for each column.
type row []cell

// newRow puts an element's members into columns.
func newRow(e format.Item, o format.Options) (row, error) {
	object, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	members, err := onceEach(object)
	if err != nil {
		return nil, err
	}
	r := make(row, len(columns))
	var rest []jsonobject.Member
	for _, m := range members {
		if m.Name == "metadata" && jsonobject.Is(m.Value) {
			if err := r.putMetadata(m.Value, e.ImagePath, o); err != nil {
				return nil, err
			}
		} else if !r.put(ofElement, m) {
			rest = append(rest, m)
		}
	}
	if len(rest) > 0 {
		r.set("element", string(jsonobject.Join(rest)))
	}
	if o.Source != nil {
		r.set("source_path", o.Source.Path)
		r.set("source_sha256", o.Source.SHA256)
	}
	return r, nil
}

func (r row) putMetadata(object json.RawMessage, imagePath string, o format.Options) error {
	members, err := onceEach(object)
	if err != nil {
		return err
	}
	var rest []jsonobject.Member
	for _, m := range members {
		switch {
		case !o.KeepsMetadata(m.Name):
		case imagePath != "" && m.Name == "image_path": // theirs would name a file there
		case imagePath != "" && m.Name == "image_base64":
			if o.KeepsMetadata("image_path") {
				r.set("image_path", imagePath)
			}
		case !r.put(ofMetadata, m):
			rest = append(rest, m)
		}
	}
	r.set("metadata", string(jsonobject.Join(rest)))
	return nil
}

// put puts a member into its column, if it has one and fits in it.
func (r row) put(o owner, m jsonobject.Member) (fits bool) {
	i := columnNamed(m.Name)
	if i < 0 || columns[i].owner != o || columns[i].kind.put == nil {
		return false
	}
	c, fits := columns[i].kind.cellOf(m.Value)
	if fits {
		r[i] = c
	}
	return fits
}

// set puts a text into a column.
func (r row) set(name, text string) {
	r[columnNamed(name)] = cell{parquet.ByteArrayValue([]byte(text))}
}

// text is what is in a column of texts; false: null.
func (r row) text(name string) (string, bool) {
	c := r[columnNamed(name)]
	if c == nil {
		return "", false
	}
	return string(c[0].ByteArray()), true
}

// onceEach returns the members of an object, of a repeated one the last.
func onceEach(object json.RawMessage) ([]jsonobject.Member, error) {
	members, err := jsonobject.Members(object)
	last := map[string]int{}
	for i, m := range members {
		last[m.Name] = i
	}
	var kept []jsonobject.Member
	for i, m := range members {
		if last[m.Name] == i {
			kept = append(kept, m)
		}
	}
	return kept, err
}

// object is the element's JSON.
func (r row) object() (json.RawMessage, error) {
	members := r.members(ofElement)
	var err error
	if others, there := r.text("metadata"); there {
		metadata, err := with(r.members(ofMetadata), others)
		if err != nil {
			return nil, fmt.Errorf("column metadata: %w", err)
		}
		members = append(members, jsonobject.New("metadata", jsonobject.Join(metadata)))
	}
	if others, there := r.text("element"); there {
		if members, err = with(members, others); err != nil {
			return nil, fmt.Errorf("column element: %w", err)
		}
	}
	return jsonobject.Join(members), nil
}

// members are those that stand in columns of their own.
func (r row) members(o owner) []jsonobject.Member {
	var members []jsonobject.Member
	for i, c := range columns {
		if c.owner == o && c.kind.get != nil && r[i] != nil {
			members = append(members, jsonobject.New(c.name, c.kind.json(r[i])))
		}
	}
	return members
}

// with adds the members of a JSON column. Where one stands in a column of its own, that counts.
func with(members []jsonobject.Member, object string) ([]jsonobject.Member, error) {
	if !jsonobject.Is([]byte(object)) || !json.Valid([]byte(object)) {
		return nil, errors.New("not a JSON object")
	}
	others, err := onceEach(json.RawMessage(object))
	for _, m := range others {
		if !slices.ContainsFunc(members, func(other jsonobject.Member) bool { return other.Name == m.Name }) {
			members = append(members, m)
		}
	}
	return members, err
}

// values is the row as Parquet has it.
func (r row) values() parquet.Row {
	values := make(parquet.Row, 0, len(r))
	for i, c := range r {
		values = columns[i].kind.appendTo(values, c, i)
	}
	return values
}

// valueSize is what a value takes beside its bytes.
const valueSize = 24

// size is about how much memory the row takes.
func (r row) size() int {
	size := 0
	for _, c := range r {
		for _, v := range c {
			size += valueSize
			if v.Kind() == parquet.ByteArray {
				size += len(v.ByteArray())
			}
		}
	}
	return size
}

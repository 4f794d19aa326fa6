package main

import (
	_ "embed"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

//go:embed processor.md
var description string

// spec is what Bento knows of the processor: its list, create and lint show and check it.
func spec() *service.ConfigSpec {
	s := service.NewConfigSpec().Version(partition.Version).Categories("Integration").
		Summary("Turns documents into elements through the Unstructured partition API.").Description(description).
		Example("A folder", "Documents in, a file of elements for each out, by the embedded engine.", example)
	for _, r := range rows() {
		s.Field(r.field())
	}
	return s
}

const example = `
input:
  file:
    paths: [ documents/*.pdf ]
    scanner: { to_the_end: {} }
pipeline:
  threads: 4
  processors:
    - quire_partition: { local: true }
output:
  file:
    path: ${! meta("path") }.jsonl
    codec: all-bytes
`

// A row is one field of the processor: how it is written and what it does.
type row struct {
	name   string
	kind   func(name string) *service.ConfigField
	read   reader
	help   string
	traits []trait
}

// A trait is what a field has beside its kind.
type trait = func(*service.ConfigField) *service.ConfigField

func (r row) field() *service.ConfigField {
	f := r.kind(r.name).Description(r.help)
	for _, has := range r.traits {
		f = has(f)
	}
	return f
}

// rows is the table of all fields: those of the processor, then every parameter of the API.
func rows() []row {
	return append(ownRows(), paramRows()...)
}

// paramRows are a row for each field of the API that the client knows.
func paramRows() []row {
	kinds := map[wire.FieldKind]func(string) *service.ConfigField{
		wire.KindString: service.NewStringField,
		wire.KindSecret: func(name string) *service.ConfigField { return service.NewStringField(name).Secret() },
		wire.KindBool:   service.NewBoolField,
		wire.KindInt:    service.NewIntField,
		wire.KindFloat:  service.NewFloatField,
		wire.KindList:   service.NewStringListField,
	}
	var all []row
	for _, field := range wire.Fields() {
		r := row{field.Name, kinds[field.Kind], param, "Sent to the API: " + field.Help + ".", []trait{optional}}
		if field.Name != "strategy" && field.Name != "languages" {
			r.traits = append(r.traits, advanced)
		}
		all = append(all, r)
	}
	return append(all, row{
		"extra", service.NewAnyMapField, extra, "Fields of the API that are not listed here: a value, or a list of values.",
		[]trait{byDefault(map[string]any{}), advanced, forExample(map[string]any{"some_new_field": "a value"})},
	})
}

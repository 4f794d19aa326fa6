package cmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
	_ "github.com/quire-dev/quire/partition/format/parquet" // -f parquet
)

// formatFlags are the flags that choose the output format and which elements are written.
type formatFlags struct {
	format          string
	options         outputOptions
	metadataInclude []string
	metadataExclude []string
	types           []string
	excludeTypes    []string

	changed func(flag string) bool // whether a flag was given
}

// outputOptions are what a format is told. They and the source are all that its bytes depend on
// beside the elements.
type outputOptions struct {
	format.Options // without Source and Images, which differ from document to document
	format         string
	sourceField    bool
	images         string // folder; "" leaves images where they are
}

// optionFlags is the table of the flags that set an option, with what a format must be able to do
// for them.
var optionFlags = []struct {
	flag  string
	needs format.Feature
	set   func(outputOptions) bool
}{
	{"csv-safe", format.FeatureCSVSafe, func(o outputOptions) bool { return o.CSVSafe }},
	{"source-field", format.FeatureSource, func(o outputOptions) bool { return o.sourceField }},
	{"images", format.FeatureImages, func(o outputOptions) bool { return o.images != "" }},
	{"metadata-include", format.FeatureMetadata, func(o outputOptions) bool { return o.MetadataInclude != nil }},
	{"metadata-exclude", format.FeatureMetadata, func(o outputOptions) bool { return o.MetadataExclude != nil }},
	{"flatten-metadata", format.FeatureFlatten, func(o outputOptions) bool { return o.FlattenMetadata }},
	{"element-types", 0, func(o outputOptions) bool { return o.ElementTypes != nil }},
	{"exclude-element-types", 0, func(o outputOptions) bool { return o.ExcludeElementTypes != nil }},
}

func (f *formatFlags) add(flags *pflag.FlagSet) {
	f.changed = flags.Changed
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVarP(&f.format, "format", "f", "json", "output format: "+formatsThatKnow(0)+". On a terminal, control characters in texts are shown as escapes, such as \\u001b; files and pipes get them as they are")
		flags.BoolVar(&f.options.CSVSafe, "csv-safe", false, "with -f csv: put an apostrophe before text that a spreadsheet would run as a formula")
		flags.BoolVar(&f.options.sourceField, "source-field", false, "add a source field to each element, with the document's path and SHA-256")
		flags.StringVar(&f.options.images, "images", "", "save images as files in this `folder`; elements then have image_path instead of image_base64")
		flags.StringSliceVar(&f.metadataInclude, "metadata-include", nil, "write only these metadata fields")
		flags.StringSliceVar(&f.metadataExclude, "metadata-exclude", nil, "leave out these metadata fields")
		flags.BoolVar(&f.options.FlattenMetadata, "flatten-metadata", false, "write metadata fields at the top level of the element; a field becomes metadata.NAME if the element already has a NAME")
		flags.StringSliceVar(&f.types, "element-types", nil, "write only elements of these types, such as Title,Table")
		flags.StringSliceVar(&f.excludeTypes, "exclude-element-types", nil, "leave out elements of these types")
	})
}

// check returns the format and its options. An option that the format does not know is a usage
// error.
func (f *formatFlags) check() (format.Format, outputOptions, error) {
	o := f.options
	form, known := format.Lookup(f.format)
	if !known {
		return form, o, usageError("--format %q: must be one of %s", f.format, formatsThatKnow(0))
	}
	o.format = form.Name
	if f.changed("images") && o.images == "" {
		return form, o, usageError("--images: no folder given")
	}
	var err error
	if o.MetadataInclude, o.MetadataExclude, err = filterOf(
		f.changed, "metadata-include", f.metadataInclude, "metadata-exclude", f.metadataExclude,
	); err != nil {
		return form, o, err
	}
	if o.ElementTypes, o.ExcludeElementTypes, err = filterOf(
		f.changed, "element-types", elementTypes(f.types), "exclude-element-types", elementTypes(f.excludeTypes),
	); err != nil {
		return form, o, err
	}
	for _, row := range optionFlags {
		if row.set(o) && form.Features&row.needs != row.needs {
			return form, o, usageError("--%s cannot be used with -f %s, only with %s", row.flag, form.Name, formatsThatKnow(row.needs))
		}
	}
	return form, o, nil
}

func formatsThatKnow(features format.Feature) string {
	return strings.Join(format.Names(features), ", ")
}

// filterOf reads the two flags of a filter, of which only one may be given.
func filterOf[S ~string](changed func(string) bool, includeFlag string, include []S, excludeFlag string, exclude []S) (_, _ []S, err error) {
	if changed(includeFlag) && changed(excludeFlag) {
		return nil, nil, usageError("--%s and --%s cannot be used together", includeFlag, excludeFlag)
	}
	include, exclude = names(include), names(exclude)
	for flag, list := range map[string][]S{includeFlag: include, excludeFlag: exclude} {
		if changed(flag) && list == nil {
			return nil, nil, usageError("--%s: no names given", flag)
		}
	}
	return include, exclude, nil
}

// names are the names of a list, sorted and once each; nil where there are none.
func names[S ~string](list []S) []S {
	var names []S
	for _, name := range list {
		if name = S(strings.TrimSpace(string(name))); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func elementTypes(names []string) []element.ElementType {
	types := make([]element.ElementType, len(names))
	for i, name := range names {
		types[i] = element.ElementType(name)
	}
	return types
}

// given returns the first flag that was set, or "" if none was. It is for output that no format
// writes.
func (o outputOptions) given() string {
	for _, row := range optionFlags {
		if row.set(o) {
			return row.flag
		}
	}
	return ""
}

// key returns a text that is equal for two sets of options exactly if they write the same output
// for the same elements of the same document.
func (o outputOptions) key() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(struct { // strings and booleans always have a JSON
		Format       string                `json:"format"`
		CSVSafe      bool                  `json:"csv_safe,omitempty"`
		SourceField  bool                  `json:"source_field,omitempty"`
		Images       string                `json:"images,omitempty"`
		Include      []string              `json:"metadata_include,omitempty"`
		Exclude      []string              `json:"metadata_exclude,omitempty"`
		Flatten      bool                  `json:"flatten_metadata,omitempty"`
		Types        []element.ElementType `json:"element_types,omitempty"`
		ExcludeTypes []element.ElementType `json:"exclude_element_types,omitempty"`
	}{
		o.format, o.CSVSafe, o.sourceField, o.images,
		o.MetadataInclude, o.MetadataExclude, o.FlattenMetadata, o.ElementTypes, o.ExcludeElementTypes,
	})
	return strings.TrimSuffix(b.String(), "\n")
}

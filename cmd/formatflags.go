package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/folder"
)

// formatFlags say in which form elements are written, and which of them.
type formatFlags struct {
	format          string
	options         outputOptions
	metadataInclude []string
	metadataExclude []string
	types           []string
	excludeTypes    []string

	changed func(flag string) bool // whether a flag was given
}

// outputOptions are what a format may be told. They and the source are all that its bytes depend on beside the elements.
type outputOptions struct {
	format      string
	csvSafe     bool
	sourceField bool
	images      string     // folder; "" leaves images where they are
	metadata    nameFilter // of members of the metadata
	flatten     bool
	types       nameFilter // of elements
}

// optionFlags is the table of the flags that set an option, with what a format must be able to do for them.
var optionFlags = []struct {
	flag  string
	needs ability
	set   func(outputOptions) bool
}{
	{"csv-safe", canDisarm, func(o outputOptions) bool { return o.csvSafe }},
	{"source-field", canSource, func(o outputOptions) bool { return o.sourceField }},
	{"images", canImages, func(o outputOptions) bool { return o.images != "" }},
	{"metadata-include", canMetadata, func(o outputOptions) bool { return o.metadata.only != nil }},
	{"metadata-exclude", canMetadata, func(o outputOptions) bool { return o.metadata.except != nil }},
	{"flatten-metadata", canFlatten, func(o outputOptions) bool { return o.flatten }},
	{"element-types", 0, func(o outputOptions) bool { return o.types.only != nil }},
	{"exclude-element-types", 0, func(o outputOptions) bool { return o.types.except != nil }},
}

func (f *formatFlags) add(flags *pflag.FlagSet) {
	f.changed = flags.Changed
	group(flags, groupOutput, func(flags *pflag.FlagSet) {
		flags.SortFlags = false
		flags.StringVarP(&f.format, "format", "f", "json", formatsThatCan(0))
		flags.BoolVar(&f.options.csvSafe, "csv-safe", false, "keep spreadsheets from taking texts for formulas")
		flags.BoolVar(&f.options.sourceField, "source-field", false, "add source to each element: the document's path and sha256")
		flags.StringVar(&f.options.images, "images", "", "folder for images: image_base64 becomes a file, and image_path its name")
		flags.StringSliceVar(&f.metadataInclude, "metadata-include", nil, "the only members of the metadata to write")
		flags.StringSliceVar(&f.metadataExclude, "metadata-exclude", nil, "members of the metadata to leave out")
		flags.BoolVar(&f.options.flatten, "flatten-metadata", false, "write metadata as members of the element; metadata.NAME if NAME is taken")
		flags.StringSliceVar(&f.types, "element-types", nil, "the only types of elements to write, such as Title,Table")
		flags.StringSliceVar(&f.excludeTypes, "exclude-element-types", nil, "types of elements to leave out")
	})
}

// check returns the format and its options. An option that the format does not know is a usage error.
func (f *formatFlags) check() (format, outputOptions, error) {
	o := f.options
	form, err := findFormat(f.format)
	if err != nil {
		return form, o, err
	}
	o.format = form.name
	if f.changed("images") && o.images == "" {
		return form, o, usageError("--images: no folder")
	}
	if o.metadata, err = f.filter("metadata-include", f.metadataInclude, "metadata-exclude", f.metadataExclude); err != nil {
		return form, o, err
	}
	if o.types, err = f.filter("element-types", f.types, "exclude-element-types", f.excludeTypes); err != nil {
		return form, o, err
	}
	for _, row := range optionFlags {
		if row.set(o) && form.can&row.needs != row.needs {
			return form, o, usageError("--%s does not go with -f %s, only with %s", row.flag, form.name, formatsThatCan(row.needs))
		}
	}
	return form, o, nil
}

// filter reads the two flags of a filter, of which only one may be given.
func (f *formatFlags) filter(onlyFlag string, only []string, exceptFlag string, except []string) (nameFilter, error) {
	if f.changed(onlyFlag) && f.changed(exceptFlag) {
		return nameFilter{}, usageError("--%s and --%s exclude each other", onlyFlag, exceptFlag)
	}
	filter := nameFilter{names(only), names(except)}
	for flag, list := range map[string][]string{onlyFlag: filter.only, exceptFlag: filter.except} {
		if f.changed(flag) && list == nil {
			return nameFilter{}, usageError("--%s: no names", flag)
		}
	}
	return filter, nil
}

// names are the names of a list, sorted and once each; nil where there are none.
func names(list []string) []string {
	var names []string
	for _, name := range list {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// given is the first flag that was set, "" if none was: for output that goes past the formats.
func (o outputOptions) given() string {
	for _, row := range optionFlags {
		if row.set(o) {
			return row.flag
		}
	}
	return ""
}

// key is the same text exactly for options that make the same output of the same elements of the same document.
func (o outputOptions) key() string {
	return string(jsonText(struct {
		Format         string   `json:"format"`
		CSVSafe        bool     `json:"csv_safe,omitempty"`
		SourceField    bool     `json:"source_field,omitempty"`
		Images         string   `json:"images,omitempty"`
		MetadataOnly   []string `json:"metadata_include,omitempty"`
		MetadataExcept []string `json:"metadata_exclude,omitempty"`
		Flatten        bool     `json:"flatten_metadata,omitempty"`
		TypesOnly      []string `json:"element_types,omitempty"`
		TypesExcept    []string `json:"exclude_element_types,omitempty"`
	}{
		o.format, o.csvSafe, o.sourceField, o.images,
		o.metadata.only, o.metadata.except, o.flatten, o.types.only, o.types.except,
	}))
}

// openImages opens the folder of --images, before any request is paid for; nil where images stay where they are. The caller
// closes it.
func (o outputOptions) openImages() (*folder.Folder, error) {
	if o.images == "" {
		return nil, nil
	}
	return folder.Open(o.images)
}

package cmd

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// A paramFlag is the flag of one API field: --max-characters for max_characters. A list takes
// commas and repetition; a secret is read from a file, for arguments show in the list of processes.
type paramFlag struct {
	field  wire.Field
	params *partition.Params
	given  []string
}

// addParamFlags adds a flag for every API field and --param for those that are not known yet.
func addParamFlags(flags *pflag.FlagSet, params *partition.Params) {
	flags.SortFlags = false
	for _, field := range wire.Fields() {
		name := strings.ReplaceAll(field.Name, "_", "-")
		if field.Kind == wire.KindSecret {
			name += "-file"
		}
		flag := flags.VarPF(&paramFlag{field: field, params: params}, name, "", field.Help)
		if field.Kind == wire.KindBool {
			flag.NoOptDefVal = "true"
		}
	}
	flags.Var(&extraFlag{params: params}, "param", "any other API field, as name=value; may be repeated")
}

// Set sets the field.
func (f *paramFlag) Set(text string) error {
	switch f.field.Kind {
	case wire.KindList:
		items, err := csv.NewReader(strings.NewReader(text)).Read()
		if err != nil {
			return fmt.Errorf("not a list: %w", err)
		}
		f.given = append(f.given, items...)
		return f.params.Set(f.field.Name, f.given...)
	case wire.KindSecret:
		secret, err := folder.ReadInput(text)
		if err != nil {
			return err
		}
		f.given = []string{text} // the file's name, not what is in it
		return f.params.Set(f.field.Name, strings.TrimSpace(string(secret)))
	default:
		f.given = []string{text}
		return f.params.Set(f.field.Name, text)
	}
}

// String is what was given.
func (f *paramFlag) String() string { return strings.Join(f.given, ",") }

// Type is how the help text calls the value.
func (f *paramFlag) Type() string {
	if f.field.Kind == wire.KindSecret {
		return "file"
	}
	return string(f.field.Kind)
}

// An extraFlag is --param name=value.
type extraFlag struct {
	params *partition.Params
	given  map[string][]string
	texts  []string
}

// Set adds one value.
func (f *extraFlag) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not name=value", text)
	}
	if f.given == nil {
		f.given = map[string][]string{}
	}
	f.given[name] = append(f.given[name], value)
	f.texts = append(f.texts, text)
	return f.params.Set(name, f.given[name]...)
}

// String is empty: there is no default.
func (f *extraFlag) String() string { return "" }

// Type is how the help text calls the value.
func (f *extraFlag) Type() string { return "name=value" }

// A pagesFlag is a page range such as 3-7.
type pagesFlag struct{ pages *split.PageRange }

// Set parses the range.
func (f pagesFlag) Set(text string) (err error) {
	*f.pages, err = split.ParsePageRange(text)
	return err
}

// String is the range, or nothing where none was given.
func (f pagesFlag) String() string {
	if f.pages == nil || *f.pages == (split.PageRange{}) {
		return ""
	}
	return f.pages.String()
}

// Type is how the help text calls the value.
func (f pagesFlag) Type() string { return "A-B" }

// A switchFlag is a boolean of which it is known whether it was given.
type switchFlag struct{ on **bool }

// Set parses the boolean.
func (f switchFlag) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", text)
	}
	*f.on = &on
	return nil
}

// String is the boolean, or nothing where none was given.
func (f switchFlag) String() string {
	if f.on == nil || *f.on == nil {
		return ""
	}
	return strconv.FormatBool(**f.on)
}

// Type is what a value is called.
func (f switchFlag) Type() string { return "bool" }

// addSplitFlags adds the flags that say how a PDF is cut.
func addSplitFlags(flags *pflag.FlagSet, s *partition.Split) {
	flags.SortFlags = false
	flags.Var(pagesFlag{&s.Pages}, "pages", "use only these pages of a PDF, such as 3-7")
	flags.IntVar(&s.Concurrency, "split-concurrency", 10, "how many chunks to cut a PDF into, 1 to 50: more if a chunk would exceed 20 pages, fewer if the PDF is short (the Python client calls this split_pdf_concurrency_level)")
}

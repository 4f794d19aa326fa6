package cmd

import (
	"bufio"
	"strings"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/partition"
)

// A format is one row of the table of output formats.
type format struct {
	name      string
	extension string  // of a file, with the dot
	many      bool    // outputs of several documents one after the other are still in the format
	streams   bool    // the beginning of an output is of use without its end
	can       ability // the options that it knows
	make      func(*bufio.Writer, outputOptions, formatSource) formatter
}

// An ability is a set of things that a format can do beside writing elements.
type ability uint

const (
	canDisarm   ability = 1 << iota // keep spreadsheets from taking texts for formulas
	canSource                       // say which document an element comes from
	canMetadata                     // leave out metadata by name
	canFlatten                      // write metadata as members of the element
	canImages                       // name the file that an image was written to
)

// A formatter writes elements in one format.
type formatter interface {
	element(item) error
	end() error // what stands behind the last element
}

// An item is an element on its way into a format.
type item struct {
	partition.Element
	imagePath string // the file that its image was written to; "" where it was not
}

// formats is the table. To add an output format is to add a row.
var formats = []format{
	{"json", ".json", false, false, canSource | canMetadata | canFlatten | canImages, newJSONFormat},
	{"jsonl", ".jsonl", true, true, canSource | canMetadata | canFlatten | canImages, newJSONLFormat},
	{"markdown", ".md", false, true, 0, newMarkdownFormat},
	{"text", ".txt", false, true, 0, newTextFormat},
	{"csv", ".csv", false, true, canDisarm | canSource | canMetadata | canImages, newCSVFormat},
}

func findFormat(name string) (format, error) {
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return format{}, usageError("--format %q: not one of %s", name, formatsThatCan(0))
}

// formatsThatCan names the formats that have an ability.
func formatsThatCan(a ability) string {
	var names []string
	for _, f := range formats {
		if f.can&a == a {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

// A formatSource is what a format may say of the document whose elements it writes.
type formatSource struct {
	name   string         // of its output, with slashes and without the format's extension
	path   string         // as it was given
	sha256 string         // of its content, in lower-case hex; needed with --source-field only
	images *folder.Folder // what [outputOptions.openImages] returned
}

// An elementWriter writes the elements of one document, those that the options ask for.
type elementWriter struct {
	formatter formatter
	types     nameFilter
	images    *imageWriter // nil: images stay where they are
	seen      int
	leftOut   int // elements that the options leave out
}

// writer begins the output of one document. It must be ended, so that everything reaches w; w is flushed by who made it.
func (f format) writer(w *bufio.Writer, o outputOptions, s formatSource) *elementWriter {
	writer := &elementWriter{formatter: f.make(w, o, s), types: o.types}
	if s.images != nil {
		writer.images = &imageWriter{folder: s.images, dir: o.images, name: s.name}
	}
	return writer
}

func (w *elementWriter) element(e partition.Element) error {
	w.seen++
	if !w.types.keeps(string(e.Type)) {
		w.leftOut++
		return nil
	}
	it := item{Element: e}
	if w.images != nil && e.Metadata.ImageBase64 != "" {
		var err error
		if it.imagePath, err = w.images.write(w.seen, e); err != nil {
			return err
		}
	}
	return w.formatter.element(it)
}

func (w *elementWriter) end() error { return w.formatter.end() }

// warnings is what went wrong without keeping the output from being right. It may be asked at any time.
func (w *elementWriter) warnings() []string {
	if w.images == nil {
		return nil
	}
	return w.images.warnings()
}

// textFormat is the texts of the elements, a blank line between.
type textFormat struct {
	w       *bufio.Writer
	started bool
}

func newTextFormat(w *bufio.Writer, _ outputOptions, _ formatSource) formatter {
	return &textFormat{w: w}
}

func (f *textFormat) element(e item) error {
	if e.Text == "" {
		return nil
	}
	if f.started {
		if err := f.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	f.started = true
	_, err := f.w.WriteString(e.Text + "\n")
	return err
}

func (f *textFormat) end() error { return nil }

package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// A Format is one row of the table of formats.
type Format struct {
	Name      string
	Extension string // of a file, with the dot
	MediaType string // as a Content-Type header has it

	// Concatenates reports whether the outputs of several documents, one after the other, are still
	// valid in the format.
	Concatenates bool

	// Streams reports whether the beginning of an output is useful without its end.
	Streams bool

	// Features are the options that the format supports in addition to those that all formats
	// support.
	Features Feature

	// Binary reports whether the output is no text, so that it must not go to a terminal.
	Binary bool

	// Encoder begins the output of one document. It is only called with options that the format
	// supports. ElementTypes, ExcludeElementTypes and Images need nothing of it.
	Encoder func(*bufio.Writer, Options) Encoder
}

// A Feature is a set of options that not every format supports.
type Feature uint

// The features, each named after its field of [Options].
const (
	FeatureSource   Feature = 1 << iota // Source
	FeatureMetadata                     // MetadataInclude and MetadataExclude
	FeatureFlatten                      // FlattenMetadata
	FeatureCSVSafe                      // CSVSafe
	FeatureImages                       // Images
)

// An Encoder writes the elements of one document in one format. It is not used again after an error.
type Encoder interface {
	Encode(e Item) error
	End() error // writes what comes after the last element
}

// An Item is an element on its way into a format.
type Item struct {
	element.Element
	ImagePath string // what [Options.Images] returned for its image; "" if it has no image, or keeps it
}

// formats is the table. To add a format is to add a row, here or with [Register].
var formats = []Format{
	{
		Name: "json", Extension: ".json", MediaType: "application/json",
		Features: FeatureSource | FeatureMetadata | FeatureFlatten | FeatureImages, Encoder: newJSONEncoder,
	},
	{
		Name: "jsonl", Extension: ".jsonl", MediaType: "application/x-ndjson", Concatenates: true, Streams: true,
		Features: FeatureSource | FeatureMetadata | FeatureFlatten | FeatureImages, Encoder: newJSONLEncoder,
	},
	{
		Name: "markdown", Extension: ".md", MediaType: "text/markdown; charset=utf-8", Streams: true,
		Features: FeatureImages, Encoder: newMarkdownEncoder,
	},
	{
		Name: "text", Extension: ".txt", MediaType: "text/plain; charset=utf-8", Streams: true,
		Encoder: newTextEncoder,
	},
	{
		Name: "csv", Extension: ".csv", MediaType: "text/csv; charset=utf-8", Streams: true,
		Features: FeatureSource | FeatureMetadata | FeatureCSVSafe | FeatureImages, Encoder: newCSVEncoder,
	},
}

// Register adds a format to the table, or replaces the one of the same name. Call it from the init
// function of the package that has the encoder: it must not be called while the table is in use.
func Register(f Format) {
	formats = append(slices.DeleteFunc(formats, func(other Format) bool { return other.Name == f.Name }), f)
}

// Formats returns the table of formats. The caller may change it.
func Formats() []Format { return slices.Clone(formats) }

// Lookup returns the format with this name, and whether there is one.
func Lookup(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Names returns the names of the formats that support all these features, in the order of the
// table. With 0 it returns all names.
func Names(features Feature) []string {
	var names []string
	for _, f := range formats {
		if f.Features&features == features {
			names = append(names, f.Name)
		}
	}
	return names
}

// A Writer writes the elements of one document. It is not safe for concurrent use. A Writer that is
// not closed leaks nothing.
type Writer struct {
	out     *bufio.Writer
	encoder Encoder
	types   nameFilter
	images  imageWriter
	seen    int
	leftOut int
}

// New begins the output of one document in the format called name. An unknown name, or an option
// that the format does not support, is an error. Nothing is written to w before the first call of
// [Writer.Write] or [Writer.Close].
//
// The output is buffered. If w is a [bufio.Writer] of at least 4096 bytes, it serves as the buffer.
func New(name string, w io.Writer, o Options) (*Writer, error) {
	f, known := Lookup(name)
	if !known {
		return nil, fmt.Errorf("format %q: not one of %s", name, strings.Join(Names(0), ", "))
	}
	if w == nil {
		return nil, fmt.Errorf("format %s: the writer is nil", name)
	}
	if err := o.check(f); err != nil {
		return nil, fmt.Errorf("format %s: %w", name, err)
	}
	out := bufio.NewWriter(w)
	return &Writer{
		out: out, encoder: f.Encoder(out, o), types: o.types(), images: imageWriter{create: o.Images},
	}, nil
}

// Write writes an element, unless the options leave out its type. An error comes from the io.Writer
// or from [Options.Images]; no more elements can be written after it.
func (w *Writer) Write(e element.Element) error {
	if w.encoder == nil {
		return errZeroWriter
	}
	w.seen++
	if !w.types.keeps(string(e.Type)) {
		w.leftOut++
		return nil
	}
	path, err := w.images.write(w.seen, e)
	if err != nil {
		return err
	}
	return w.encoder.Encode(Item{e, path})
}

// Flush writes buffered output to the io.Writer, for a reader who waits for it, or for an output
// that ends early.
func (w *Writer) Flush() error {
	if w.encoder == nil {
		return errZeroWriter
	}
	return w.out.Flush()
}

var errZeroWriter = errors.New("the writer was not made by New")

// Close writes the end of the output and flushes it to the io.Writer, which it does not close. An
// output without elements is valid too. Call Close once, after the last element; do not call it
// after an error.
func (w *Writer) Close() error {
	if w.encoder == nil {
		return errZeroWriter
	}
	if err := w.encoder.End(); err != nil {
		return err
	}
	return w.Flush()
}

// LeftOut returns how many elements the options have left out so far.
func (w *Writer) LeftOut() int { return w.leftOut }

// Warnings returns problems that did not stop the output, one line each: images that could not be
// decoded.
func (w *Writer) Warnings() []string { return w.images.warnings() }

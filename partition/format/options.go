package format

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quire-dev/quire/partition/element"
)

// Options say which elements, and which parts of them, are written. The zero value writes
// everything.
type Options struct {
	// Source is the document that the elements come from. In JSON and JSON lines each element has
	// it as its last member, source: {"path": ..., "sha256": ...}. A member called source from the
	// server becomes element.source. In CSV the last two columns, source_path and source_sha256,
	// have it. If nil, it is not written.
	Source *Source

	// MetadataInclude names the members of the metadata to write, MetadataExclude those to leave
	// out. If both are empty, all are written. Only one of the two may be set. In CSV they name
	// columns. A member that MetadataInclude names and CSV has no column for gets one, behind the
	// others: a text as it is, anything else as JSON.
	MetadataInclude, MetadataExclude []string

	// FlattenMetadata writes the members of the metadata as members of the element, in its place.
	// If the element already has a member NAME, the metadata's becomes metadata.NAME.
	FlattenMetadata bool

	// ElementTypes names the types of elements to write, ExcludeElementTypes those to leave out. If
	// both are empty, all are written. Only one of the two may be set. Every format supports them.
	ElementTypes, ExcludeElementTypes []element.ElementType

	// CSVSafe puts an apostrophe before the text of a CSV cell that a spreadsheet would take for a
	// formula.
	CSVSafe bool

	// Images, if not nil, is called with the decoded image of each element that is written, and
	// stores it. The element then has image_path, the path that Images returns, in place of
	// image_base64; Markdown shows that file. An error ends the output.
	//
	// The name is NUMBER-TYPE.EXTENSION, such as 22-Image.png. It consists of letters, digits, one
	// hyphen and one dot. NUMBER counts all elements of the document from 1, so that an image has
	// the same name whatever else is left out. The extension is .png, .jpg or, for any other
	// content, .bin. An image that is not valid base64 stays in image_base64; [Writer.Warnings]
	// reports it.
	Images func(name string, image []byte) (path string, err error)
}

// A Source names the document that elements come from.
type Source struct {
	Path   string
	SHA256 string // of its content, in lower-case hex
}

// features is the table of the options that not every format knows.
var features = []struct {
	feature Feature
	option  string
	set     func(Options) bool
}{
	{FeatureSource, "Source", func(o Options) bool { return o.Source != nil }},
	{FeatureMetadata, "MetadataInclude", func(o Options) bool { return len(o.MetadataInclude) > 0 }},
	{FeatureMetadata, "MetadataExclude", func(o Options) bool { return len(o.MetadataExclude) > 0 }},
	{FeatureFlatten, "FlattenMetadata", func(o Options) bool { return o.FlattenMetadata }},
	{FeatureCSVSafe, "CSVSafe", func(o Options) bool { return o.CSVSafe }},
	{FeatureImages, "Images", func(o Options) bool { return o.Images != nil }},
}

// check refuses options that contradict each other or that the format does not know.
func (o Options) check(f Format) error {
	switch {
	case len(o.MetadataInclude) > 0 && len(o.MetadataExclude) > 0:
		return errors.New("MetadataInclude and MetadataExclude cannot be used together")
	case len(o.ElementTypes) > 0 && len(o.ExcludeElementTypes) > 0:
		return errors.New("ElementTypes and ExcludeElementTypes cannot be used together")
	}
	for _, row := range features {
		if row.set(o) && f.Features&row.feature == 0 {
			return fmt.Errorf("option %s is for %s only", row.option, strings.Join(Names(row.feature), ", "))
		}
	}
	return nil
}

// KeepsMetadata reports whether MetadataInclude and MetadataExclude let a member of the metadata be
// written.
func (o Options) KeepsMetadata(name string) bool { return o.metadata().keeps(name) }

func (o Options) metadata() nameFilter { return newNameFilter(o.MetadataInclude, o.MetadataExclude) }

func (o Options) types() nameFilter {
	return newNameFilter(o.ElementTypes, o.ExcludeElementTypes)
}

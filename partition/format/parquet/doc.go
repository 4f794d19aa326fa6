// Package parquet writes the elements of a document as a Parquet file, one row an element, and reads
// such files back.
//
// To import it adds the format parquet to the table of package format, as package image/png adds a
// format to package image:
//
//	import _ "github.com/quire-dev/quire/partition/format/parquet"
//
// A program that does not import it links no Parquet library.
//
// # Schema
//
// The schema is the same for every document. Until version 1.0 columns may be added at the end. Every
// column may be null: it is null if the element does not have the member, and with the option
// MetadataInclude or MetadataExclude if the member is left out.
//
//	type                      string        Title, NarrativeText, Table, ...
//	element_id                string
//	text                      string
//	filename                  string        as sent
//	filetype                  string        media type
//	page_number               int32         from 1
//	page_name                 string        a sheet's name
//	languages                 list<string>  ISO 639-3
//	parent_id                 string        an element_id
//	category_depth            int32         from 0
//	text_as_html              string        of a table
//	emphasized_text_contents  list<string>
//	emphasized_text_tags      list<string>  b or i, for each of those
//	link_texts                list<string>
//	link_urls                 list<string>  for each of those
//	link_start_indexes        list<int32>   for each of those, in characters of the text
//	url                       string
//	image_base64              string
//	image_mime_type           string
//	image_path                string        of the image's file, with the option Images
//	image_url                 string        as the document has it
//	orig_elements             string        of a chunk: base64 of zlib of JSON
//	sent_from                 list<string>  of an e-mail, as are the next two
//	sent_to                   list<string>
//	subject                   string
//	source_path               string        with the option Source
//	source_sha256             string        with the option Source
//	metadata                  JSON          the other members of the metadata, such as coordinates
//	element                   JSON          the other members of the element, such as embeddings
//
// A member whose value does not fit its column, such as a page number that is a text, or a list with
// a null, is in the JSON column instead. So is a member that is null. The JSON column metadata is
// null if the element has no metadata; the column element is null if there are no other members.
// [Read] puts the members together again: nothing is lost but their order, and of a repeated member
// all values but the last.
package parquet

package partition

import (
	"fmt"
	"io"
	"net/url"

	"github.com/quire-dev/quire/partition/internal/form"
)

// Params are the parameters of a partition request, by the API's own names. What is unset is absent
// on the wire: no default of ours is sent, the server's holds. Booleans and numbers are pointers
// for that reason: new(true), new(10). Strings that name a choice pass unknown values through: the
// server is the judge.
//
// The parameters that are seldom set, deprecated, or known to the hosted API alone have no field
// here: [Params.Set] knows them by name, and so does Extra.
type Params struct {
	// Strategy is how the server reads the document: fast, hi_res, auto, ocr_only, or, on the hosted
	// API, od_only or vlm. The server takes auto.
	Strategy string `form:"strategy"`
	// Languages are those of the document, for OCR: eng, deu. Without them the server guesses.
	Languages []string `form:"languages"`
	// Coordinates asks for each element's place on its page. The server takes false.
	Coordinates *bool `form:"coordinates"`
	// OutputFormat is the form of the answer; "" is application/json, a list of elements. With
	// [OutputCSV] a PDF is sent whole.
	OutputFormat OutputFormat `form:"output_format"`
	// IncludePageBreaks adds a PageBreak element between pages. The server takes false.
	IncludePageBreaks *bool `form:"include_page_breaks"`
	// UniqueElementIDs asks for UUIDs as element ids; else they are hashes, the same for the same
	// document. The server takes false.
	UniqueElementIDs *bool `form:"unique_element_ids"`
	// StartingPageNumber is the number of the document's first page, 1 to 1,000,000,000; nil is 1.
	// Chunks are numbered on from it.
	StartingPageNumber *int `form:"starting_page_number"`
	// HiResModelName is the layout model of strategy hi_res; "" is the server's.
	HiResModelName string `form:"hi_res_model_name"`
	// SkipInferTableTypes are the file types whose tables are not analysed, such as pdf or jpg. Nil is
	// the server's list.
	SkipInferTableTypes []string `form:"skip_infer_table_types"`
	// ExtractImageTypes are the element types that come with their image, such as Image or Table. Nil
	// is none.
	ExtractImageTypes []string `form:"extract_image_block_types"`

	// ChunkingStrategy has the server join the text of elements into text chunks: by_title, or basic,
	// by_page and by_similarity on the hosted API. "" leaves the elements as they are. See
	// [Split.Scope] for a PDF that is cut.
	ChunkingStrategy string `form:"chunking_strategy"`
	// MaxCharacters is the hard limit of a text chunk, in characters. The server takes 500.
	MaxCharacters *int `form:"max_characters"`
	// NewAfterNChars is the soft limit of a text chunk, in characters. The server takes the hard one.
	NewAfterNChars *int `form:"new_after_n_chars"`
	// CombineUnderNChars is the length, in characters, under which text sections are joined. The
	// server takes the hard limit.
	CombineUnderNChars *int `form:"combine_under_n_chars"`
	// Overlap is how many characters of the chunk before are repeated where a text is split. The
	// server takes 0.
	Overlap *int `form:"overlap"`
	// ContextualAuth is the JSON with which the hosted API signs in for contextual chunking. It is
	// never printed.
	ContextualAuth Secret `form:"contextual_chunking_auth"`

	// Extra are the parameters that have no field above, by the API's names. One that the API is known
	// to have is sent in its place among the others and checked by its kind; any other is sent last:
	// one value as name=value, several as name[]=value each. A name that has a field above, or that
	// the client owns (files, split_pdf_...), is an error.
	Extra url.Values

	// Split is how a PDF is cut; it never reaches the server.
	Split Split
}

// OutputFormat is the form of the server's answer.
type OutputFormat string

// OutputCSV asks for the elements as a table. It is returned as it comes, in [Result.CSV].
const OutputCSV OutputFormat = "text/csv"

// Secret is a value that prints as [redacted], in every format.
type Secret string

const redacted = "[redacted]"

// Format prints [redacted], or nothing for an empty secret, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.shown()) }

// MarshalText returns what Format prints: a secret does not get into JSON either.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Set sets the parameter with the API's name to values, parsed by its kind: a list takes all of
// them, every other kind exactly one. What has no field goes to Extra; a name that the client owns
// is an error.
func (p *Params) Set(name string, values ...string) error {
	return form.Set(p, &p.Extra, name, values...)
}

// fields returns the form fields of p in the order in which they are sent.
func (p Params) fields() ([]form.Pair, error) { return form.Encode(p, p.Extra) }

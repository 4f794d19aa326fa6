package partition

import (
	"fmt"
	"io"
	"net/url"

	"github.com/quire-dev/quire/partition/internal/form"
	"github.com/quire-dev/quire/partition/internal/secret"
)

// Params are the parameters of a partition request. The client sends only the parameters that are
// set; for the others the server uses its own default. That is why booleans and numbers are
// pointers: new(true), new(10). The client does not check strings such as Strategy: it sends any
// value, and the server accepts or refuses it.
//
// Some parameters have no field here: those that are seldom set, deprecated, or known to the hosted
// API alone. Set them by name, with [Params.Set] or in Extra.
type Params struct {
	// Strategy is how the server reads the document: fast, hi_res, auto, ocr_only, or, on the
	// hosted API, od_only or vlm. The server's default is auto.
	Strategy string `form:"strategy"`
	// Languages are the document's languages, for OCR: eng, deu. If empty, the server guesses them,
	// for each chunk of a cut PDF separately.
	Languages []string `form:"languages"`
	// Coordinates asks for the position of each element on its page. The server's default is false.
	Coordinates *bool `form:"coordinates"`
	// OutputFormat is the form of the answer; "" is application/json, a list of elements. With
	// [OutputCSV] a PDF is sent whole.
	OutputFormat OutputFormat `form:"output_format"`
	// IncludePageBreaks adds a PageBreak element between pages. The server's default is false.
	IncludePageBreaks *bool `form:"include_page_breaks"`
	// UniqueElementIDs asks for UUIDs as element ids. Without it the ids are hashes: the same
	// document always gets the same ids. The server's default is false.
	UniqueElementIDs *bool `form:"unique_element_ids"`
	// StartingPageNumber is the number of the document's first page, 1 to 1,000,000,000; nil means
	// 1. The pages of all chunks are numbered from it.
	StartingPageNumber *int `form:"starting_page_number"`
	// HiResModelName is the layout model of strategy hi_res; "" means the server's default.
	HiResModelName string `form:"hi_res_model_name"`
	// SkipInferTableTypes are the file types whose tables are not analysed, such as pdf or jpg. Nil
	// means the server's list.
	SkipInferTableTypes []string `form:"skip_infer_table_types"`
	// ExtractImageTypes are the element types that come with their image, such as Image or Table.
	// Nil means none.
	ExtractImageTypes []string `form:"extract_image_block_types"`

	// ChunkingStrategy tells the server to join elements into text chunks: basic or by_title, and
	// on the hosted API also by_page or by_similarity. "" leaves the elements as they are.
	// [Split.Scope] says what it applies to if a PDF is cut.
	ChunkingStrategy string `form:"chunking_strategy"`
	// MaxCharacters is the hard limit of a text chunk, in characters. The server's default is 500.
	MaxCharacters *int `form:"max_characters"`
	// NewAfterNChars is the soft limit of a text chunk, in characters. The server's default is the
	// hard limit.
	NewAfterNChars *int `form:"new_after_n_chars"`
	// CombineUnderNChars is the length, in characters, under which text sections are joined. The
	// server's default is the hard limit.
	CombineUnderNChars *int `form:"combine_under_n_chars"`
	// Overlap is how many characters of the previous text chunk are repeated where a text is split.
	// The server's default is 0.
	Overlap *int `form:"overlap"`
	// ContextualAuth is a JSON text. The hosted API signs in with it for contextual chunking. It is
	// never printed.
	ContextualAuth Secret `form:"contextual_chunking_auth"`

	// Extra are the parameters that have no field above, by the API's names. The client checks the
	// type of a parameter that it knows, and sends it in its usual place. It sends any other
	// parameter last: one value as name=value, several as name[]=value each. It refuses a name that
	// has a field above, and one that it sets itself (files, split_pdf_...).
	Extra url.Values

	// Split says how a PDF is cut; it is not sent to the server.
	Split Split

	// FailEmpty makes an empty document fail with [KindEmpty]: see [Report.Empty]. Without it there
	// is a warning. It is not sent to the server, and the answers stay in the cache.
	FailEmpty bool
}

// OutputFormat is the form of the server's answer.
type OutputFormat string

// OutputCSV asks for the elements as a CSV table. See [Result.CSV].
const OutputCSV OutputFormat = "text/csv"

// Secret is a value that prints as [redacted], in every format.
type Secret string

// Format prints [redacted], or nothing for an empty secret, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.shown()) }

// MarshalText returns what Format prints, so that a secret does not appear in JSON either.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown()), nil }

func (s Secret) shown() string {
	if s == "" {
		return ""
	}
	return secret.Redacted
}

// Set sets a parameter by its API name. It parses the values by the parameter's type: a list takes
// any number of them, every other type exactly one. A parameter without a field goes to Extra. A
// name that the client sets itself is an error.
func (p *Params) Set(name string, values ...string) error {
	return form.Set(p, &p.Extra, name, values...)
}

// fields returns the form fields of p in the order in which they are sent.
func (p Params) fields() ([]form.Pair, error) { return form.Encode(p, p.Extra) }

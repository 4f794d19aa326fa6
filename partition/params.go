package partition

import (
	"net/url"
	"strconv"

	"github.com/quire-dev/quire/partition/internal/form"
)

// Params are the fields of a partition request, by the API's own names. A field that is unset is absent on the wire: no default
// of ours is sent, the server's holds. Booleans and numbers are pointers for that reason: new(true), new(10). Strings that name a choice
// pass unknown values through: the server is the judge.
//
// Fields marked hosted are known to the hosted API only; a self-hosted server ignores them.
type Params struct {
	Strategy    Strategy `form:"strategy"`
	Languages   []string `form:"languages"`
	Coordinates *bool    `form:"coordinates"`
	Encoding    string   `form:"encoding"`
	ContentType string   `form:"content_type"`

	OutputFormat        OutputFormat `form:"output_format"`
	IncludePageBreaks   *bool        `form:"include_page_breaks"`
	UniqueElementIDs    *bool        `form:"unique_element_ids"`
	StartingPageNumber  *int         `form:"starting_page_number"`
	XMLKeepTags         *bool        `form:"xml_keep_tags"`
	IncludeSlideNotes   *bool        `form:"include_slide_notes"`
	GzUncompressedType  string       `form:"gz_uncompressed_content_type"`
	HiResModelName      string       `form:"hi_res_model_name"`
	TableOCRAgent       string       `form:"table_ocr_agent"`
	OCRLanguages        []string     `form:"ocr_languages"`
	InferTableStructure *bool        `form:"pdf_infer_table_structure"`
	SkipInferTableTypes []string     `form:"skip_infer_table_types"`
	ExtractImageTypes   []string     `form:"extract_image_block_types"`
	VLMModel            string       `form:"vlm_model"`
	VLMModelProvider    string       `form:"vlm_model_provider"`
	PDFMinerCharMargin  *float64     `form:"pdfminer_char_margin"`
	PDFMinerLineMargin  *float64     `form:"pdfminer_line_margin"`
	PDFMinerLineOverlap *float64     `form:"pdfminer_line_overlap"`
	PDFMinerWordMargin  *float64     `form:"pdfminer_word_margin"`
	TrackingEnabled     *bool        `form:"tracking_enabled"`

	ChunkingStrategy     string   `form:"chunking_strategy"`
	MaxCharacters        *int     `form:"max_characters"`
	NewAfterNChars       *int     `form:"new_after_n_chars"`
	CombineUnderNChars   *int     `form:"combine_under_n_chars"`
	Overlap              *int     `form:"overlap"`
	OverlapAll           *bool    `form:"overlap_all"`
	MultipageSections    *bool    `form:"multipage_sections"`
	IncludeOrigElements  *bool    `form:"include_orig_elements"`
	IsolateTable         *bool    `form:"isolate_table"`
	SkipTableChunking    *bool    `form:"skip_table_chunking"`
	SimilarityThreshold  *float64 `form:"similarity_threshold"`
	KeepSimilarityBroken *bool    `form:"do_not_break_similarity_on_footer_header"`
	ContextualService    string   `form:"contextual_chunking_service_name"`
	ContextualAuth       Secret   `form:"contextual_chunking_auth"`

	// Extra are fields that are not known here, sent as they are: one value as name=value, several as name[]=value each. A name
	// that has a field above, or that the client owns (files, split_pdf_...), is an error.
	Extra url.Values

	// Split is how a PDF is cut; it never reaches the server.
	Split Split
}

// Strategy is how the server reads a document.
type Strategy string

// The strategies that every server knows. The hosted API has more.
const (
	StrategyAuto    Strategy = "auto"
	StrategyFast    Strategy = "fast"
	StrategyHiRes   Strategy = "hi_res"
	StrategyOCROnly Strategy = "ocr_only"
)

// OutputFormat is the form of the server's answer.
type OutputFormat string

// The API's output formats. CSV is returned as it comes, in [Result.CSV], and sends a PDF whole.
const (
	OutputJSON OutputFormat = "application/json"
	OutputCSV  OutputFormat = "text/csv"
)

// Secret is a value that prints as [redacted], in every format.
type Secret string

const redacted = "[redacted]"

// String returns [redacted], or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString is String.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// MarshalText is String: a secret does not get into JSON either.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Set sets the parameter with the API's name to values, parsed by its kind: a list takes all of them, every other kind exactly
// one. What has no field above goes to Extra; a name that the client owns is an error.
func (p *Params) Set(name string, values ...string) error {
	return form.Set(p, &p.Extra, name, values...)
}

// fields returns the form fields of p in the order in which they are sent.
func (p Params) fields() ([]form.Pair, error) { return form.Encode(p, p.Extra) }

// Package form is the table of the API's form fields, and the one place where parameters become the
// fields of a request.
package form

import "slices"

// Kind is the type of a form field's value.
type Kind string

// The kinds of form fields.
const (
	String Kind = "string"
	Secret Kind = "secret" // a string that must not be shown
	Bool   Kind = "bool"
	Int    Kind = "int"
	Float  Kind = "float"
	List   Kind = "list"
)

// A Field describes one form field.
type Field struct {
	Name string // the API's name
	Kind Kind
	Help string // one line, without a full stop

	chunking bool // it says how text is chunked
}

// table has every form field that is known, in the order in which they are sent.
var table = []Field{
	{Name: "strategy", Kind: String, Help: "fast, hi_res, auto, ocr_only; hosted also od_only, vlm"},
	{Name: "languages", Kind: List, Help: "languages for OCR, such as eng or deu"},
	{Name: "coordinates", Kind: Bool, Help: "keep each element's coordinates"},
	{Name: "encoding", Kind: String, Help: "how text files are decoded (the server takes utf-8)"},
	{Name: "content_type", Kind: String, Help: "media type that the server shall take the document for"},

	{Name: "output_format", Kind: String, Help: "application/json or text/csv"},
	{Name: "include_page_breaks", Kind: Bool, Help: "add PageBreak elements"},
	{Name: "unique_element_ids", Kind: Bool, Help: "UUIDs instead of hashes as element ids"},
	{Name: "starting_page_number", Kind: Int, Help: "number of the first page (the server takes 1)"},
	{Name: "xml_keep_tags", Kind: Bool, Help: "keep the tags of XML documents"},
	{Name: "include_slide_notes", Kind: Bool, Help: "notes of PowerPoint slides (the server takes true)"},
	{Name: "gz_uncompressed_content_type", Kind: String, Help: "media type of what a .gz file holds"},
	{Name: "hi_res_model_name", Kind: String, Help: "layout model of strategy hi_res"},
	{Name: "table_ocr_agent", Kind: String, Help: "OCR agent for tables (hosted)"},
	{Name: "ocr_languages", Kind: List, Help: "deprecated, use languages"},
	{Name: "pdf_infer_table_structure", Kind: Bool, Help: "deprecated, use skip_infer_table_types (the server takes true)"},
	{Name: "skip_infer_table_types", Kind: List, Help: "file types whose tables are not analysed"},
	{Name: "extract_image_block_types", Kind: List, Help: "element types returned with their image, such as Image or Table"},
	{Name: "vlm_model", Kind: String, Help: "model of strategy vlm (hosted)"},
	{Name: "vlm_model_provider", Kind: String, Help: "provider of the vlm model (hosted)"},
	{Name: "pdfminer_char_margin", Kind: Float, Help: "text layout of PDFs (hosted)"},
	{Name: "pdfminer_line_margin", Kind: Float, Help: "text layout of PDFs (hosted)"},
	{Name: "pdfminer_line_overlap", Kind: Float, Help: "text layout of PDFs (hosted)"},
	{Name: "pdfminer_word_margin", Kind: Float, Help: "text layout of PDFs (hosted)"},
	{Name: "tracking_enabled", Kind: Bool, Help: "the hosted API's own tracking (hosted)"},

	{Name: "chunking_strategy", Kind: String, chunking: true, Help: "by_title; hosted also basic, by_page, by_similarity"},
	{Name: "max_characters", Kind: Int, chunking: true, Help: "hard limit of a text chunk (the server takes 500)"},
	{Name: "new_after_n_chars", Kind: Int, chunking: true, Help: "soft limit of a text chunk"},
	{Name: "combine_under_n_chars", Kind: Int, chunking: true, Help: "text sections shorter than this are combined"},
	{Name: "overlap", Kind: Int, chunking: true, Help: "characters that a split text repeats (the server takes 0)"},
	{Name: "overlap_all", Kind: Bool, chunking: true, Help: "overlap also between chunks of whole elements"},
	{Name: "multipage_sections", Kind: Bool, chunking: true, Help: "text sections may span pages (the server takes true)"},
	{Name: "include_orig_elements", Kind: Bool, chunking: true, Help: "text chunks carry their elements (hosted)"},
	{Name: "isolate_table", Kind: Bool, chunking: true, Help: "tables get chunks of their own (hosted)"},
	{Name: "skip_table_chunking", Kind: Bool, chunking: true, Help: "tables are never cut (hosted)"},
	{Name: "similarity_threshold", Kind: Float, chunking: true, Help: "for by_similarity, 0 to 1 (hosted)"},
	{Name: "do_not_break_similarity_on_footer_header", Kind: Bool, chunking: true, Help: "for by_similarity (hosted)"},
	{Name: "contextual_chunking_service_name", Kind: String, chunking: true, Help: "service for contextual chunking (hosted)"},
	{Name: "contextual_chunking_auth", Kind: Secret, chunking: true, Help: "credentials for contextual chunking, as JSON (hosted)"},
}

// Fields returns the table.
func Fields() []Field { return slices.Clone(table) }

func lookup(name string) (Field, bool) {
	i := slices.IndexFunc(table, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return table[i], true
}

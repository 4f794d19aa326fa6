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
	{Name: "strategy", Kind: String, Help: "how to partition: auto, fast, hi_res or ocr_only; also od_only and vlm (hosted)"},
	{Name: "languages", Kind: List, Help: "languages of the document, such as eng or deu; if not given, the server guesses them, for each chunk of a cut PDF separately"},
	{Name: "coordinates", Kind: Bool, Help: "return the coordinates of each element"},
	{Name: "encoding", Kind: String, Help: "encoding of text files (server default: utf-8)"},
	{Name: "content_type", Kind: String, Help: "media type of the document (server default: a guess)"},

	{Name: "output_format", Kind: String, Help: "format of the answer: application/json or text/csv"},
	{Name: "include_page_breaks", Kind: Bool, Help: "return PageBreak elements"},
	{Name: "unique_element_ids", Kind: Bool, Help: "use UUIDs as element ids instead of hashes"},
	{Name: "starting_page_number", Kind: Int, Help: "number of the first page (server default: 1)"},
	{Name: "xml_keep_tags", Kind: Bool, Help: "keep the tags of XML documents in the text"},
	{Name: "include_slide_notes", Kind: Bool, Help: "return the notes of PowerPoint slides (server default: true)"},
	{Name: "gz_uncompressed_content_type", Kind: String, Help: "media type of the document in a .gz file"},
	{Name: "hi_res_model_name", Kind: String, Help: "layout model for strategy hi_res"},
	{Name: "table_ocr_agent", Kind: String, Help: "OCR agent for tables (hosted)"},
	{Name: "ocr_languages", Kind: List, Help: "deprecated: use languages"},
	{Name: "pdf_infer_table_structure", Kind: Bool, Help: "deprecated: use skip_infer_table_types (server default: true)"},
	{Name: "skip_infer_table_types", Kind: List, Help: "file types whose tables are not analysed, such as pdf"},
	{Name: "extract_image_block_types", Kind: List, Help: "element types to return with their image, such as Image or Table"},
	{Name: "vlm_model", Kind: String, Help: "model for strategy vlm (hosted)"},
	{Name: "vlm_model_provider", Kind: String, Help: "provider of the vlm model (hosted)"},
	{Name: "pdfminer_char_margin", Kind: Float, Help: "pdfminer's layout setting char_margin, for PDFs (hosted)"},
	{Name: "pdfminer_line_margin", Kind: Float, Help: "pdfminer's layout setting line_margin, for PDFs (hosted)"},
	{Name: "pdfminer_line_overlap", Kind: Float, Help: "pdfminer's layout setting line_overlap, for PDFs (hosted)"},
	{Name: "pdfminer_word_margin", Kind: Float, Help: "pdfminer's layout setting word_margin, for PDFs (hosted)"},
	{Name: "tracking_enabled", Kind: Bool, Help: "let the hosted API track the request (hosted)"},

	{Name: "chunking_strategy", Kind: String, chunking: true, Help: "how to combine elements into text chunks: by_title; also basic, by_page and by_similarity (hosted)"},
	{Name: "max_characters", Kind: Int, chunking: true, Help: "longest text chunk, in characters (server default: 500)"},
	{Name: "new_after_n_chars", Kind: Int, chunking: true, Help: "start a new text chunk after this many characters"},
	{Name: "combine_under_n_chars", Kind: Int, chunking: true, Help: "combine sections shorter than this many characters"},
	{Name: "overlap", Kind: Int, chunking: true, Help: "where long text is split, repeat this many characters at the start of the next text chunk (server default: 0)"},
	{Name: "overlap_all", Kind: Bool, chunking: true, Help: "apply overlap also between text chunks made of whole elements"},
	{Name: "multipage_sections", Kind: Bool, chunking: true, Help: "let sections span pages (server default: true)"},
	{Name: "include_orig_elements", Kind: Bool, chunking: true, Help: "return the original elements in each text chunk (hosted)"},
	{Name: "isolate_table", Kind: Bool, chunking: true, Help: "put each table in a text chunk of its own (hosted)"},
	{Name: "skip_table_chunking", Kind: Bool, chunking: true, Help: "never split tables (hosted)"},
	{Name: "similarity_threshold", Kind: Float, chunking: true, Help: "how similar elements must be for by_similarity to combine them, 0 to 1 (hosted)"},
	{Name: "do_not_break_similarity_on_footer_header", Kind: Bool, chunking: true, Help: "let by_similarity ignore page headers and footers (hosted)"},
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

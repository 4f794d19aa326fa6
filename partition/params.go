package partition

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Params are the fields of a partition request, by the API's own names. A field that is unset is absent on the wire: no default
// of ours is sent, the server's holds. Booleans and numbers are pointers for that reason: new(true), new(10). Strings that name a choice
// pass unknown values through: the server is the judge.
//
// Fields marked hosted are known to the hosted API only; a self-hosted server ignores them.
type Params struct {
	Strategy    Strategy `form:"strategy" help:"fast, hi_res, auto, ocr_only; hosted also od_only, vlm"`
	Languages   []string `form:"languages" help:"languages for OCR, such as eng or deu"`
	Coordinates *bool    `form:"coordinates" help:"keep each element's coordinates"`
	Encoding    string   `form:"encoding" help:"how text files are decoded (the server takes utf-8)"`
	ContentType string   `form:"content_type" help:"media type that the server shall take the document for"`

	OutputFormat        OutputFormat `form:"output_format" help:"application/json or text/csv"`
	IncludePageBreaks   *bool        `form:"include_page_breaks" help:"add PageBreak elements"`
	UniqueElementIDs    *bool        `form:"unique_element_ids" help:"UUIDs instead of hashes as element ids"`
	StartingPageNumber  *int         `form:"starting_page_number" help:"number of the first page (the server takes 1)"`
	XMLKeepTags         *bool        `form:"xml_keep_tags" help:"keep the tags of XML documents"`
	IncludeSlideNotes   *bool        `form:"include_slide_notes" help:"notes of PowerPoint slides (the server takes true)"`
	GzUncompressedType  string       `form:"gz_uncompressed_content_type" help:"media type of what a .gz file holds"`
	HiResModelName      string       `form:"hi_res_model_name" help:"layout model of strategy hi_res"`
	TableOCRAgent       string       `form:"table_ocr_agent" help:"OCR agent for tables (hosted)"`
	OCRLanguages        []string     `form:"ocr_languages" help:"deprecated, use languages"`
	InferTableStructure *bool        `form:"pdf_infer_table_structure" help:"deprecated, use skip_infer_table_types (the server takes true)"`
	SkipInferTableTypes []string     `form:"skip_infer_table_types" help:"file types whose tables are not analysed"`
	ExtractImageTypes   []string     `form:"extract_image_block_types" help:"element types returned with their image, such as Image or Table"`
	VLMModel            string       `form:"vlm_model" help:"model of strategy vlm (hosted)"`
	VLMModelProvider    string       `form:"vlm_model_provider" help:"provider of the vlm model (hosted)"`
	PDFMinerCharMargin  *float64     `form:"pdfminer_char_margin" help:"text layout of PDFs (hosted)"`
	PDFMinerLineMargin  *float64     `form:"pdfminer_line_margin" help:"text layout of PDFs (hosted)"`
	PDFMinerLineOverlap *float64     `form:"pdfminer_line_overlap" help:"text layout of PDFs (hosted)"`
	PDFMinerWordMargin  *float64     `form:"pdfminer_word_margin" help:"text layout of PDFs (hosted)"`
	TrackingEnabled     *bool        `form:"tracking_enabled" help:"the hosted API's own tracking (hosted)"`

	ChunkingStrategy     string   `form:"chunking_strategy" step:"chunking" help:"by_title; hosted also basic, by_page, by_similarity"`
	MaxCharacters        *int     `form:"max_characters" step:"chunking" help:"hard limit of a text chunk (the server takes 500)"`
	NewAfterNChars       *int     `form:"new_after_n_chars" step:"chunking" help:"soft limit of a text chunk"`
	CombineUnderNChars   *int     `form:"combine_under_n_chars" step:"chunking" help:"text sections shorter than this are combined"`
	Overlap              *int     `form:"overlap" step:"chunking" help:"characters that a split text repeats (the server takes 0)"`
	OverlapAll           *bool    `form:"overlap_all" step:"chunking" help:"overlap also between chunks of whole elements"`
	MultipageSections    *bool    `form:"multipage_sections" step:"chunking" help:"text sections may span pages (the server takes true)"`
	IncludeOrigElements  *bool    `form:"include_orig_elements" step:"chunking" help:"text chunks carry their elements (hosted)"`
	IsolateTable         *bool    `form:"isolate_table" step:"chunking" help:"tables get chunks of their own (hosted)"`
	SkipTableChunking    *bool    `form:"skip_table_chunking" step:"chunking" help:"tables are never cut (hosted)"`
	SimilarityThreshold  *float64 `form:"similarity_threshold" step:"chunking" help:"for by_similarity, 0 to 1 (hosted)"`
	KeepSimilarityBroken *bool    `form:"do_not_break_similarity_on_footer_header" step:"chunking" help:"for by_similarity (hosted)"`
	ContextualService    string   `form:"contextual_chunking_service_name" step:"chunking" help:"service for contextual chunking (hosted)"`
	ContextualAuth       Secret   `form:"contextual_chunking_auth" step:"chunking" help:"credentials for contextual chunking, as JSON (hosted)"`

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

// A Field describes one form field of [Params].
type Field struct {
	Name string // the API's name
	Kind FieldKind
	Help string // one line, without a full stop
}

// FieldKind is the type of a form field's value.
type FieldKind string

// The kinds of form fields.
const (
	KindString FieldKind = "string"
	KindSecret FieldKind = "secret"
	KindBool   FieldKind = "bool"
	KindInt    FieldKind = "int"
	KindFloat  FieldKind = "float"
	KindList   FieldKind = "list"
)

// Fields returns every form field that [Params] knows, in its order. Flags, the wire form and cache keys follow from it.
func Fields() []Field {
	var fields []Field
	for f := range paramsType.Fields() {
		if f.Tag.Get("form") != "" {
			fields = append(fields, Field{Name: f.Tag.Get("form"), Kind: kindOf(f.Type), Help: f.Tag.Get("help")})
		}
	}
	return fields
}

var paramsType = reflect.TypeFor[Params]()

func kindOf(t reflect.Type) FieldKind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Secret]():
		return KindSecret
	case t.Kind() == reflect.Bool:
		return KindBool
	case t.Kind() == reflect.Int:
		return KindInt
	case t.Kind() == reflect.Float64:
		return KindFloat
	case t.Kind() == reflect.Slice:
		return KindList
	default:
		return KindString
	}
}

// Set sets the field with the API's name to values, parsed by the field's kind: a list takes all of them, every other kind
// exactly one. A name that is not known goes to Extra; one that the client owns is an error.
func (p *Params) Set(name string, values ...string) error {
	if len(values) == 0 {
		return fmt.Errorf("parameter %s: no value", Printable(name))
	}
	index, known := fieldIndex(name)
	if !known {
		if err := checkExtra(name); err != nil {
			return err
		}
		if p.Extra == nil {
			p.Extra = url.Values{}
		}
		p.Extra[name] = slices.Clone(values)
		return nil
	}
	field := reflect.ValueOf(p).Elem().Field(index)
	if field.Kind() == reflect.Slice {
		field.Set(reflect.ValueOf(slices.Clone(values)))
		return nil
	}
	if len(values) > 1 {
		return fmt.Errorf("parameter %s: %d values, takes one", name, len(values))
	}
	return parseInto(field, name, values[0])
}

func parseInto(field reflect.Value, name, text string) error {
	if field.Kind() == reflect.String {
		field.SetString(text)
		return nil
	}
	value := reflect.New(field.Type().Elem())
	var err error
	switch value.Elem().Kind() {
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		value.Elem().SetBool(b)
	case reflect.Int:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		value.Elem().SetInt(n)
	default:
		var f float64
		f, err = strconv.ParseFloat(text, 64)
		value.Elem().SetFloat(f)
	}
	if err != nil {
		return fmt.Errorf("parameter %s: %s is no %s", name, strconv.Quote(text), kindOf(field.Type()))
	}
	field.Set(value)
	return nil
}

func fieldIndex(name string) (int, bool) {
	for i := range paramsType.NumField() {
		if tag := paramsType.Field(i).Tag.Get("form"); tag != "" && tag == name {
			return i, true
		}
	}
	return 0, false
}

// checkExtra refuses the names that Extra may not carry.
func checkExtra(name string) error {
	plain := strings.TrimSuffix(name, "[]")
	switch {
	case plain == "":
		return fmt.Errorf("parameter without a name")
	case plain == "files" || strings.HasPrefix(plain, "split_pdf_"):
		return fmt.Errorf("parameter %s: not sent to the server; use the client's own option", Printable(name))
	}
	if _, known := fieldIndex(plain); known {
		return fmt.Errorf("parameter %s: has a field of its own, set that", Printable(name))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("parameter %s: control character in the name", Printable(name))
	}
	return nil
}

// Key names all that p changes in a document's elements, for programs that remember what they have done: the form fields, and of
// [Split] the pages, how finely a PDF is cut, the scope of chunking and whether parents are repaired. What only decides whether
// there is a result, or how it is come by, is not in it: mode, limits, password, AllowFailed and Narrow.
func (p Params) Key() (Key, error) {
	fields, err := p.wire()
	if err != nil {
		return Key{}, err
	}
	described := [][]string{
		{"pages", p.Split.Pages.String()},
		{"concurrency", strconv.Itoa(p.Split.concurrency())},
		{"off", strconv.FormatBool(p.Split.Off)},
		{"scope", string(cmp.Or(p.Split.Scope, ScopeWhole))},
		{"repair_parents", strconv.FormatBool(p.Split.RepairParents)},
	}
	for _, field := range fields {
		described = append(described, []string{"field", field.name, field.value})
	}
	encoded, err := json.Marshal(described)
	return sha256.Sum256(encoded), err
}

// A formField is one part of the multipart form.
type formField struct{ name, value string }

// wire returns the form fields of p in their order, unset ones absent, lists as name[] each, then Extra by name. It is the one
// place where parameters become bytes.
func (p Params) wire() ([]formField, error) {
	var fields []formField
	v := reflect.ValueOf(p)
	for i := range paramsType.NumField() {
		name := paramsType.Field(i).Tag.Get("form")
		if name == "" || v.Field(i).IsZero() {
			continue
		}
		value := reflect.Indirect(v.Field(i))
		switch value.Kind() {
		case reflect.Slice:
			for j := range value.Len() {
				fields = append(fields, formField{name + "[]", value.Index(j).String()})
			}
		case reflect.Bool:
			fields = append(fields, formField{name, strconv.FormatBool(value.Bool())})
		case reflect.Int:
			fields = append(fields, formField{name, strconv.FormatInt(value.Int(), 10)})
		case reflect.Float64:
			fields = append(fields, formField{name, strconv.FormatFloat(value.Float(), 'g', -1, 64)})
		default:
			fields = append(fields, formField{name, value.String()})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Extra)) {
		if err := checkExtra(name); err != nil {
			return nil, err
		}
		wireName := name
		if len(p.Extra[name]) > 1 && !strings.HasSuffix(name, "[]") {
			wireName += "[]"
		}
		for _, value := range p.Extra[name] {
			fields = append(fields, formField{wireName, value})
		}
	}
	return fields, nil
}

package partition

import "encoding/json"

// Metadata is what the API says about an element beside its text. Every field is absent from JSON when it has its zero value;
// keys that have no field here stay in the element's raw JSON.
type Metadata struct {
	Filename      string       `json:"filename,omitempty"`
	FileDirectory string       `json:"file_directory,omitempty"`
	Filetype      string       `json:"filetype,omitempty"` // media type
	LastModified  string       `json:"last_modified,omitempty"`
	PageNumber    int          `json:"page_number,omitempty"` // 1-based; 0 where the document has no pages
	PageName      string       `json:"page_name,omitempty"`   // a sheet's name
	Languages     []string     `json:"languages,omitempty"`   // ISO 639-3
	ParentID      string       `json:"parent_id,omitempty"`
	CategoryDepth *int         `json:"category_depth,omitempty"`
	Coordinates   *Coordinates `json:"coordinates,omitempty"`
	DataSource    *DataSource  `json:"data_source,omitempty"`

	DetectionClassProb *float64                   `json:"detection_class_prob,omitempty"`
	EnrichmentOrigins  map[string]json.RawMessage `json:"enrichment_origins,omitempty"`
	IsExtracted        string                     `json:"is_extracted,omitempty"` // true, false, partial
	Routing            json.RawMessage            `json:"routing,omitempty"`
	RoutingScore       *float64                   `json:"routing_score,omitempty"`

	EmphasizedTextContents []string `json:"emphasized_text_contents,omitempty"`
	EmphasizedTextTags     []string `json:"emphasized_text_tags,omitempty"`
	HeaderFooterType       string   `json:"header_footer_type,omitempty"` // primary, even_only, first_page
	LinkTexts              []string `json:"link_texts,omitempty"`
	LinkURLs               []string `json:"link_urls,omitempty"`
	LinkStartIndexes       []int    `json:"link_start_indexes,omitempty"`
	Links                  []Link   `json:"links,omitempty"`
	URL                    string   `json:"url,omitempty"`

	ImageBase64   string `json:"image_base64,omitempty"`
	ImageMimeType string `json:"image_mime_type,omitempty"`
	ImageURL      string `json:"image_url,omitempty"`
	ImagePath     string `json:"image_path,omitempty"`

	TextAsHTML               string          `json:"text_as_html,omitempty"`
	TableAsCells             json.RawMessage `json:"table_as_cells,omitempty"`
	TableExtractionMethod    string          `json:"table_extraction_method,omitempty"` // grid, tatr, vlm
	TableID                  string          `json:"table_id,omitempty"`
	ChunkIndex               *int            `json:"chunk_index,omitempty"`
	NumCarriedOverHeaderRows *int            `json:"num_carried_over_header_rows,omitempty"`
	KeyValuePairs            json.RawMessage `json:"key_value_pairs,omitempty"`
	IsContinuation           bool            `json:"is_continuation,omitempty"`
	OrigElements             string          `json:"orig_elements,omitempty"` // decode with [Metadata.DecodeOrigElements]
	SegmentStartSeconds      *float64        `json:"segment_start_seconds,omitempty"`
	SegmentEndSeconds        *float64        `json:"segment_end_seconds,omitempty"`
	AttachedToFilename       string          `json:"attached_to_filename,omitempty"`
	SentFrom                 []string        `json:"sent_from,omitempty"`
	SentTo                   []string        `json:"sent_to,omitempty"`
	CCRecipient              []string        `json:"cc_recipient,omitempty"`
	BCCRecipient             []string        `json:"bcc_recipient,omitempty"`
	Subject                  string          `json:"subject,omitempty"`
	EmailMessageID           string          `json:"email_message_id,omitempty"`
	Signature                string          `json:"signature,omitempty"`
}

// Coordinates is where an element stands on its page.
type Coordinates struct {
	Points       [][2]float64 `json:"points"` // top left, bottom left, bottom right, top right; y grows downwards
	System       string       `json:"system"` // PixelSpace, PointSpace, RelativeCoordinateSystem, CoordinateSystem
	LayoutWidth  float64      `json:"layout_width"`
	LayoutHeight float64      `json:"layout_height"`
}

// DataSource is where a document came from, as ingestion tools record it.
type DataSource struct {
	URL             string          `json:"url,omitempty"`
	Version         string          `json:"version,omitempty"`
	RecordLocator   json.RawMessage `json:"record_locator,omitempty"`
	DateCreated     string          `json:"date_created,omitempty"`
	DateModified    string          `json:"date_modified,omitempty"`
	DateProcessed   string          `json:"date_processed,omitempty"`
	PermissionsData json.RawMessage `json:"permissions_data,omitempty"`
}

// Link is a hyperlink inside an element's text.
type Link struct {
	Text       string `json:"text"`
	URL        string `json:"url"`
	StartIndex int    `json:"start_index"` // in characters of the element's text
}

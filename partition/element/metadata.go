package element

// Metadata is what the API says about an element in addition to its text. Zero fields are left out
// of the JSON. To read a member that has no field here, call [Element.MetadataMember]. Such members
// stay in the element's JSON even if fields are changed.
type Metadata struct {
	Filename      string       `json:"filename,omitempty"`       // the document's name, as sent
	Filetype      string       `json:"filetype,omitempty"`       // media type
	PageNumber    int          `json:"page_number,omitempty"`    // from 1; 0 if the document has no pages
	PageName      string       `json:"page_name,omitempty"`      // a sheet's name
	Languages     []string     `json:"languages,omitempty"`      // ISO 639-3
	ParentID      string       `json:"parent_id,omitempty"`      // the [Element.ID] of the title or header above
	CategoryDepth *int         `json:"category_depth,omitempty"` // from 0; nil if the type has no depth
	Coordinates   *Coordinates `json:"coordinates,omitempty"`    // nil unless they were asked for

	TextAsHTML             string   `json:"text_as_html,omitempty"`             // of a table
	EmphasizedTextContents []string `json:"emphasized_text_contents,omitempty"` // the bold and italic texts
	EmphasizedTextTags     []string `json:"emphasized_text_tags,omitempty"`     // b or i, for each of those
	LinkTexts              []string `json:"link_texts,omitempty"`
	LinkURLs               []string `json:"link_urls,omitempty"`          // for each of those
	LinkStartIndexes       []int    `json:"link_start_indexes,omitempty"` // for each of those: in characters of the element's text
	URL                    string   `json:"url,omitempty"`

	ImageBase64   string `json:"image_base64,omitempty"` // with extract_image_block_types
	ImageMimeType string `json:"image_mime_type,omitempty"`
	ImageURL      string `json:"image_url,omitempty"` // as the document has it

	OrigElements string `json:"orig_elements,omitempty"` // decode with [Metadata.DecodeOrigElements]

	SentFrom []string `json:"sent_from,omitempty"` // of an e-mail, as are those below
	SentTo   []string `json:"sent_to,omitempty"`
	Subject  string   `json:"subject,omitempty"`
}

// Coordinates is the position of an element on its page.
type Coordinates struct {
	Points       [][2]float64 `json:"points"` // top left, bottom left, bottom right, top right; y grows downwards
	System       string       `json:"system"` // PixelSpace, PointSpace, RelativeCoordinateSystem, CoordinateSystem
	LayoutWidth  float64      `json:"layout_width"`
	LayoutHeight float64      `json:"layout_height"`
}

package local

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// A request is a validated form.
type request struct {
	files []*upload

	strategy    string
	csv         bool // output_format
	coordinates bool
	pageBreaks  bool
	uniqueIDs   bool
	firstPage   int
	languages   []string // ISO 639-3
	encoding    string
	contentType string
	gzipOf      string // gz_uncompressed_content_type
	maxInflated int64
}

// check validates the form, then whether the answer can have the form that is asked for: the API's
// order.
func (e *Engine) check(f *form, r *http.Request) (*request, error) {
	if problems := validate(f); problems != nil {
		return nil, problems
	}
	req := &request{
		files:       f.files,
		strategy:    unquoted(f.value("strategy")),
		csv:         f.value("output_format") == "text/csv",
		coordinates: strings.EqualFold(f.value("coordinates"), "true"),
		pageBreaks:  booleans[strings.ToLower(f.value("include_page_breaks"))],
		uniqueIDs:   booleans[strings.ToLower(f.value("unique_element_ids"))],
		firstPage:   1,
		languages:   languageCodes(list(f.values["languages"])),
		encoding:    f.value("encoding"),
		contentType: f.value("content_type"),
		gzipOf:      f.value("gz_uncompressed_content_type"),
		maxInflated: e.options.MaxBody,
	}
	if first := f.value("starting_page_number"); first != "" {
		req.firstPage, _ = parseInteger(first) // validated above
	}
	return req, severalFiles(req, r.Header.Get("Accept"))
}

func (e *Engine) authorized(r *http.Request) bool {
	sent, want := sha256.Sum256([]byte(r.Header.Get(keyHeader))), sha256.Sum256([]byte(e.options.APIKey))
	return e.options.APIKey == "" || subtle.ConstantTimeCompare(sent[:], want[:]) == 1
}

const keyHeader = "unstructured-api-key"

// unauthorized is the API's text without the key that the API repeats in it.
func unauthorized(r *http.Request) string {
	if len(r.Header.Values(keyHeader)) == 0 {
		return "API key None is invalid"
	}
	return "API key is invalid"
}

// severalFiles refuses what a request with more than one file cannot be answered with.
func severalFiles(req *request, accept string) error {
	if len(req.files) < 2 {
		return nil
	}
	if !slices.Contains([]string{"", "*/*", "application/json", "text/csv"}, accept) {
		return &failure{
			status: http.StatusNotAcceptable,
			detail: fmt.Sprintf("Conflict in media type %s with response type 'multipart/mixed'.\n", accept),
		}
	}
	if req.csv {
		return &failure{status: http.StatusBadRequest, detail: "The embedded engine answers with CSV for one file at a time."}
	}
	return nil
}

// list reads a list field: repeated values, or one value that is a JSON list or separated by plus
// signs.
func list(values []string) []string {
	if len(values) == 1 {
		one := values[0]
		values = nil
		if json.Unmarshal([]byte(one), &values) != nil {
			values = strings.Split(one, "+")
		}
	}
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
}

// languageCodes are the codes as ISO 639-3, what is no ISO 639-1 code unchanged; English where
// there is none, since the engine detects nothing.
func languageCodes(codes []string) []string {
	var three []string
	for _, code := range codes {
		if base, err := language.ParseBase(code); err == nil && len(code) == 2 {
			code = base.ISO3()
		}
		if code != "auto" && !slices.Contains(three, code) {
			three = append(three, code)
		}
	}
	if three == nil {
		return []string{"eng"}
	}
	return three
}

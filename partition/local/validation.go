package local

import (
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A problem is one entry of the API's answer to a form that does not validate.
type problem struct {
	Type  string         `json:"type"`
	Loc   []any          `json:"loc"`
	Msg   string         `json:"msg"`
	Input any            `json:"input"`
	Ctx   map[string]any `json:"ctx,omitempty"`
}

// formFields are the checked fields, in the order in which the API reports them. Fields that are
// not here take any text.
var formFields = []struct {
	name  string
	check func(value string) *problem // nil where the value is fine
}{
	{"output_format", oneOf("application/json", "text/csv")},
	{"include_page_breaks", boolean},
	{"strategy", func(value string) *problem { return oneOf("fast", "hi_res", "auto", "ocr_only")(unquoted(value)) }},
	{"unique_element_ids", boolean},
	{"chunking_strategy", chunking},
	{"combine_under_n_chars", integer},
	{"max_characters", integer},
	{"multipage_sections", boolean},
	{"new_after_n_chars", integer},
	{"overlap", integer},
	{"overlap_all", boolean},
	{"starting_page_number", pageNumber},
	{"include_slide_notes", boolean},
}

// validate returns the failure of everything that is wrong with the form, or nil.
func validate(f *form) *failure {
	var problems []*problem
	for _, field := range formFields {
		value := f.value(field.name)
		if value == "" {
			continue // counts as not sent
		}
		if p := field.check(value); p != nil {
			p.Loc = []any{"body", field.name}
			problems = append(problems, p)
		}
	}
	for i, text := range f.stray {
		problems = append(problems, &problem{
			Type: "value_error", Loc: []any{"body", "files", i}, Input: text,
			Msg: "Value error, Expected UploadFile, received: <class 'str'>", Ctx: map[string]any{"error": struct{}{}},
		})
	}
	if len(f.files) == 0 && len(f.stray) == 0 {
		problems = append(problems, &problem{Type: "missing", Loc: []any{"body", "files"}, Msg: "Field required"})
	}
	if problems == nil {
		return nil
	}
	return &failure{status: http.StatusUnprocessableEntity, detail: problems}
}

func oneOf(choices ...string) func(string) *problem {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = "'" + c + "'"
	}
	expected := quoted[0]
	if last := len(quoted) - 1; last > 0 {
		expected = strings.Join(quoted[:last], ", ") + " or " + quoted[last]
	}
	return func(value string) *problem {
		if slices.Contains(choices, value) {
			return nil
		}
		return &problem{
			Type: "literal_error", Msg: "Input should be " + expected, Input: value, Ctx: map[string]any{"expected": expected},
		}
	}
}

// chunking refuses every strategy: an unknown one as the API does, the API's only one because it is
// not built in.
func chunking(value string) *problem {
	if p := oneOf("by_title")(value); p != nil {
		return p
	}
	expected := "no value: the embedded engine does not chunk"
	return &problem{
		Type: "literal_error", Msg: "Input should be " + expected, Input: value, Ctx: map[string]any{"expected": expected},
	}
}

func boolean(value string) *problem {
	if _, known := booleans[strings.ToLower(value)]; known {
		return nil
	}
	return &problem{Type: "bool_parsing", Msg: "Input should be a valid boolean, unable to interpret input", Input: value}
}

var booleans = map[string]bool{
	"true": true, "1": true, "yes": true, "on": true, "t": true, "y": true,
	"false": false, "0": false, "no": false, "off": false, "f": false, "n": false,
}

var integerText = regexp.MustCompile(`^\s*[+-]?\d+(_\d+)*(\.0*)?\s*$`)

func integer(value string) *problem {
	if !integerText.MatchString(value) {
		return &problem{
			Type: "int_parsing", Msg: "Input should be a valid integer, unable to parse string as an integer", Input: value,
		}
	}
	if _, err := parseInteger(value); err != nil {
		return oversized(value)
	}
	return nil
}

// pageNumber is an integer to which the pages of a document can be added.
func pageNumber(value string) *problem {
	if p := integer(value); p != nil {
		return p
	}
	if n, _ := parseInteger(value); n > math.MaxInt32 || n < math.MinInt32 {
		return oversized(value)
	}
	return nil
}

func oversized(value string) *problem {
	return &problem{
		Type: "int_parsing_size", Msg: "Unable to parse input string as an integer, exceeded maximum size", Input: value,
	}
}

func parseInteger(value string) (int, error) {
	whole, _, _ := strings.Cut(strings.TrimSpace(value), ".")
	return strconv.Atoi(strings.ReplaceAll(whole, "_", ""))
}

// unquoted takes off the quotes that shells leave around a strategy.
func unquoted(value string) string { return strings.Trim(value, `'"`) }

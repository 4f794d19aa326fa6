package partition

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/form"
)

func TestUnsetParamsAreAbsent(t *testing.T) {
	fields, err := Params{}.fields()
	require.NoError(t, err)
	require.Empty(t, fields)
}

// TestEveryField sets each field by its API name and looks at the wire.
func TestEveryField(t *testing.T) {
	values := map[form.Kind][2]string{
		form.String: {"some text", "some text"}, form.Secret: {`{"k":1}`, `{"k":1}`}, form.Bool: {"false", "false"}, form.Int: {"0", "0"},
		form.Float: {"0.185", "0.185"}, form.List: {"eng", "eng"},
	}
	for _, field := range form.Fields() {
		t.Run(field.Name, func(t *testing.T) {
			var p Params
			require.NoError(t, p.Set(field.Name, values[field.Kind][0]))
			got, err := p.fields()
			require.NoError(t, err)
			name := field.Name
			if field.Kind == form.List {
				name += "[]"
			}
			require.Equal(t, []form.Pair{{Name: name, Value: values[field.Kind][1]}}, got)
			require.NotEmpty(t, field.Help)
		})
	}
}

// TestFieldsAreTheAPIs holds the list of names against the API's tables.
func TestFieldsAreTheAPIs(t *testing.T) {
	want := strings.Fields(`chunking_strategy combine_under_n_chars content_type contextual_chunking_auth
		contextual_chunking_service_name coordinates do_not_break_similarity_on_footer_header encoding extract_image_block_types
		gz_uncompressed_content_type hi_res_model_name include_orig_elements include_page_breaks include_slide_notes isolate_table
		languages max_characters multipage_sections new_after_n_chars ocr_languages output_format overlap overlap_all
		pdf_infer_table_structure pdfminer_char_margin pdfminer_line_margin pdfminer_line_overlap pdfminer_word_margin
		similarity_threshold skip_infer_table_types skip_table_chunking starting_page_number strategy table_ocr_agent
		tracking_enabled unique_element_ids vlm_model vlm_model_provider xml_keep_tags`)
	var got []string
	for _, field := range form.Fields() {
		got = append(got, field.Name)
	}
	require.ElementsMatch(t, want, got)
}

// TestEveryParamIsClassified makes sure that a new field of Params either goes on the wire, as the
// table has it, or is named here.
func TestEveryParamIsClassified(t *testing.T) {
	types := map[form.Kind][]reflect.Type{
		form.String: {reflect.TypeFor[string](), reflect.TypeFor[OutputFormat]()},
		form.Secret: {reflect.TypeFor[Secret]()}, form.Bool: {reflect.TypeFor[*bool]()}, form.Int: {reflect.TypeFor[*int]()},
		form.Float: {reflect.TypeFor[*float64]()}, form.List: {reflect.TypeFor[[]string]()},
	}
	kinds := map[string]form.Kind{}
	for _, field := range form.Fields() {
		kinds[field.Name] = field.Kind
	}
	for field := range reflect.TypeFor[Params]().Fields() {
		if name := field.Tag.Get("form"); name != "" {
			require.Contains(t, types[kinds[name]], field.Type, name)
			continue
		}
		require.Contains(t, []string{"Extra", "Split", "FailEmpty"}, field.Name)
	}
}

func TestSet(t *testing.T) {
	var p Params
	require.NoError(t, p.Set("languages", "eng", "deu"))
	require.NoError(t, p.Set("brand_new", "1"))
	require.NoError(t, p.Set("brand_new_list", "a", "b"))
	got, err := p.fields()
	require.NoError(t, err)
	require.Equal(t, []form.Pair{
		{Name: "languages[]", Value: "eng"},
		{Name: "languages[]", Value: "deu"},
		{Name: "brand_new", Value: "1"},
		{Name: "brand_new_list[]", Value: "a"},
		{Name: "brand_new_list[]", Value: "b"},
	}, got)
	for name, value := range map[string]string{
		"coordinates": "maybe", "max_characters": "many", "similarity_threshold": "half", "files": "x", "split_pdf_page": "true",
		"": "x", "languages[]": "eng", "a\r\nb": "x",
	} {
		require.ErrorContains(t, p.Set(name, value), "parameter", name)
	}
	require.Error(t, p.Set("strategy", "fast", "hi_res"))
	require.Error(t, p.Set("strategy"))
}

// What has no field is set by name, in the API's order and spelling, or in Extra itself.
func TestParamsWithoutAField(t *testing.T) {
	var p Params
	require.NoError(t, p.Set("chunking_strategy", "by_title"))
	require.NoError(t, p.Set("isolate_table", "T"))
	require.NoError(t, p.Set("pdfminer_line_margin", "1.50"))
	require.NoError(t, p.Set("ocr_languages", "fra"))
	require.NoError(t, p.Set("vlm_model", ""))
	got, err := p.fields()
	require.NoError(t, err)
	require.Equal(t, []form.Pair{
		{Name: "ocr_languages[]", Value: "fra"},
		{Name: "pdfminer_line_margin", Value: "1.5"},
		{Name: "chunking_strategy", Value: "by_title"},
		{Name: "isolate_table", Value: "true"},
	}, got)
	got, err = p.chunkingOnly().fields()
	require.NoError(t, err)
	require.Equal(t, []form.Pair{{Name: "chunking_strategy", Value: "by_title"}, {Name: "isolate_table", Value: "true"}}, got)
	got, err = p.withoutChunking().fields()
	require.NoError(t, err)
	require.Equal(t, []form.Pair{{Name: "ocr_languages[]", Value: "fra"}, {Name: "pdfminer_line_margin", Value: "1.5"}}, got)

	_, err = Params{Extra: url.Values{"tracking_enabled": {"maybe"}}}.fields()
	require.EqualError(t, err, `parameter tracking_enabled: "maybe" is not a valid bool`)
	require.Error(t, p.Set("vlm_model", "a", "b"))
}

func TestExtraMayNotRepeatAField(t *testing.T) {
	for _, name := range []string{"strategy", "languages", "languages[]", "files", "split_pdf_concurrency_level"} {
		_, err := Params{Extra: url.Values{name: {"x"}}}.fields()
		require.ErrorContains(t, err, "parameter "+name)
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	p := Params{ContextualAuth: "hunter2", Split: Split{Password: "hunter2"}}
	encoded, err := json.Marshal(p)
	require.NoError(t, err)
	for _, text := range []string{fmt.Sprint(p), fmt.Sprintf("%+v", p), fmt.Sprintf("%#v", p), fmt.Sprintf("%q", p.ContextualAuth), string(encoded)} {
		require.NotContains(t, text, "hunter2")
	}
}

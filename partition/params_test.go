package partition

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/split"
)

func TestUnsetParamsAreAbsent(t *testing.T) {
	fields, err := Params{}.wire()
	require.NoError(t, err)
	require.Empty(t, fields)
}

// TestEveryField sets each field by its API name and looks at the wire.
func TestEveryField(t *testing.T) {
	values := map[FieldKind][2]string{
		KindString: {"some text", "some text"}, KindSecret: {`{"k":1}`, `{"k":1}`}, KindBool: {"false", "false"}, KindInt: {"0", "0"},
		KindFloat: {"0.185", "0.185"}, KindList: {"eng", "eng"},
	}
	for _, field := range Fields() {
		t.Run(field.Name, func(t *testing.T) {
			var p Params
			require.NoError(t, p.Set(field.Name, values[field.Kind][0]))
			require.Empty(t, p.Extra)
			got, err := p.wire()
			require.NoError(t, err)
			name := field.Name
			if field.Kind == KindList {
				name += "[]"
			}
			require.Equal(t, []formField{{name, values[field.Kind][1]}}, got)
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
	for _, field := range Fields() {
		got = append(got, field.Name)
	}
	require.ElementsMatch(t, want, got)
}

// TestEveryParamIsClassified makes sure that a new field of Params either goes on the wire or is named here.
func TestEveryParamIsClassified(t *testing.T) {
	for field := range paramsType.Fields() {
		if field.Tag.Get("form") == "" {
			require.Contains(t, []string{"Extra", "Split"}, field.Name)
		}
	}
}

// TestKeyTellsParamsApart goes through every field of Split: one that changes elements changes the key, and no other does.
func TestKeyTellsParamsApart(t *testing.T) {
	key := func(p Params) Key {
		k, err := p.Key()
		require.NoError(t, err)
		return k
	}
	changes := map[string]bool{"Off": true, "Concurrency": true, "Pages": true, "Scope": true, "RepairParents": true}
	for field := range reflect.TypeFor[Split]().Fields() {
		var p Params
		switch v := reflect.ValueOf(&p.Split).Elem().FieldByIndex(field.Index); v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString("x")
		case reflect.Struct:
			p.Split.Pages = split.PageRange{First: 2, Last: 3}
		default:
			v.SetInt(7)
		}
		require.Equal(t, changes[field.Name], key(p) != key(Params{}), field.Name)
	}
	require.Equal(t, key(Params{}), key(Params{Split: Split{Concurrency: 10, Scope: ScopeWhole}}), "defaults are the same as unset")
	require.NotEqual(t, key(Params{}), key(Params{Strategy: StrategyFast}))
	require.NotEqual(t, key(Params{Languages: []string{"eng", "deu"}}), key(Params{Languages: []string{"engdeu"}}))
	_, err := Params{Extra: url.Values{"files": {"x"}}}.Key()
	require.Error(t, err)
}

func TestSet(t *testing.T) {
	var p Params
	require.NoError(t, p.Set("languages", "eng", "deu"))
	require.NoError(t, p.Set("brand_new", "1"))
	require.NoError(t, p.Set("brand_new_list", "a", "b"))
	got, err := p.wire()
	require.NoError(t, err)
	require.Equal(t, []formField{
		{"languages[]", "eng"}, {"languages[]", "deu"}, {"brand_new", "1"}, {"brand_new_list[]", "a"}, {"brand_new_list[]", "b"},
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

func TestExtraMayNotRepeatAField(t *testing.T) {
	for _, name := range []string{"strategy", "languages", "languages[]", "files", "split_pdf_concurrency_level"} {
		_, err := Params{Extra: url.Values{name: {"x"}}}.wire()
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

func TestKindOf(t *testing.T) {
	require.Equal(t, KindString, kindOf(reflect.TypeFor[Strategy]()))
	require.Equal(t, KindFloat, kindOf(reflect.TypeFor[*float64]()))
}

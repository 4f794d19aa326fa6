package partition_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// everyField is a value for each form field that is known.
var everyField = map[string][]string{
	"strategy": {"hi_res"}, "languages": {"eng", "deu"}, "coordinates": {"true"}, "encoding": {"utf-8"}, "content_type": {"text/plain"},
	"output_format": {"application/json"}, "include_page_breaks": {"1"}, "unique_element_ids": {"false"}, "starting_page_number": {"7"},
	"xml_keep_tags": {"t"}, "include_slide_notes": {"true"}, "gz_uncompressed_content_type": {"text/html"}, "hi_res_model_name": {"yolox"},
	"table_ocr_agent": {"tesseract"}, "ocr_languages": {"fra"}, "pdf_infer_table_structure": {"0"}, "skip_infer_table_types": {"pdf", "jpg"},
	"extract_image_block_types": {"Image"}, "vlm_model": {"m"}, "vlm_model_provider": {"p"}, "pdfminer_char_margin": {"2.50"},
	"pdfminer_line_margin": {"1e3"}, "pdfminer_line_overlap": {"0.5"}, "pdfminer_word_margin": {"0.185"}, "tracking_enabled": {"false"},
	"chunking_strategy": {"by_title"}, "max_characters": {"500"}, "new_after_n_chars": {"+400"}, "combine_under_n_chars": {"007"}, "overlap": {"0"},
	"overlap_all": {"true"}, "multipage_sections": {"true"}, "include_orig_elements": {"true"}, "isolate_table": {"false"},
	"skip_table_chunking": {"true"}, "similarity_threshold": {".5"}, "do_not_break_similarity_on_footer_header": {"true"},
	"contextual_chunking_service_name": {"s"}, "contextual_chunking_auth": {`{"k":1}`}, "brand_new": {"x"}, "brand_new_list": {"a", "b"},
}

func allFields(t *testing.T) partition.Params {
	t.Helper()
	var p partition.Params
	for name, values := range everyField {
		require.NoError(t, p.Set(name, values...), name)
	}
	return p
}

// What an earlier version stored under a key, in a cache or a journal, must be found: these are the
// keys of version 0.1.0.
func TestKeysAreThoseOfBefore(t *testing.T) {
	every := allFields(t)
	chunked := every
	chunked.Split.Scope = partition.ChunkingPerChunk
	for name, test := range map[string]struct {
		params  partition.Params
		options []partition.Option
		journal string   // of the parameters, as records have it
		cache   []string // sorted
	}{
		"nothing": {
			params:  partition.Params{},
			journal: "20ff2b986855d7d417ea95089cd277f32a6e1d97fd27b1b510105b689ba38bd0",
			cache: []string{
				"1ba8850735ee758affdf6af6440d744dc79942912055893a65a579fa33b9f66b",
				"4ae951f9b9084f7ce5dcc7487c5618ebe91a3d07dca14ddf8c262b3f1af53ff5",
				"e88fb18bef0267d270e5e5cafb348c12b7f90220227e32e536c89a10d1f02743",
			},
		},
		"everything": {
			params:  every,
			journal: "f2b1b43dc9ef61d06d027ce57cd1f6d1b9a0dcb4308de2ae7741bb84ea1d2bf1",
			cache: []string{
				"d487c977e798a8d323cbf66d8c6fe4cd9776fa9cfcbece0c6f4025fc059c41e6",
			},
		},
		"per chunk": {
			params:  chunked,
			journal: "80c046e5972fd7645064bcfc246794c6d34fca4eee3f4482a10333e9d6a73185",
			cache: []string{
				"2636068c0c390f2457b1746244bc1b5dee736387a834ea9a9e6c057ecdc16cb8",
				"33bd7ac26388a9abc8aa5a1569f447bd2d18be1eee6afb674bc50e97b9bbe5eb",
				"3c2d5b30804ec403adae66aea60b0204dd47587698dbf7d35400fecf20c4e80f",
			},
		},
		"after": {
			params:  partition.Params{ChunkingStrategy: "by_title", MaxCharacters: new(300), Split: partition.Split{Scope: partition.ChunkingAfter}},
			journal: "7666e0a9ccbaa369954123b5fbfdaac0f824485d432d39d6352c9d2392bc38c2",
			cache: []string{
				"1ba8850735ee758affdf6af6440d744dc79942912055893a65a579fa33b9f66b",
				"4ae951f9b9084f7ce5dcc7487c5618ebe91a3d07dca14ddf8c262b3f1af53ff5",
				"7b55166fb4e0d521b3d2422c4b1fd1cb6ebee6938e66eccaf9910356d87c47f5",
				"e88fb18bef0267d270e5e5cafb348c12b7f90220227e32e536c89a10d1f02743",
			},
		},
		"split": {
			params: partition.Params{Split: partition.Split{
				Concurrency: 99, Pages: split.PageRange{First: 2, Last: 5}, RepairParents: new(true), Mode: partition.DiskCached, Password: "p", Narrow: true,
			}},
			options: []partition.Option{partition.WithAPIKey("account"), partition.WithHeader("X-Tenant", "7"), wire.WithEngine("engine 2")},
			journal: "e291484281bfcaf7f1c8b54f1dcef31b6b8f16266d118122a357d5db87def756",
			cache: []string{
				"980e38cb6cdf020f1942106a7fe118d55439bb71b33e7a170f2e5c6ee394e0d0",
				"aa401522b293f5d83661cf0b6e8f5f5e2d0a9d5d6db645945dce81d1c400228e",
			},
		},
		"off": {
			params:  partition.Params{StartingPageNumber: new(3), Split: partition.Split{Off: true}},
			journal: "7bdc39221096b7174015f5d7208440054ce191225d937c003ced731830f22bb8",
			cache: []string{
				"97771ce8dee8ee4ada8d8fba6fe97224cd35730b72d45ce91fc0282655caefc3",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := wire.Key(test.params)
			require.NoError(t, err)
			require.Equal(t, test.journal, hex.EncodeToString(key[:]))
			cache := &memoryCache{}
			empty := roundTripper(func(r *http.Request) (*http.Response, error) {
				_, err := io.Copy(io.Discard, r.Body)
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("[]")), Request: r}, err
			})
			c, err := partition.New(append([]partition.Option{
				partition.WithBaseURL("http://partition.test"), partition.WithAPIKey(""), partition.WithCache(cache),
				partition.WithHTTPClient(&http.Client{Transport: empty}),
			}, test.options...)...)
			require.NoError(t, err)
			data, err := os.ReadFile("testdata/six-pages.pdf")
			require.NoError(t, err)
			_, err = c.Partition(t.Context(), partition.FromReaderAt("dir/a.pdf", bytes.NewReader(data), int64(len(data))), test.params)
			require.NoError(t, err)
			var keys []string
			for k := range cache.entries {
				keys = append(keys, hex.EncodeToString(k[:]))
			}
			slices.Sort(keys)
			require.Equal(t, test.cache, keys)
		})
	}
}

package partition_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// What the pages of a PDF show, a letter for each: text, a scan, or nothing.
const (
	textPage  = 't'
	scanPage  = 's'
	blankPage = 'b'
)

// pdfOf makes a PDF with a page for each letter of pages.
func pdfOf(pages string) *partition.Document {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(offsets)}, args...)...)
	}
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 8+i)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(pages))
	object("<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>/XObject<</Im1 4 0 R>>>>")
	object("<</Subtype/Image/Width 8/Height 8/BitsPerComponent 8/ColorSpace/DeviceGray/Length 64>>stream\n%s\nendstream", strings.Repeat("ab", 32))
	contents := map[rune]int{}
	for i, page := range []struct {
		kind    rune
		content string
	}{{textPage, "BT /F1 12 Tf 20 100 Td (Some words.) Tj ET"}, {scanPage, "q 200 0 0 200 0 0 cm /Im1 Do Q"}, {blankPage, "q Q"}} {
		contents[page.kind] = 5 + i
		object("<</Length %d>>stream\n%s\nendstream", len(page.content), page.content)
	}
	for _, kind := range pages {
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources 3 0 R/Contents %d 0 R>>", contents[kind])
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return partition.FromReaderAt("report.pdf", bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// answering answers with an element for each page of a request but those that are silent.
func answering(silent string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, _ := partitiontest.FromContext(r.Context())
		var elements []string
		for page := max(request.Pages.First, 1); page <= max(request.Pages.Last, 1); page++ {
			if !strings.Contains(" "+silent+" ", fmt.Sprintf(" %d ", page)) && silent != "all" {
				elements = append(elements, fmt.Sprintf(`{"type":"Title","element_id":"%d","text":"Some words.","metadata":{"page_number":%d}}`, page, page))
			}
		}
		_, _ = fmt.Fprintf(w, "[%s]", strings.Join(elements, ","))
	})
}

func answer(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
}

func anImage(members string) string { return `[{"type":"Image","element_id":"1",` + members + `}]` }

// said is the warnings of a report, but that of a document that goes whole.
func said(r partition.Report) string {
	whole := func(warning string) bool { return strings.HasSuffix(warning, ": sent in one request") }
	return strings.Join(slices.DeleteFunc(r.Warnings, whole), "\n")
}

// TestA7Empty goes through the answers without anything, and what is said of them.
func TestA7Empty(t *testing.T) {
	named := func(name string) *partition.Document {
		return partition.FromReaderAt(name, strings.NewReader("x"), 1)
	}
	csv := partition.Params{OutputFormat: partition.OutputCSV}
	for name, test := range map[string]struct {
		document *partition.Document
		params   partition.Params
		answer   http.Handler
		want     string // the warning; "" for a document that is not empty
	}{
		"scans": {
			pdfOf("ssss"),
			partition.Params{Strategy: "fast"},
			answering("all"),
			"empty: no elements; pages 1-4 are scans: strategy hi_res or ocr_only reads scans",
		},
		"a scan": {
			pdfOf("s"),
			partition.Params{},
			answering("all"),
			"empty: no elements; page 1 is a scan: strategy hi_res or ocr_only reads scans",
		},
		"more scans than are looked at": {
			pdfOf(strings.Repeat("s", 250)),
			partition.Params{},
			answering("all"),
			"empty: no elements; pages 1-200 are scans: strategy hi_res or ocr_only reads scans (only 200 pages without elements were looked at)",
		},
		"scans that were read": {
			pdfOf("ss"),
			partition.Params{Strategy: "hi_res"},
			answering("all"),
			"empty: no elements; pages 1-2 are scans: strategy hi_res found nothing there",
		},
		"blank pages": {
			pdfOf("bbb"), partition.Params{}, answering("all"), "empty: no elements; pages 1-3 are blank",
		},
		"pages of all kinds": {
			pdfOf("sbtts"),
			partition.Params{Strategy: "fast"},
			answering("all"),
			"empty: no elements; pages 1, 5 are scans: strategy hi_res or ocr_only reads scans; page 2 is blank; " +
				"the server found nothing on pages 3-4, which show text",
		},
		"a page range": {
			pdfOf("ttbsst"),
			partition.Params{Split: partition.Split{Pages: split.PageRange{First: 3, Last: 5}}},
			answering("all"),
			"empty: no elements; pages 4-5 are scans: strategy hi_res or ocr_only reads scans; page 3 is blank",
		},
		"sent whole": {
			pdfOf("ssss"),
			partition.Params{Split: partition.Split{Off: true}},
			answer("[]"),
			"empty: no elements; pages 1-4 are scans: strategy hi_res or ocr_only reads scans",
		},
		"text chunking": {
			pdfOf("ssss"),
			partition.Params{ChunkingStrategy: "basic"},
			answer("[]"),
			"empty: no elements; pages 1-4 are scans: strategy hi_res or ocr_only reads scans",
		},
		"text chunking after": {
			pdfOf("ssss"),
			partition.Params{ChunkingStrategy: "basic", Split: partition.Split{Scope: partition.ChunkingAfter}},
			answering("all"),
			"empty: no elements; pages 1-4 are scans: strategy hi_res or ocr_only reads scans",
		},
		"other files":    {named("a.docx"), partition.Params{}, answer(" [ ] "), "empty: no elements; the server found nothing"},
		"compressed":     {named("a.txt.gz"), partition.Params{}, answer("[]"), "empty: no elements; the server found nothing"},
		"an image":       {named("a.png"), partition.Params{Strategy: "fast"}, answer("[]"), "empty: no elements; it is an image: strategy hi_res or ocr_only reads scans"},
		"an image, read": {named("a.png"), partition.Params{Strategy: "hi_res"}, answer("[]"), "empty: no elements; the server found nothing"},

		"elements without text": {
			named("a.txt"),
			partition.Params{},
			answer(`[{"type":"PageBreak","text":""},{"type":"UncategorizedText","text":" \n\u00a0"}]`),
			"empty: no text in 2 elements; the server found nothing",
		},
		"page breaks of scans": {
			pdfOf("ss"),
			partition.Params{},
			answer(`[{"type":"PageBreak","text":"","metadata":{"page_number":1}}]`),
			"empty: no text in 1 element; pages 1-2 are scans: strategy hi_res or ocr_only reads scans",
		},
		"an image alone":    {named("a.txt"), partition.Params{}, answer(anImage(`"text":"","metadata":{}`)), "empty: no text in 1 element; the server found nothing"},
		"a picture":         {named("a.txt"), partition.Params{}, answer(anImage(`"text":"","metadata":{"image_base64":"aGk="}`)), ""},
		"a table as HTML":   {named("a.txt"), partition.Params{}, answer(anImage(`"text":"","metadata":{"text_as_html":"<table/>"}`)), ""},
		"one word":          {named("a.txt"), partition.Params{}, answer(anImage(`"text":"a"`)), ""},
		"a table of CSV":    {named("a.txt"), csv, answer("type,element_id,text\nTitle,1,a\n"), ""},
		"an unknown table":  {named("a.txt"), csv, answer("a,b\n1,2\n"), ""},
		"a table of images": {named("a.txt"), csv, answer("text,image_base64\n,aGk=\n"), ""},
		"a torn table":      {named("a.txt"), csv, answer("text\n\"a"), ""},
		"a header":          {named("a.txt"), csv, answer("type,element_id,text\n"), "empty: a table without rows; the server found nothing"},
		"a header that is marked": {
			named("a.txt"), csv, answer("\xef\xbb\xbftext\r\n\"  \"\r\n"), "empty: no text in 1 row; the server found nothing",
		},
		"no table at all": {named("a.txt"), csv, answer("\n"), "empty: a table without rows; the server found nothing"},
		"a table of scans": {
			pdfOf("sb"), csv, answer("type,text,page_number\nPageBreak,,1\n"),
			"empty: no text in 1 row; page 1 is a scan: strategy hi_res or ocr_only reads scans; page 2 is blank",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{Engine: test.answer}, func(t *testing.T, s *partitiontest.Server) {
				client := newClient(t, s)
				result, err := client.Partition(t.Context(), test.document, test.params)
				require.NoError(t, err)
				require.Equal(t, test.want != "", result.Report.Empty)
				require.Equal(t, test.want, said(result.Report))

				test.params.FailEmpty = true
				result, err = client.Partition(t.Context(), test.document, test.params)
				require.Equal(t, test.want != "", result.Report.Empty)
				require.Empty(t, said(result.Report))
				if test.want == "" {
					require.NoError(t, err)
					return
				}
				require.EqualError(t, err, test.document.Name()+": "+test.want)
				require.Equal(t, partition.KindEmpty, partition.KindOf(err))
				require.Equal(t, partition.ScopeDocument, partition.KindEmpty.Scope())
			})
		})
	}
}

// TestA7Unread goes through documents of which some pages have no elements. It is said of pages that
// show text, and of scans if the strategy does not read them; blank pages are usual.
func TestA7Unread(t *testing.T) {
	advice := ": strategy hi_res or ocr_only reads scans"
	for name, test := range map[string]struct {
		pages, silent string
		params        partition.Params
		want          string
	}{
		"a chunk of scans":       {"ttttssss", "5 6 7 8", partition.Params{}, "no elements of pages 5-8, which are scans" + advice},
		"a scan among texts":     {"ttttst", "5", partition.Params{Strategy: "fast"}, "no elements of page 5, which is a scan" + advice},
		"one request":            {"tst", "2", partition.Params{Split: partition.Split{Off: true}}, "no elements of page 2, which is a scan" + advice},
		"scans apart":            {"sttsts", "1 4 6", partition.Params{}, "no elements of pages 1, 4, 6, which are scans" + advice},
		"other page numbers":     {"tsttt", "11", partition.Params{StartingPageNumber: new(10)}, "no elements of page 2, which is a scan" + advice},
		"a range of pages":       {"stsst", "3", partition.Params{Split: partition.Split{Pages: split.PageRange{First: 2, Last: 5}}}, "no elements of page 3, which is a scan" + advice},
		"many scans":             {strings.Repeat("st", 15), "1 3 5 7 9 11 13 15 17 19 21 23 25 27 29", partition.Params{}, "no elements of pages 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and 5 more, which are scans" + advice},
		"a chunk of texts":       {"tttttttt", "5 6", partition.Params{Strategy: "hi_res"}, "no elements of pages 5-6, which show text"},
		"texts and scans":        {"tts", "2 3", partition.Params{}, "no elements of page 2, which shows text; no elements of page 3, which is a scan" + advice},
		"blank pages":            {"ttbbtt", "3 4", partition.Params{}, ""},
		"scans that were read":   {"tsst", "2 3", partition.Params{Strategy: "hi_res"}, ""},
		"scans that say a thing": {"tsst", "", partition.Params{}, ""},
		"text chunking":          {"tsst", "2 3", partition.Params{ChunkingStrategy: "basic"}, ""},
		"text chunking of each": {
			"ttttssss", "5 6 7 8",
			partition.Params{ChunkingStrategy: "basic", Split: partition.Split{Scope: partition.ChunkingPerChunk}},
			"no elements of pages 5-8, which are scans" + advice,
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{Engine: answering(test.silent)}, func(t *testing.T, s *partitiontest.Server) {
				test.params.FailEmpty = true // which is another matter
				result, err := newClient(t, s).Partition(t.Context(), pdfOf(test.pages), test.params)
				require.NoError(t, err)
				require.False(t, result.Report.Empty)
				require.Equal(t, test.want, said(result.Report))
			})
		})
	}
}

// A server that numbers the pages of each chunk from 1 does not say which pages are silent.
func TestA7UnreadWithoutPageNumbers(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: answer(anImage(`"text":"a","metadata":{"page_number":1}`))}, func(t *testing.T, s *partitiontest.Server) {
		result, err := newClient(t, s).Partition(t.Context(), pdfOf("ttss"), partition.Params{Split: partition.Split{
			Pages: split.PageRange{First: 3, Last: 4}, Off: true,
		}})
		require.NoError(t, err)
		require.Empty(t, result.Report.Warnings)
	})
}

// A document that lacks pages may have something on them.
func TestA7PartialIsNotEmpty(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: answering("all")}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Detail(422, "no")})
		params := partition.Params{FailEmpty: true, Split: partition.Split{AllowFailed: true}}
		result, err := newClient(t, s).Partition(t.Context(), pdfOf("ssss"), params)
		require.ErrorAs(t, err, new(*partition.PartialError))
		require.False(t, result.Report.Empty)
		require.Equal(t, []string{"no elements of pages 3-4, which are scans: strategy hi_res or ocr_only reads scans"}, result.Report.Warnings)
	})
}

// The answer to an empty document is kept, whether it counts as failed or not: nothing is paid for
// twice, and it is said again. What failed is not sent to be chunked.
func TestA7EmptyAnswersAreKept(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: answering("all")}, func(t *testing.T, s *partitiontest.Server) {
		dir, err := cache.Open(t.TempDir(), cache.Options{})
		require.NoError(t, err)
		defer dir.Close()
		client := newClient(t, s, partition.WithCache(dir))
		params := partition.Params{ChunkingStrategy: "basic", Split: partition.Split{Scope: partition.ChunkingAfter}}
		sent := false
		for _, fails := range []bool{true, false, false, true} {
			params.FailEmpty = fails
			sent = sent || !fails
			result, err := client.Partition(t.Context(), pdfOf("ssss"), params)
			require.Equal(t, fails, err != nil)
			require.True(t, result.Report.Empty)
			require.Len(t, result.Report.Warnings, map[bool]int{false: 1}[fails])
			require.Len(t, s.Requests(), map[bool]int{false: 2, true: 3}[sent], "the second step is of its own")
		}
	})
}

// A document that was answered does not fail because nothing can be found out about it.
func TestA7EndOfTheContext(t *testing.T) {
	bubble(t, partitiontest.Options{Engine: answering("all")}, func(t *testing.T, s *partitiontest.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		observe := func(_ context.Context, e partition.Event) {
			if e.Kind == partition.ChunkEnd {
				cancel()
			}
		}
		result, err := newClient(t, s, partition.WithObserver(observe)).Partition(ctx, pdfOf("s"), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, []string{"empty: no elements; the server found nothing"}, result.Report.Warnings)
	})
}

package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/split"
)

func TestPlanSheetReadsWellAt80Columns(t *testing.T) {
	var out strings.Builder
	sheet := newPlanSheet(&out, false, true, 0.05)
	whole := []split.PageRange{{}}
	for _, p := range []partition.Plan{
		{Document: strings.Repeat("über/", 20) + "the end.pdf", Pages: 1_000_000, Chunks: whole, Left: whole, Narrowing: 40},
		{Document: "a\nb.txt", Chunks: whole, Cached: whole},
		{Document: "c.docx", Chunks: whole, Left: whole},
	} {
		require.NoError(t, sheet.document(&p))
	}
	require.NoError(t, sheet.failed("locked.pdf", errors.New("locked")))
	sheet.total.Skipped = 2
	require.NoError(t, sheet.end())
	require.Equal(t, `document                                       pages  chunks  requests  cached
über/über/über/über/...über/über/the end.pdf 1000000       1         1       0
`, out.String()[:strings.Index(out.String(), "a\\n")])
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSpace(line)), 80)
	}
	require.Contains(t, out.String(), `a\nb.txt                                           ?       1         1       1`)
	require.Contains(t, out.String(), "total: 4 documents, 1 failed, 2 skipped      1000000+?       3         3       1\n")
	require.Contains(t, out.String(), "cost: about 50000.00 for 1000000 pages, plus 1 document of unknown length\n")
	require.Contains(t, out.String(), "narrowing: up to 40 more requests for each page that fails\n")
}

func TestPlanSheetCountsWhatIsLeft(t *testing.T) {
	pages := func(first, last int) split.PageRange { return split.PageRange{First: first, Last: last} }
	for name, test := range map[string]struct {
		plan partition.Plan
		want string
	}{
		"nothing looked for": {
			partition.Plan{Document: "a.pdf", Pages: 9, Chunks: []split.PageRange{pages(1, 5), pages(6, 9)}, Left: []split.PageRange{pages(1, 5), pages(6, 9)}},
			`{"document":"a.pdf","pages":9,"chunks":2,"requests":2,"cached":null,"pages_left":9}`,
		},
		"narrowed before": {
			partition.Plan{
				Document: "a.pdf", Pages: 9, Chunks: []split.PageRange{pages(1, 5), pages(6, 9)}, Narrowing: 6, Chunking: true,
				Cached: []split.PageRange{pages(1, 3), pages(6, 9)}, Left: []split.PageRange{pages(4, 5)}, Warnings: []string{"w"},
			},
			`{"document":"a.pdf","pages":9,"chunks":2,"requests":4,"cached":2,"pages_left":2,"narrowing":6,"warnings":["w"]}`,
		},
		"unknown": {
			partition.Plan{Document: "a.txt", Chunks: []split.PageRange{{}}, Left: []split.PageRange{{}}},
			`{"document":"a.txt","pages":null,"chunks":1,"requests":1,"cached":0,"pages_left":null}`,
		},
		"unknown, but cached": {
			partition.Plan{Document: "a.txt", Chunks: []split.PageRange{{}}, Cached: []split.PageRange{{}}},
			`{"document":"a.txt","pages":null,"chunks":1,"requests":1,"cached":1,"pages_left":0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			require.NoError(t, newPlanSheet(&out, true, name != "nothing looked for", 0).document(&test.plan))
			require.Equal(t, test.want+"\n", out.String())
		})
	}
	var out strings.Builder
	sheet := newPlanSheet(&out, true, true, 0.5)
	require.NoError(t, sheet.failed("x.pdf", &partition.DocumentError{Document: "x.pdf", Kind: partition.KindBadDocument, Err: errors.New("no")}))
	require.NoError(t, sheet.document(&partition.Plan{Document: "a.pdf", Pages: 3, Chunks: []split.PageRange{{}}, Left: []split.PageRange{{}}}))
	require.NoError(t, sheet.end())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.JSONEq(t, `{"document":"x.pdf","kind":"bad_document","error":"x.pdf: no"}`, lines[0])
	require.JSONEq(t, `{"total":{"documents":2,"failed":1,"skipped":0,"pages":3,"unknown_length":0,"chunks":1,"requests":1,"cached":0,
		"pages_left":3,"unknown_length_left":0,"cost":1.5}}`, lines[2])
	for _, line := range lines {
		require.True(t, json.Valid([]byte(line)))
	}
}

func TestRounding(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{roundCost(0), "0.00"},
		{roundCost(0.0012), "0.0012"},
		{roundCost(0.1), "0.10"},
		{roundCost(0.999), "1.00"},
		{roundCost(3.256), "3.26"},
		{cutMiddle("abcdef", 6), "abcdef"},
		{cutMiddle("abcdefgh", 7), "ab...gh"},
		{cutMiddle("äbcdefgh", 6), "ä...gh"},
	} {
		require.Equal(t, test.want, test.got)
	}
}

// A shutWriter is a reader that has gone.
type shutWriter struct{}

func (shutWriter) Write([]byte) (int, error) { return 0, fmt.Errorf("write: %w", syscall.EPIPE) }

func TestPlanWithoutAReader(t *testing.T) {
	env := []string{"XDG_CACHE_HOME=" + t.TempDir()}
	var said strings.Builder
	require.Equal(t, exitBrokenPipe, Main([]string{"plan", "../testdata/demo", "--no-cache"}, env, strings.NewReader(""), shutWriter{}, &said))
	require.Empty(t, said.String())
}

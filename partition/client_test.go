package partition_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bubble runs a test with a server and clients under a fake clock.
func bubble(t *testing.T, o partitiontest.Options, test func(t *testing.T, s *partitiontest.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Listener = partitiontest.NewPipeListener("")
		s := partitiontest.NewServer(o)
		defer s.Close()
		test(t, s)
	})
}

func newClient(t *testing.T, s *partitiontest.Server, options ...partition.Option) *partition.Client {
	t.Helper()
	c, err := partition.New(append([]partition.Option{
		partition.WithBaseURL(s.URL), partition.WithHTTPClient(s.Client()), partition.WithAPIKey(""),
	}, options...)...)
	require.NoError(t, err)
	return c
}

func pdf(name string, pages int) *partition.Document {
	data := partitiontest.NewPDF(pages)
	return partition.FromReaderAt(name, bytes.NewReader(data), int64(len(data)))
}

func text(content string) *partition.Document {
	return partition.FromReaderAt("note.txt", strings.NewReader(content), int64(len(content)))
}

// pages are the page ranges of the partition requests, in page order.
func pages(s *partitiontest.Server) []string {
	var ranges []split.PageRange
	for _, r := range s.Requests() {
		ranges = append(ranges, r.Pages)
	}
	slices.SortFunc(ranges, func(a, b split.PageRange) int { return a.First - b.First })
	var got []string
	for _, r := range ranges {
		got = append(got, r.String())
	}
	return got
}

func numbers(elements []element.Element) []int {
	var n []int
	for _, e := range elements {
		n = append(n, e.Metadata.PageNumber)
	}
	return n
}

func upTo(first, last int) []int {
	var n []int
	for i := first; i <= last; i++ {
		n = append(n, i)
	}
	return n
}

func TestSplitDocumentComesInOrder(t *testing.T) {
	for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
		t.Run(string(mode), func(t *testing.T) {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{
					Pages: split.PageRange{First: 1, Last: 1}, Attempt: 1, Do: partitiontest.Delay(time.Hour / 2),
				})
				result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 20), partition.Params{Split: partition.Split{Mode: mode}})
				require.NoError(t, err)
				require.Equal(t, upTo(1, 20), numbers(result.Elements))
				require.Equal(t, []string{"1-2", "3-4", "5-6", "7-8", "9-10", "11-12", "13-14", "15-16", "17-18", "19-20"}, pages(s))
				require.Empty(t, s.Violations())
				require.Equal(t, 10, result.Report.Requests())
				require.Equal(t, 20, result.Report.AnsweredPages())
				require.Empty(t, result.Report.Missing)
			})
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestWidthChangesNothing(t *testing.T) {
	answers := map[string]bool{}
	for _, width := range []int{1, 3, 16} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			for page := 1; page <= 41; page++ {
				delay := time.Duration((page*7919)%100) * time.Second
				s.Script(partitiontest.Fault{Pages: split.PageRange{First: page, Last: page}, Attempt: 1, Do: partitiontest.Delay(delay)})
			}
			result, err := newClient(t, s, partition.WithMaxInFlight(width)).Partition(t.Context(), pdf("a.pdf", 41), partition.Params{})
			require.NoError(t, err)
			require.Equal(t, min(width, 10), s.PeakInFlight())
			var all strings.Builder
			for _, e := range result.Elements {
				all.Write(e.Raw())
			}
			answers[all.String()] = true
		})
	}
	require.Len(t, answers, 1)
}

func TestPageRangeAndNumbering(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 7), partition.Params{
			StartingPageNumber: new(11),
			Split:              partition.Split{Pages: split.PageRange{First: 3, Last: 7}},
		})
		require.NoError(t, err)
		require.Equal(t, upTo(13, 17), numbers(result.Elements))
		var starts []string
		for _, r := range s.Requests() {
			starts = append(starts, r.Fields.Get("starting_page_number"))
		}
		require.ElementsMatch(t, []string{"13", "15", "17"}, starts)
	})
}

func TestRefusedBeforeAnyRequest(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	at := func(first, last int) partition.Split {
		return partition.Split{Pages: split.PageRange{First: first, Last: last}}
	}
	for name, test := range map[string]struct {
		document *partition.Document
		params   partition.Params
		kind     partition.Kind
		want     string
	}{
		"range from 0":      {pdf("a.pdf", 7), partition.Params{Split: at(0, 3)}, partition.KindBadRequest, "a.pdf: page range"},
		"range backwards":   {pdf("a.pdf", 7), partition.Params{Split: at(5, 3)}, partition.KindBadRequest, "the document has pages 1-7"},
		"range too far":     {pdf("a.pdf", 7), partition.Params{Split: at(6, 99)}, partition.KindBadRequest, "a.pdf: page range 6-99: the document has pages 1-7"},
		"range of a text":   {text("x"), partition.Params{Split: at(1, 1)}, partition.KindBadRequest, "only a PDF can be cut"},
		"too many pages":    {pdf("a.pdf", 7), partition.Params{Split: partition.Split{MaxPages: 6}}, partition.KindTooLarge, "a.pdf: 7 pages, more than the limit of 6"},
		"empty":             {text(""), partition.Params{}, partition.KindBadDocument, "note.txt: empty file"},
		"page number":       {text("x"), partition.Params{StartingPageNumber: new(0)}, partition.KindBadRequest, "starting_page_number 0"},
		"chunk mode":        {text("x"), partition.Params{Split: partition.Split{Mode: "x"}}, partition.KindBadRequest, "chunk mode"},
		"scope":             {text("x"), partition.Params{Split: partition.Split{Scope: "x"}}, partition.KindBadRequest, "chunking scope"},
		"known name: Extra": {text("x"), partition.Params{Extra: map[string][]string{"strategy": {"x"}}}, partition.KindBadRequest, "parameter strategy"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, s)
			_, err := c.Partition(t.Context(), test.document, test.params)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, test.kind, partition.KindOf(err))
			_, planErr := c.Plan(t.Context(), test.document, test.params)
			require.EqualError(t, planErr, err.Error())
		})
	}
	require.Empty(t, s.Requests())
}

func TestFormFieldsAreTheSameForWholeAndChunk(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s)
		params := partition.Params{
			Strategy: "fast", Languages: []string{"eng", "deu"}, ExtractImageTypes: []string{"Image", "Table"},
			Coordinates: new(true),
		}
		_, err := c.Partition(t.Context(), pdf("a.pdf", 3), params)
		require.NoError(t, err)
		_, err = c.Partition(t.Context(), text("hello"), params)
		require.NoError(t, err)
		require.Empty(t, s.Violations())
		require.Len(t, s.Requests(), 3)
		for _, r := range s.Requests() {
			r.Fields.Del("starting_page_number")
			require.Equal(t, map[string][]string{
				"strategy": {"fast"}, "languages[]": {"eng", "deu"}, "extract_image_block_types[]": {"Image", "Table"}, "coordinates": {"true"},
			}, map[string][]string(r.Fields))
			require.Equal(t, "quire/"+partition.Version, r.Header.Get("User-Agent"))
			require.NotEmpty(t, r.RequestID)
			require.Positive(t, r.ContentLength)
		}
	})
}

func TestVerdictStopsAtOnce(t *testing.T) {
	const final = `{"detail":"OCR timed out","retryable":false}`
	deep := `{"retryable":false,"x":` + strings.Repeat("[", 100_000)
	for _, document := range []struct {
		name string
		open func() *partition.Document
	}{
		{"chunk", func() *partition.Document { return pdf("a.pdf", 3) }},
		{"whole", func() *partition.Document { return pdf("a.pdf", 1) }},
	} {
		for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
			for name, test := range map[string]struct {
				body  string
				again bool
				gzip  bool
			}{
				"false": {final, false, false}, "false, gzip": {final, false, true}, "true": {`{"detail":"x","retryable":true}`, true, false},
				"true, gzip": {`{"detail":"x","retryable":true}`, true, true}, "string": {`{"detail":"x","retryable":"false"}`, true, false},
				"no verdict": {`{"detail":"x"}`, true, false}, "list": {`[{"retryable":false}]`, true, false},
				"other case": {`{"detail":"x","Retryable":false}`, true, false}, "broken": {`{"retryable":false`, true, false},
				"deep": {deep, true, false},
			} {
				t.Run(document.name+"/"+string(mode)+"/"+name, func(t *testing.T) {
					bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
						do := partitiontest.Reply(503, test.body)
						if test.gzip {
							do = partitiontest.Chain(partitiontest.Gzip(), do)
						}
						s.Script(partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 1}, Times: 1, Do: do})
						result, err := newClient(t, s).Partition(t.Context(), document.open(), partition.Params{Split: partition.Split{Mode: mode}})
						first := 0
						for _, r := range s.Requests() {
							if r.Pages.First == 1 {
								first++
							}
						}
						if test.again {
							require.NoError(t, err)
							require.Equal(t, 2, first)
							require.Equal(t, 1, result.Report.Retries())
							return
						}
						var api *partition.APIError
						require.ErrorAs(t, err, &api)
						require.Equal(t, 1, first)
						require.Equal(t, 503, api.Status)
						require.Equal(t, "OCR timed out", api.Detail)
						require.Equal(t, final, string(api.Body))
						require.True(t, api.Final)
						require.Equal(t, partition.KindServer, api.Kind)
						require.ErrorContains(t, err, "503 Service Unavailable: OCR timed out (1 attempt, not retryable)")
					})
				})
			}
		}
	}
}

func TestStrictFailureNamesThePages(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(
			partitiontest.Fault{Pages: split.PageRange{First: 5, Last: 6}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)},
			partitiontest.Fault{Do: partitiontest.Delay(time.Minute)},
		)
		start := time.Now()
		result, err := newClient(t, s, partition.WithMaxInFlight(4)).Partition(t.Context(), pdf("report.pdf", 40), partition.Params{})
		require.ErrorContains(t, err, "report.pdf pages 5-8: POST ")
		require.ErrorContains(t, err, "500 Internal Server Error: bad page (1 attempt, not retryable)")
		require.Less(t, time.Since(start), time.Second, "the slow requests are cancelled")
		require.LessOrEqual(t, len(s.Requests()), 5, "nothing is sent after the failure")
		require.Empty(t, result.Elements)
		sent := 0
		for _, p := range result.Report.Chunks {
			if len(p.Trace.Attempts) > 0 {
				sent++
			}
		}
		require.LessOrEqual(t, sent, 5)
	})
}

func TestAllowFailed(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 4}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)})
		params := partition.Params{Split: partition.Split{AllowFailed: true}}
		result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 10), params)
		var partial *partition.PartialError
		require.ErrorAs(t, err, &partial)
		require.Equal(t, []split.PageRange{{First: 3, Last: 4}}, partial.Missing)
		require.Equal(t, partial.Missing, result.Report.Missing)
		require.Equal(t, append(upTo(1, 2), upTo(5, 10)...), numbers(result.Elements))
		require.Equal(t, partition.KindServer, partition.KindOf(err))
		require.ErrorContains(t, err, "a.pdf: missing pages 3-4: POST ")
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Reply(500, `{"detail":"x","retryable":false}`)})
		_, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 10), partition.Params{Split: partition.Split{AllowFailed: true}})
		var partial *partition.PartialError
		require.NotErrorAs(t, err, &partial, "nothing at all is no partial result")
		require.ErrorContains(t, err, "a.pdf pages 1-10: ")
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 100}, Do: partitiontest.Detail(402, "quota exhausted")})
		result, err := newClient(t, s, partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 20), partition.Params{Split: partition.Split{AllowFailed: true}})
		require.Equal(t, partition.KindQuota, partition.KindOf(err))
		require.Len(t, s.Requests(), 2, "what would be refused alike is not sent")
		require.Equal(t, upTo(1, 2), numbers(result.Elements))
		require.Len(t, result.Report.Missing, 9)
	})
}

func TestEveryChunkIsRetriedAlike(t *testing.T) {
	for _, mode := range []partition.ChunkMode{partition.Buffered, partition.DiskCached} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Attempt: 1, Do: partitiontest.HTMLPage(502)})
			result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 6), partition.Params{Split: partition.Split{Mode: mode}})
			require.NoError(t, err)
			require.Equal(t, upTo(1, 6), numbers(result.Elements))
			sums := map[string]map[string]bool{}
			for _, r := range s.Requests() {
				if sums[r.Pages.String()] == nil {
					sums[r.Pages.String()] = map[string]bool{}
				}
				sums[r.Pages.String()][r.SHA256] = true
				require.Positive(t, r.Size)
			}
			require.Len(t, s.Requests(), 6)
			for pages, sum := range sums {
				require.Len(t, sum, 1, "pages %s: every attempt sends the same bytes", pages)
			}
			require.Equal(t, 3, result.Report.Retries())
		})
	}
}

func TestPermanentStatuses(t *testing.T) {
	for status, kind := range map[int]partition.Kind{
		400: partition.KindBadRequest, 401: partition.KindAuth, 402: partition.KindQuota, 403: partition.KindAuth,
		404: partition.KindBadRequest, 413: partition.KindTooLarge, 415: partition.KindUnsupportedType, 422: partition.KindBadDocument,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Detail(status, "the server's words")})
				_, err := newClient(t, s, partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 4), partition.Params{})
				var api *partition.APIError
				require.ErrorAs(t, err, &api)
				require.Equal(t, status, api.Status)
				require.Equal(t, kind, api.Kind)
				require.Equal(t, 1, api.Attempts)
				require.Len(t, s.Requests(), 1)
				require.ErrorContains(t, err, "the server's words")
			})
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, test := range map[string]struct {
		do   partitiontest.Action
		want string
	}{
		"HTML":          {partitiontest.Reply(200, "<html><body>Please log in</body></html>"), "the body is an HTML page, not a list of elements: <html>"},
		"object":        {partitiontest.Reply(200, `{"elements":[]}`), "the body is a JSON object, not a list of elements"},
		"cut JSON":      {partitiontest.InvalidJSON(), "the list of elements breaks off"},
		"truncated":     {partitiontest.Truncate(20), "breaks off"},
		"empty":         {partitiontest.Empty(), "the body is empty"},
		"not objects":   {partitiontest.Reply(200, `[1]`), "item 1 of the list is not a JSON object: 1"},
		"list of lists": {partitiontest.Reply(200, `[[]]`), "item 1 of the list is not a JSON object: []"},
		"tail":          {partitiontest.Reply(200, `[] []`), "unexpected data after the list"},
		"text":          {partitiontest.Reply(200, "OK\x1b[2J"), `the body is not a JSON list of elements: OK\x1b[2J`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: test.do})
				result, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
				require.ErrorContains(t, err, test.want)
				require.ErrorContains(t, err, "note.txt: POST ")
				require.Contains(t, []partition.Kind{partition.KindBadResponse, partition.KindTransport}, partition.KindOf(err))
				require.NotContains(t, err.Error(), "\x1b")
				require.Empty(t, result.Elements)
				require.Greater(t, result.Report.Requests(), 1, "a broken answer is tried again")
				require.LessOrEqual(t, result.Report.MaybeBilledTwice(), 3)
			})
		})
	}
}

func TestTheKeyNeverShows(t *testing.T) {
	const key = "sk-Secret/0123456789+abc"
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		for _, body := range []string{
			`{"detail":"API key ` + key + ` is invalid"}`, `{"detail":"API key ` + strings.ToUpper(key) + ` is invalid"}`,
			"<html><title>" + key + "</title>", key, `{"detail":"` + strings.Repeat("x", 64<<10-20) + key + `"}`,
			strings.Repeat("x", 64<<10-9) + key,
		} {
			s.Script(partitiontest.Fault{Times: 1, Do: partitiontest.Reply(401, body)})
			_, err := newClient(t, s, partition.WithAPIKey(key)).Partition(t.Context(), text("hello"), partition.Params{})
			var api *partition.APIError
			require.ErrorAs(t, err, &api)
			for _, shown := range []string{err.Error(), api.Detail, string(api.Body), fmt.Sprintf("%+v", *api)} {
				require.NotContains(t, strings.ToLower(shown), "secret")
				require.NotContains(t, shown, "0123456")
			}
			require.ErrorContains(t, err, "the key is from")
		}
	})
}

func TestRedirectsAreRefused(t *testing.T) {
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := partitiontest.NewServer(partitiontest.Options{})
		s.Script(partitiontest.Fault{Do: partitiontest.Redirect(status, other.URL+"/login?token=x")})
		followed := &http.Client{Transport: s.Client().Transport}
		_, err := newClient(t, s, partition.WithAPIKey("k-0123456789"), partition.WithHTTPClient(followed)).Partition(t.Context(), pdf("a.pdf", 1), partition.Params{})
		require.ErrorContains(t, err, "redirect to "+other.URL+"/login refused")
		require.Nil(t, followed.CheckRedirect, "the caller's client is not changed")
		s.Close()
	}
	require.Zero(t, strayed.Load())
}

func TestUnreachableHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialed := 0
		hc := &http.Client{Transport: &http.Transport{DialContext: nobody(&dialed)}}
		c, err := partition.New(partition.WithBaseURL("http://nobody.test"), partition.WithAPIKey(""), partition.WithHTTPClient(hc))
		require.NoError(t, err)
		start := time.Now()
		_, err = c.Partition(t.Context(), text("x"), partition.Params{})
		require.ErrorContains(t, err, "note.txt: POST http://nobody.test/general/v0/general: ")
		require.ErrorContains(t, err, "nobody is there")
		require.Equal(t, partition.KindTransport, partition.KindOf(err))
		require.Greater(t, dialed, 1)
		require.LessOrEqual(t, time.Since(start), 16*time.Minute)
	})
}

func TestCancel(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Hang()})
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("the user has left")
		time.AfterFunc(time.Minute, func() { cancel(stop) })
		start := time.Now()
		_, err := newClient(t, s).Partition(ctx, pdf("a.pdf", 100), partition.Params{})
		require.ErrorIs(t, err, stop)
		require.Equal(t, partition.KindCanceled, partition.KindOf(err))
		require.Equal(t, time.Minute, time.Since(start))
		require.Len(t, s.Requests(), 10)
	})
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Hang()})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := newClient(t, s).Partition(ctx, pdf("a.pdf", 3), partition.Params{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, partition.KindTimeout, partition.KindOf(err))
	})
}

func TestLeavingTheLoop(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 40}, Do: partitiontest.Delay(time.Minute)})
		c := newClient(t, s)
		params := partition.Params{Split: partition.Split{Mode: partition.DiskCached}}
		stream := c.Stream(t.Context(), pdf("a.pdf", 40), params)
		for e, err := range stream.All() {
			require.NoError(t, err)
			require.Equal(t, 1, e.Metadata.PageNumber)
			break
		}
		require.Equal(t, 1, stream.Report().Elements)
		for _, err := range stream.All() {
			require.ErrorContains(t, err, "read already")
		}
		require.PanicsWithValue(t, "the caller's own", func() {
			for range c.Stream(t.Context(), pdf("a.pdf", 40), params).All() {
				panic("the caller's own")
			}
		})
	})
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestTwoDocumentsOneClient(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Delay(time.Second)})
		c := newClient(t, s, partition.WithMaxInFlight(4))
		done := make(chan []int, 20)
		for i := range 20 {
			go func() {
				result, err := c.Partition(t.Context(), pdf(fmt.Sprintf("%d.pdf", i), 5+i), partition.Params{})
				if err != nil {
					t.Error(err)
				}
				done <- numbers(result.Elements)
			}()
		}
		for range 20 {
			got := <-done
			require.Equal(t, upTo(1, len(got)), got)
		}
		require.Equal(t, 4, s.PeakInFlight())
	})
}

func TestWhatClashesWithSplittingGoesWhole(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s)
		result, err := c.Partition(t.Context(), pdf("a.pdf", 30), partition.Params{ChunkingStrategy: "by_title"})
		require.NoError(t, err)
		require.Len(t, s.Requests(), 1)
		require.Equal(t, []string{"chunking_strategy by_title: sent in one request"}, result.Report.Warnings)

		_, err = c.Partition(t.Context(), pdf("a.pdf", 30), partition.Params{ChunkingStrategy: "by_title", Split: partition.Split{Scope: partition.ChunkingPerChunk}})
		require.NoError(t, err)
		require.Len(t, s.Requests(), 11)

		_, err = c.Partition(t.Context(), pdf("a.pdf", 30), partition.Params{Split: partition.Split{Off: true}})
		require.NoError(t, err)
		require.Len(t, s.Requests(), 12)
		require.Empty(t, s.Requests()[11].Fields)
	})
}

func TestCSV(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Do: partitiontest.Chain(
			partitiontest.Header("Content-Type", "text/plain; charset=utf-8"), partitiontest.Reply(200, "type,element_id,text\nTitle,1,a\n"),
		)})
		c := newClient(t, s)
		params := partition.Params{OutputFormat: partition.OutputCSV}
		result, err := c.Partition(t.Context(), pdf("a.pdf", 30), params)
		require.NoError(t, err)
		require.Equal(t, "type,element_id,text\nTitle,1,a\n", string(result.CSV))
		require.Len(t, s.Requests(), 1)
		require.Equal(t, "text/csv", s.Requests()[0].Header.Get("Accept"))
		for _, err := range c.Stream(t.Context(), text("x"), params).All() {
			require.ErrorContains(t, err, "note.txt: output_format text/csv has no elements")
		}
	})
}

func TestMediaTypes(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		c := newClient(t, s)
		data := string(partitiontest.NewPDF(3))
		for name, test := range map[string]struct {
			content  string
			options  []partition.DocumentOption
			want     string
			requests int
			warning  string
		}{
			"scan":       {content: data, want: "application/pdf", requests: 2},
			"a.mdx":      {content: data, want: "application/pdf", requests: 2},
			"a.tif":      {content: data, want: "application/pdf", requests: 2},
			"chosen.pdf": {content: data, options: []partition.DocumentOption{partition.WithMediaType("text/plain")}, want: "text/plain", requests: 1},
			"no.pdf":     {content: "<!doctype html><p>x", want: "text/html", requests: 1, warning: "named .pdf but its content is not a PDF: sent as text/html"},
			"plain.pdf":  {content: "just text", want: "text/plain", requests: 1, warning: "named .pdf but its content is not a PDF: sent as text/plain"},
			"a.md":       {content: "# x", want: "text/markdown", requests: 1},
			"a.CSV":      {content: "a,b", want: "text/csv", requests: 1},
			"b.png":      {content: "\x89PNG\r\n\x1a\n....", want: "image/png", requests: 1},
			"unknown":    {content: "\x00\x01\x02", want: "application/octet-stream", requests: 1},
			"":           {content: "# x", options: []partition.DocumentOption{partition.WithMediaType("text/markdown")}, want: "text/markdown", requests: 1},
		} {
			before := len(s.Requests())
			d := partition.FromReaderAt(name, strings.NewReader(test.content), int64(len(test.content)), test.options...)
			result, err := c.Partition(t.Context(), d, partition.Params{})
			require.NoError(t, err, name)
			sent := s.Requests()[before:]
			require.Len(t, sent, test.requests, name)
			require.Equal(t, test.want, sent[0].MediaType, name)
			require.Equal(t, test.warning, strings.Join(result.Report.Warnings, ""), name)
			require.NotEmpty(t, sent[0].File)
		}
		require.Empty(t, s.Violations())
	})
}

func TestDamagedPDFGoesWholeWithAWarning(t *testing.T) {
	engine := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[{"type":"Title","text":"a"}]`) })
	bubble(t, partitiontest.Options{Engine: engine}, func(t *testing.T, s *partitiontest.Server) {
		data := partitiontest.NewPDF(10)[:500]
		result, err := newClient(t, s).Partition(t.Context(), partition.FromReaderAt("a.pdf", bytes.NewReader(data), int64(len(data))), partition.Params{})
		require.NoError(t, err)
		require.Len(t, s.Requests(), 1)
		require.Len(t, result.Report.Warnings, 1)
		require.Contains(t, result.Report.Warnings[0], "cannot be cut into chunks, sent whole: ")
	})
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	_, err := partition.Open(filepath.Join(dir, "gone\x1b.pdf"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, partition.KindLocalIO, partition.KindOf(err))
	require.ErrorContains(t, err, `gone\x1b.pdf: no such file`)
	_, err = partition.Open(dir)
	require.ErrorContains(t, err, "a directory")
	path := filepath.Join(dir, "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	d, err := partition.Open(path)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	_, err = newClient(t, s).Partition(t.Context(), d, partition.Params{})
	require.ErrorContains(t, err, "document is closed")
}

func TestSHA256(t *testing.T) {
	const want = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	reads := &countingReader{ReaderAt: strings.NewReader("hello")}
	d := partition.FromReaderAt("a.txt", reads, 5)
	for range 2 {
		sum, err := d.SHA256(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, sum)
	}
	require.Equal(t, int64(5), reads.bytes, "read once")
	require.NoError(t, d.Close())
	_, err := d.SHA256(t.Context())
	require.ErrorContains(t, err, "a.txt: document is closed")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = text("x").SHA256(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

type countingReader struct {
	io.ReaderAt
	bytes int64
}

func (r *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	r.bytes += int64(n)
	return n, err
}

func TestFromReader(t *testing.T) {
	for _, size := range []int{10, 8<<20 - 1, 8 << 20, 8<<20 + 1} {
		s := partitiontest.NewServer(partitiontest.Options{})
		content := bytes.Repeat([]byte("x"), size)
		d, err := partition.FromReader(t.Context(), "a.txt", bytes.NewReader(content))
		require.NoError(t, err)
		_, err = newClient(t, s).Partition(t.Context(), d, partition.Params{})
		require.NoError(t, err)
		require.Equal(t, int64(size), s.Requests()[0].Size)
		require.NoError(t, d.Close())
		require.NoError(t, d.Close())
		s.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := partition.FromReader(ctx, "a.txt", strings.NewReader("x"))
	require.Equal(t, partition.KindCanceled, partition.KindOf(err))
}

func TestNewValidates(t *testing.T) {
	t.Setenv(partition.EnvAPIKey, "")
	t.Setenv(partition.EnvAPIURL, "") // to be restored
	require.NoError(t, os.Unsetenv(partition.EnvAPIURL))
	for name, test := range map[string]struct {
		options []partition.Option
		want    string
	}{
		"hosted without a key": {nil, "no API key for https://api.unstructuredapp.io: set UNSTRUCTURED_API_KEY"},
		"bad URL":              {[]partition.Option{partition.WithBaseURL("ftp://x")}, "neither http nor https"},
		"key":                  {[]partition.Option{partition.WithAPIKey("a\nb")}, "contains a blank"},
		"in flight":            {[]partition.Option{partition.WithMaxInFlight(0)}, "less than 1"},
		"own header":           {[]partition.Option{partition.WithHeader("content-type", "x")}, "set by the client"},
		"key as a header":      {[]partition.Option{partition.WithHeader("unstructured-api-key", "x")}, "set by the client"},
		"header injection":     {[]partition.Option{partition.WithHeader("X-A", "a\r\nb: c")}, "not a valid"},
		"nil client":           {[]partition.Option{partition.WithHTTPClient(nil)}, "nil"},
		"nil policy":           {[]partition.Option{partition.WithRetryPolicy(nil)}, "nil"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := partition.New(test.options...)
			require.ErrorContains(t, err, test.want)
		})
	}
	t.Setenv(partition.EnvAPIURL, "localhost:8000/general/v0/general")
	c, err := partition.New()
	require.NoError(t, err)
	require.Equal(t, "http://localhost:8000/general/v0/general", c.URL())
}

// TestA12 refuses a URL that is set and empty: documents for a server of one's own would go to the
// hosted API.
func TestA12(t *testing.T) {
	t.Setenv(partition.EnvAPIKey, "the-key-0123456789")
	for _, empty := range []string{"", " ", "\t\n"} {
		t.Setenv(partition.EnvAPIURL, empty)
		_, err := partition.New()
		require.EqualError(t, err, "partition client: API URL from $UNSTRUCTURED_API_URL is empty: without one it is https://api.unstructuredapp.io")
		c, err := partition.New(partition.WithBaseURL("http://localhost:8000"))
		require.NoError(t, err)
		require.Equal(t, "http://localhost:8000/general/v0/general", c.URL())
		t.Setenv(partition.EnvAPIURL, "http://localhost:8000")
		_, err = partition.New(partition.WithBaseURL(empty))
		require.EqualError(t, err, "partition client: API URL from WithBaseURL is empty: without one it is https://api.unstructuredapp.io")
	}
	require.NoError(t, os.Unsetenv(partition.EnvAPIURL))
	c, err := partition.New()
	require.NoError(t, err)
	require.Equal(t, "https://api.unstructuredapp.io/general/v0/general", c.URL())
}

func TestEveryRequestGoesThroughTheCallersClient(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{APIKey: "k-123456789"})
	defer s.Close()
	var through atomic.Int32
	hc := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		through.Add(1)
		r = r.Clone(r.Context())
		r.Header.Set("X-Gateway", "yes")
		return s.Client().Transport.RoundTrip(r)
	})}
	c := newClient(t, s, partition.WithHTTPClient(hc), partition.WithAPIKey(" k-123456789\n"), partition.WithHeader("X-Tenant", "7"))
	_, err := c.Partition(t.Context(), pdf("a.pdf", 12), partition.Params{})
	require.NoError(t, err)
	require.Equal(t, 6, int(through.Load()))
	for _, r := range s.Requests() {
		require.Equal(t, "yes", r.Header.Get("X-Gateway"))
		require.Equal(t, "7", r.Header.Get("X-Tenant"))
		require.Equal(t, "k-123456789", r.Header.Get("Unstructured-Api-Key"))
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestGzippedAnswers(t *testing.T) {
	engine := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `[{"type":"Title","element_id":"1","text":"a","metadata":{"page_number":1}}]`)
		_ = z.Close()
	})
	s := partitiontest.NewServer(partitiontest.Options{Engine: engine})
	defer s.Close()
	result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 3), partition.Params{})
	require.NoError(t, err)
	require.Len(t, result.Elements, 2)
}

func TestEvents(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Attempt: 1, Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Detail(503, "x")})
		var kinds []string
		observe := partition.WithObserver(func(_ context.Context, e partition.Event) {
			require.Equal(t, "a.pdf", e.Document)
			kind := string(e.Kind)
			if e.Kind == partition.AttemptEvent {
				kind = string(e.Attempt.Kind)
			}
			kinds = append(kinds, kind)
		})
		_, err := newClient(t, s, observe, partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 2), partition.Params{})
		require.NoError(t, err)
		require.Equal(t, []string{
			"document_start", "document_planned", "chunk_start", "attempt", "answer", "sleep", "attempt", "answer", "chunk_end", "document_end",
		}, kinds)
	})
}

package partition_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// all ranges over a stream to its end.
func all(s *partition.Stream) (elements []element.Element, failure error) {
	for e, err := range s.All() {
		if err != nil {
			failure = err
			continue
		}
		elements = append(elements, e)
	}
	return elements, failure
}

// TestA10WhatWasAnsweredIsDelivered has pages fail for good, 20 s after all others were answered.
// What is delivered does not depend on where they are, and not on what is done about them.
func TestA10WhatWasAnsweredIsDelivered(t *testing.T) {
	r := func(first, last int) split.PageRange { return split.PageRange{First: first, Last: last} }
	for name, test := range map[string]struct {
		bad     split.PageRange
		split   partition.Split
		pages   []int // answered
		missing []split.PageRange
		message string
	}{
		"first":         {bad: r(1, 1), pages: upTo(4, 30), missing: []split.PageRange{r(1, 3)}, message: "a.pdf: missing pages 1-3: POST "},
		"in the middle": {bad: r(21, 21), pages: append(upTo(1, 18), upTo(22, 30)...), missing: []split.PageRange{r(19, 21)}, message: "a.pdf: missing pages 19-21: POST "},
		"last":          {bad: r(30, 30), pages: upTo(1, 27), missing: []split.PageRange{r(28, 30)}, message: "a.pdf: missing pages 28-30: POST "},
		"neighbours": {
			bad: r(9, 10), split: partition.Split{AllowFailed: true}, pages: append(upTo(1, 6), upTo(13, 30)...),
			missing: []split.PageRange{r(7, 9), r(10, 12)}, message: "a.pdf: missing pages 7-12: POST ",
		},
		"of a range": {
			bad: r(12, 12), split: partition.Split{Pages: r(11, 20)}, pages: upTo(13, 20), missing: []split.PageRange{r(11, 12)},
			message: "a.pdf: missing pages 11-12: POST ",
		},
		"narrowed": {
			bad: r(12, 12), split: partition.Split{Narrow: true}, pages: append(upTo(1, 11), upTo(13, 30)...), missing: []split.PageRange{r(12, 12)},
			message: "a.pdf: missing pages 12: POST ",
		},
	} {
		for _, allowed := range []bool{false, true} {
			if test.split.AllowFailed && !allowed {
				continue // the second page is not waited for
			}
			params := partition.Params{Split: test.split}
			params.Split.AllowFailed = allowed
			t.Run(name, func(t *testing.T) {
				bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
					s.Script(partitiontest.Fault{Pages: test.bad, Do: partitiontest.Chain(
						partitiontest.Delay(20*time.Second), partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
					)})
					result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 30), params)
					var partial *partition.PartialError
					require.ErrorAs(t, err, &partial)
					require.ErrorContains(t, err, test.message)
					require.ErrorContains(t, err, "500 Internal Server Error: bad page (1 attempt in 20s, not retryable)")
					require.NotContains(t, err.Error(), "given up")
					require.Equal(t, partition.KindServer, partition.KindOf(err))
					require.Equal(t, test.missing, partial.Missing)
					require.Len(t, partial.Errs, len(partial.Missing))
					require.Equal(t, test.missing, result.Report.Missing)
					require.Equal(t, test.pages, numbers(result.Elements))
					require.Equal(t, len(test.pages), result.Report.Elements)
					require.Equal(t, len(test.pages), result.Report.AnsweredPages())

					stream := newClient(t, s).Stream(t.Context(), pdf("a.pdf", 30), params)
					elements, failure := all(stream)
					require.EqualError(t, failure, err.Error())
					require.Equal(t, test.pages, numbers(elements))
					require.Equal(t, test.missing, stream.Report().Missing)
				})
			})
		}
	}
}

// TestA10WhatIsGivenUp: a strict document sends nothing after a failure. What that keeps from being
// answered is missing too, but it is not the cause.
func TestA10WhatIsGivenUp(t *testing.T) {
	const cause = "POST /general/v0/general: 500 Internal Server Error: bad page (1 attempt in 1s, not retryable); then given up: pages "
	r := func(first, last int) split.PageRange { return split.PageRange{First: first, Last: last} }
	for name, test := range map[string]struct {
		options []partition.Option
		pages   []int
		message string
	}{
		"at once": {nil, append(upTo(3, 4), upTo(7, 8)...), "a.pdf: missing pages 1-2, 5-6, 9-20: " + cause + "1-2, 9-20"},
		"after what is under way": {
			[]partition.Option{partition.WithCache(&memoryCache{})},
			append(upTo(1, 4), upTo(7, 8)...),
			"a.pdf: missing pages 5-6, 9-20: " + cause + "9-20",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(
					partitiontest.Fault{Pages: r(5, 5), Do: partitiontest.Chain(
						partitiontest.Delay(time.Second), partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
					)},
					partitiontest.Fault{Pages: r(1, 2), Do: partitiontest.Delay(10 * time.Second)},
					partitiontest.Fault{Pages: r(9, 20), Do: partitiontest.Delay(time.Hour)},
				)
				c := newClient(t, s, append(test.options, partition.WithMaxInFlight(4))...)
				result, err := c.Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
				require.EqualError(t, err, test.message)
				require.Equal(t, test.pages, numbers(result.Elements))
				require.Equal(t, partition.KindServer, partition.KindOf(err))
				var partial *partition.PartialError
				require.ErrorAs(t, err, &partial)
				for i, missing := range partial.Missing {
					require.Equal(t, missing == r(5, 6), partition.KindOf(partial.Errs[i]) != "", "%s: %s", missing, partial.Errs[i])
				}
				require.Len(t, s.Requests(), 6, "nothing is sent after the failure")
			})
		})
	}
}

// TestA10WhatTheCacheHas: of the pages that a strict document does not send any more, those that an
// earlier run had paid for are delivered, each time the same.
func TestA10WhatTheCacheHas(t *testing.T) {
	for name, narrow := range map[string]bool{"chunks": false, "narrowed": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(
					partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 4}, Do: partitiontest.Chain(
						partitiontest.Delay(time.Second), partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
					)},
					partitiontest.Fault{Pages: split.PageRange{First: 11, Last: 11}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)},
				)
				cache := &memoryCache{}
				params := partition.Params{Split: partition.Split{AllowFailed: true, Narrow: narrow}}
				all, err := newClient(t, s, partition.WithCache(cache)).Partition(t.Context(), pdf("a.pdf", 20), params)
				require.Error(t, err)
				params.Split = partition.Split{}
				strict, err := newClient(t, s, partition.WithCache(cache), partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 20), params)
				require.ErrorContains(t, err, "a.pdf: missing pages 1-4, 11")
				require.ErrorContains(t, err, "; then given up: pages 3-4, 11")
				require.Equal(t, numbers(all.Elements), numbers(strict.Elements))
				require.Equal(t, 1, strict.Report.Requests())
			})
		})
	}
}

// TestA10NothingAnswered: a document without an answer has failed, whatever its other pages wait for.
func TestA10NothingAnswered(t *testing.T) {
	for _, width := range []int{1, 4} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(
				partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)},
				partitiontest.Fault{Do: partitiontest.Delay(time.Minute)},
			)
			result, err := newClient(t, s, partition.WithMaxInFlight(width)).Partition(t.Context(), pdf("a.pdf", 10), partition.Params{})
			var partial *partition.PartialError
			require.NotErrorAs(t, err, &partial)
			require.EqualError(t, err, "a.pdf pages 1-2: POST /general/v0/general: 500 Internal Server Error: bad page (1 attempt, not retryable)")
			require.Empty(t, result.Elements)
			require.Nil(t, result.Report.Missing)
		})
	}
}

// TestA10EndOfTheContext: what was answered when the caller's context ended is delivered, also
// behind what was not.
func TestA10EndOfTheContext(t *testing.T) {
	errTired := errors.New("tired of waiting")
	for name, test := range map[string]struct {
		context func(context.Context) (context.Context, context.CancelFunc)
		kind    partition.Kind
		is      error
		message string
	}{
		"canceled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Minute, cancel)
			return ctx, cancel
		}, partition.KindCanceled, context.Canceled, "context canceled"},
		"canceled for a reason": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Minute, func() { cancel(errTired) })
			return ctx, func() { cancel(nil) }
		}, partition.KindCanceled, errTired, "tired of waiting"},
		"out of time": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Minute)
		}, partition.KindTimeout, context.DeadlineExceeded, "context deadline exceeded"},
	} {
		for _, allowed := range []bool{false, true} {
			for _, options := range [][]partition.Option{nil, {partition.WithCache(&memoryCache{})}} {
				t.Run(name, func(t *testing.T) {
					bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
						s.Script(partitiontest.Fault{Pages: split.PageRange{First: 4, Last: 8}, Do: partitiontest.Delay(time.Hour)})
						ctx, cancel := test.context(t.Context())
						defer cancel()
						params := partition.Params{Split: partition.Split{AllowFailed: allowed}}
						result, err := newClient(t, s, options...).Partition(ctx, pdf("a.pdf", 12), params)
						require.EqualError(t, err, "a.pdf: missing pages 3-8: "+test.message)
						require.ErrorIs(t, err, test.is)
						require.Equal(t, test.kind, partition.KindOf(err))
						require.Equal(t, append(upTo(1, 2), upTo(9, 12)...), numbers(result.Elements))
					})
				})
			}
		}
	}
}

// TestA10ARefusedKey in the middle of a document: what it keeps from being sent is missing.
func TestA10ARefusedKey(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 5, Last: 6}, Do: partitiontest.Chain(
			partitiontest.Delay(time.Second), partitiontest.Detail(402, "quota exhausted"),
		)})
		result, err := newClient(t, s, partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 20), partition.Params{})
		require.ErrorContains(t, err, "a.pdf: missing pages 5-20: POST ")
		require.ErrorContains(t, err, "; then given up: pages 7-20")
		require.Equal(t, partition.KindQuota, partition.KindOf(err))
		require.Equal(t, upTo(1, 4), numbers(result.Elements))
		require.Len(t, s.Requests(), 3)
	})
}

// TestA10ChunkingAfter: the text of the answered pages is chunked, with pages missing or not.
func TestA10ChunkingAfter(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Chain(
				partitiontest.Delay(time.Second), partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`),
			)})
			params := partition.Params{
				ChunkingStrategy: "by_title", Split: partition.Split{Scope: partition.ChunkingAfter, AllowFailed: allowed},
			}
			result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 10), params)
			require.ErrorContains(t, err, "a.pdf: missing pages 3-4: POST ")
			require.NotEmpty(t, result.Elements)
			require.Equal(t, []split.PageRange{{First: 3, Last: 4}}, result.Report.Missing)
			require.Len(t, s.Requests(), 6)

			// A second request that fails leaves nothing to deliver.
			s.Script(partitiontest.Fault{
				Match: func(r partitiontest.Request) bool { return r.MediaType == "application/json" }, Do: partitiontest.Detail(422, "no"),
			})
			result, err = newClient(t, s).Partition(t.Context(), pdf("a.pdf", 10), params)
			require.ErrorContains(t, err, "422 Unprocessable Entity: no")
			require.Empty(t, result.Elements)
			require.Nil(t, result.Report.Missing)
		})
	}
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		s.Script(partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Detail(401, "no")})
		params := partition.Params{ChunkingStrategy: "by_title", Split: partition.Split{Scope: partition.ChunkingAfter, AllowFailed: true}}
		_, err := newClient(t, s, partition.WithMaxInFlight(1)).Partition(t.Context(), pdf("a.pdf", 10), params)
		require.Equal(t, partition.KindAuth, partition.KindOf(err))
		require.Len(t, s.Requests(), 2, "a refused key is not sent again")
	})
}

// A tornReader cannot read its document any more once it is torn.
type tornReader struct {
	data []byte
	torn atomic.Bool
}

func (r *tornReader) ReadAt(p []byte, at int64) (int, error) {
	if r.torn.Load() {
		return 0, errors.New("input/output error")
	}
	return copy(p, r.data[at:]), nil
}

// TestA10AReaderFails behind a page that failed.
func TestA10AReaderFails(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		reader := &tornReader{data: partitiontest.NewPDF(20)}
		s.Script(
			partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(500, `{"detail":"bad page","retryable":false}`)},
			partitiontest.Fault{
				Match: func(r partitiontest.Request) bool { return r.Pages.First == 7 && !reader.torn.Swap(true) },
				Do:    partitiontest.Delay(time.Second),
			},
		)
		params := partition.Params{Split: partition.Split{AllowFailed: true}}
		document := partition.FromReaderAt("a.pdf", reader, int64(len(reader.data)))
		result, err := newClient(t, s, partition.WithMaxInFlight(1)).Partition(t.Context(), document, params)
		var partial *partition.PartialError
		require.ErrorAs(t, err, &partial)
		require.Greater(t, len(partial.Missing), 1)
		require.Equal(t, split.PageRange{First: 3, Last: 4}, partial.Missing[0])
		next := partial.Missing[1].First // 9, or 11 where the chunk before was cut ahead of time
		require.Equal(t, append(upTo(1, 2), upTo(5, next-1)...), numbers(result.Elements))
		require.ErrorContains(t, err, fmt.Sprintf("a.pdf: missing pages 3-4, %d-20: POST /general/v0/general: 500 ", next))
		for _, cause := range partial.Errs[1:] {
			require.ErrorContains(t, cause, "input/output error")
		}
	})
}

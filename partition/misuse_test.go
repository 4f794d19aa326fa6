package partition_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

type nilCache struct{ partition.Cache }

// Misuse is an error that says what is wrong, and never a panic: a panic in a goroutine of the
// client takes the program with it.
func TestB6OptionsThatCannotWork(t *testing.T) {
	for name, c := range map[string]struct {
		option partition.Option
		want   string
	}{
		"option":              {nil, "an option is nil"},
		"HTTP client":         {partition.WithHTTPClient(nil), "HTTP client is nil"},
		"transport":           {partition.WithHTTPClient(&http.Client{Transport: (*http.Transport)(nil)}), "nil *http.Transport"},
		"policy":              {partition.WithRetryPolicy(nil), "retry policy is nil"},
		"zero policy":         {partition.WithRetryPolicy(&retry.Policy{}), "policy"},
		"directory as cache":  {partition.WithCache((*cache.Dir)(nil)), "the cache is a nil *cache.Dir"},
		"another cache":       {partition.WithCache((*nilCache)(nil)), "the cache is a nil *partition_test.nilCache"},
		"zero logger":         {partition.WithLogger(&slog.Logger{}), "no handler"},
		"nil handler":         {partition.WithLogger(slog.New((*slog.JSONHandler)(nil))), "no handler"},
		"header":              {partition.WithHeader("", ""), "header without a name"},
		"no request":          {partition.WithMaxInFlight(0), "less than 1"},
		"requests below zero": {partition.WithMaxInFlight(math.MinInt), "less than 1"},
		"limit below zero":    {partition.WithMaxRequests(-1), "negative"},
		"grace below zero":    {partition.WithGrace(-1), "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := partition.New(partition.WithBaseURL("http://localhost:1"), c.option)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// Nil for an optional thing means none, and the largest number is as good as another.
func TestB6OptionsAtTheirEnds(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	client := newClient(t, s, partition.WithCache(nil), partition.WithLogger(nil), partition.WithObserver(nil),
		partition.WithMaxInFlight(math.MaxInt), partition.WithMaxRequests(math.MaxInt), partition.WithGrace(math.MaxInt64))
	document := pdf("a.pdf", 5)
	defer document.Close()
	result, err := client.Partition(t.Context(), document, partition.Params{Split: partition.Split{Concurrency: math.MaxInt, MaxPages: math.MaxInt}})
	require.NoError(t, err)
	require.NotEmpty(t, result.Elements)
}

func TestB6Calls(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	client := newClient(t, s)
	document := pdf("a.pdf", 5)
	defer document.Close()
	closed := pdf("closed.pdf", 5)
	require.NoError(t, closed.Close())
	var noContext context.Context
	reader := strings.NewReader("text")
	sized := func(n int64) *partition.Document { return partition.FromReaderAt("a.txt", reader, n) }
	huge, negative := math.MaxInt, -1
	for name, c := range map[string]struct {
		client   *partition.Client
		ctx      context.Context
		document *partition.Document
		params   partition.Params
		want     string
	}{
		"nil client":           {nil, t.Context(), document, partition.Params{}, "not made by New"},
		"zero client":          {&partition.Client{}, t.Context(), document, partition.Params{}, "not made by New"},
		"nil context":          {client, noContext, document, partition.Params{}, "the context is nil"},
		"nil document":         {client, t.Context(), nil, partition.Params{}, "document is nil"},
		"zero document":        {client, t.Context(), &partition.Document{}, partition.Params{}, "not made by"},
		"closed document":      {client, t.Context(), closed, partition.Params{}, "document is closed"},
		"nil reader":           {client, t.Context(), partition.FromReaderAt("a", nil, 3), partition.Params{}, "reader is nil"},
		"typed nil reader":     {client, t.Context(), partition.FromReaderAt("a", (*bytes.Reader)(nil), 3), partition.Params{}, "reader is nil"},
		"nil document option":  {client, t.Context(), partition.FromReaderAt("a", reader, 4, nil), partition.Params{}, "option is nil"},
		"size -1":              {client, t.Context(), sized(-1), partition.Params{}, "size of -1 bytes: negative"},
		"smallest size":        {client, t.Context(), sized(math.MinInt64), partition.Params{}, "negative"},
		"more than there is":   {client, t.Context(), sized(1000), partition.Params{}, "a.txt"},
		"starting page -1":     {client, t.Context(), document, partition.Params{StartingPageNumber: &negative}, "starting_page_number -1"},
		"largest page":         {client, t.Context(), document, partition.Params{StartingPageNumber: &huge}, "starting_page_number"},
		"concurrency -1":       {client, t.Context(), document, partition.Params{Split: partition.Split{Concurrency: -1}}, "negative"},
		"page limit -1":        {client, t.Context(), document, partition.Params{Split: partition.Split{MaxPages: -1}}, "negative"},
		"pages -1":             {client, t.Context(), document, partition.Params{Split: partition.Split{Pages: split.PageRange{First: -1, Last: 2}}}, "page"},
		"pages to the largest": {client, t.Context(), document, partition.Params{Split: partition.Split{Pages: split.PageRange{First: 1, Last: huge}}}, "page"},
		"unknown mode":         {client, t.Context(), document, partition.Params{Split: partition.Split{Mode: "x"}}, "chunk mode"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := c.client.Partition(c.ctx, c.document, c.params)
			require.ErrorContains(t, err, c.want)
			require.NotNil(t, result)
			stream := c.client.Stream(c.ctx, c.document, c.params)
			errs := 0
			for _, err := range stream.All() {
				require.ErrorContains(t, err, c.want)
				errs++
			}
			require.Equal(t, 1, errs)
			_ = stream.Report()
			c.params.OutputFormat = partition.OutputCSV
			_, err = c.client.Partition(c.ctx, c.document, c.params)
			require.Error(t, err)
			if name == "more than there is" {
				return // a plan of a text reads only its head
			}
			_, err = c.client.Plan(c.ctx, c.document, c.params)
			require.Error(t, err)
		})
	}
	require.Empty(t, s.Requests())
}

func TestB6ZeroValuesAndUseAfterTheEnd(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	var noContext context.Context

	_, err := partition.FromReader(t.Context(), "a", nil)
	require.ErrorContains(t, err, "reader is nil")
	_, err = partition.FromReader(t.Context(), "a", (*os.File)(nil))
	require.ErrorContains(t, err, "reader is nil")
	_, err = partition.FromReader(noContext, "a", strings.NewReader("x"))
	require.ErrorContains(t, err, "context is nil")
	_, err = partition.FromReader(t.Context(), "a", strings.NewReader("x"), nil)
	require.ErrorContains(t, err, "option is nil")
	_, err = partition.Open("misuse_test.go", nil)
	require.ErrorContains(t, err, "option is nil")

	var none *partition.Document
	require.Empty(t, none.Name())
	require.NoError(t, none.Close())
	for _, d := range []*partition.Document{none, {}} {
		_, err = d.SHA256(t.Context())
		require.Error(t, err)
	}
	d := text("x")
	_, err = d.SHA256(noContext)
	require.ErrorContains(t, err, "context is nil")
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	_, err = d.SHA256(t.Context())
	require.ErrorContains(t, err, "closed")

	require.Empty(t, (&partition.Client{}).URL())
	require.Empty(t, (*partition.Client)(nil).URL())
	for _, stream := range []*partition.Stream{nil, {}} {
		for _, err := range stream.All() {
			require.Error(t, err)
		}
		_ = stream.Report()
	}
	require.NotContains(t, fmt.Sprintf("%v %+v %v", &partition.Stream{}, &partition.Client{}, &partition.Document{}), "PANIC")
	d = text("x")
	defer d.Close()
	stream := newClient(t, s).Stream(t.Context(), d, partition.Params{})
	for _, err := range stream.All() {
		require.NoError(t, err)
	}
	for _, err := range stream.All() {
		require.ErrorContains(t, err, "read already")
	}

	var e element.Element
	_, _ = e.MarshalJSON()
	_, _ = e.MetadataMember("x")
	_, err = element.Metadata{}.DecodeOrigElements()
	require.NoError(t, err)
	_ = (&partition.APIError{}).Error() + (&partition.DocumentError{Err: io.EOF}).Error() + (&partition.PartialError{}).Error()
	_ = partition.KindOf(nil)
	_ = partition.Report{}.Requests() + partition.Report{}.Retries() + partition.Report{}.AnsweredPages()
	require.Error(t, (&partition.Params{}).Set("", ""))
	require.Error(t, (&partition.Params{}).Set("strategy"))
}

// The test server and its parts are for other people's tests, which a panic would end.
func TestB6TestServer(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	s.Close()
	s.Close()
	require.Equal(t, partitiontest.NewPDF(0), partitiontest.NewPDF(-1))
	_, ok := partitiontest.FromContext(t.Context())
	require.False(t, ok)
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	partitiontest.Pages().ServeHTTP(httptest.NewRecorder(), r)
}

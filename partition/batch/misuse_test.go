package batch_test

import (
	"context"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
)

func note() *partition.Document {
	return partition.FromReaderAt("note.txt", strings.NewReader("text"), 4)
}

func one(item batch.Item) iter.Seq[batch.Item] {
	return func(yield func(batch.Item) bool) { yield(item) }
}

// A run that cannot work ends with an outcome that says why, before it opens a document.
func TestB6RunsThatCannotWork(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	client, err := partition.New(partition.WithBaseURL(s.URL), partition.WithHTTPClient(s.Client()), partition.WithAPIKey(""))
	require.NoError(t, err)
	var noContext context.Context
	documents := one(batch.Item{Open: func(context.Context) (*partition.Document, error) {
		require.Fail(t, "opened")
		return nil, nil
	}})
	for name, c := range map[string]struct {
		ctx       context.Context
		client    *partition.Client
		documents iter.Seq[batch.Item]
		options   batch.Options
		want      string
	}{
		"context":     {noContext, client, documents, batch.Options{}, "the context is nil"},
		"client":      {t.Context(), nil, documents, batch.Options{}, "the client is nil"},
		"documents":   {t.Context(), client, nil, batch.Options{}, "documents is nil"},
		"concurrency": {t.Context(), client, documents, batch.Options{Concurrency: -1}, "Concurrency is negative"},
		"ahead":       {t.Context(), client, documents, batch.Options{Ahead: math.MinInt}, "Ahead is negative"},
		"pages":       {t.Context(), client, documents, batch.Options{MaxPages: -1}, "MaxPages is negative"},
		"failures":    {t.Context(), client, documents, batch.Options{MaxFailures: -1}, "MaxFailures is negative"},
		"timeout":     {t.Context(), client, documents, batch.Options{DocumentTimeout: -1}, "DocumentTimeout is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for o := range batch.Run(c.ctx, c.client, c.documents, c.options) {
				require.Equal(t, batch.Ended, o.State)
				require.ErrorContains(t, o.Err, c.want)
				n++
			}
			require.Equal(t, 1, n)
		})
	}
}

func TestB6DocumentsThatCannotBeSent(t *testing.T) {
	s := partitiontest.NewServer(partitiontest.Options{})
	defer s.Close()
	client, err := partition.New(partition.WithBaseURL(s.URL), partition.WithHTTPClient(s.Client()), partition.WithAPIKey(""))
	require.NoError(t, err)
	nothing := batch.Item{Open: func(context.Context) (*partition.Document, error) { return nil, nil }}
	for name, item := range map[string]batch.Item{
		"nil": batch.Document(nil, partition.Params{}), "opened to nil": nothing,
		"zero": batch.Document(&partition.Document{}, partition.Params{}),
	} {
		t.Run(name, func(t *testing.T) {
			for o := range batch.Run(t.Context(), client, one(item), batch.Options{MaxPages: 3}) {
				require.Equal(t, batch.Failed, o.State)
				require.ErrorContains(t, o.Err, "document")
			}
		})
	}
	huge := batch.Options{Concurrency: math.MaxInt, Ahead: math.MaxInt, MaxPages: math.MaxInt, MaxFailures: math.MaxInt, DocumentTimeout: math.MaxInt64}
	for o := range batch.Run(t.Context(), client, one(batch.Document(note(), partition.Params{})), huge) {
		require.NoError(t, o.Err)
	}
	var noContext context.Context
	d := note()
	defer d.Close()
	write := func(element.Element) error { return nil }
	_, err = batch.Each(noContext, client, d, partition.Params{}, write)
	require.Error(t, err)
	_, err = batch.Each(t.Context(), client, d, partition.Params{}, nil)
	require.Error(t, err)
	_, err = batch.Each(t.Context(), nil, nil, partition.Params{}, write)
	require.Error(t, err)
	(*batch.Watch)(nil).Observe(t.Context(), partition.Event{})
	(&batch.Watch{}).Observe(t.Context(), partition.Event{})
	require.Empty(t, batch.Outcome{}.Kind())
}

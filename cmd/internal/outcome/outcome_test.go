package outcome_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/split"
)

func apiError(kind partition.Kind, status int, final bool) error {
	return &partition.APIError{Document: "a.pdf", Kind: kind, Status: status, Final: final, Attempts: 1}
}

// TestFailures goes through what can become of a document, and what is said of it.
func TestFailures(t *testing.T) {
	pages := []split.PageRange{{First: 3, Last: 4}, {First: 9, Last: 9}}
	partial := func(errs ...error) error {
		return &partition.PartialError{Document: "a.pdf", Missing: pages[:len(errs)], Errs: errs}
	}
	server, final := apiError(partition.KindServer, 503, false), apiError(partition.KindServer, 500, true)
	limit := func(flag string) error {
		return &partition.DocumentError{Document: "a.pdf", Kind: partition.KindTimeout, Err: &outcome.TimeLimit{Limit: time.Minute, Flag: flag}}
	}
	for name, test := range map[string]struct {
		err                                     error
		kind                                    partition.Kind
		status                                  int
		final, lacksPages, unavailable, earlier bool
	}{
		"a server's failure":       {err: server, kind: partition.KindServer, status: 503, unavailable: true},
		"one that is final":        {err: final, kind: partition.KindServer, status: 500, final: true},
		"a bad document":           {err: apiError(partition.KindBadDocument, 422, false), kind: partition.KindBadDocument, status: 422},
		"all pages final":          {err: partial(final, final), kind: partition.KindServer, status: 500, final: true, lacksPages: true},
		"one of two pages final":   {err: partial(final, server), kind: partition.KindServer, status: 500, lacksPages: true},
		"a limit of the user's":    {err: limit("--document-timeout"), kind: partition.KindTimeout},
		"a limit of the command's": {err: limit(""), kind: partition.KindTimeout, unavailable: true},
		"a file":                   {err: fmt.Errorf("a.pdf: %w", errors.New("torn")), kind: partition.KindLocalIO},
		"an earlier failure": {
			err:  &outcome.EarlierError{Record: journal.Record{Kind: "bad_document", Error: "a.pdf: no"}},
			kind: partition.KindBadDocument, earlier: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := outcome.Outcome{Err: test.err}
			require.Equal(t, test.kind, o.Kind())
			require.Equal(t, test.status, o.Status())
			require.Equal(t, test.final, o.Final())
			require.Equal(t, test.earlier, o.Earlier())
			require.Equal(t, test.lacksPages, outcome.LacksPages(test.err))
			require.Equal(t, test.unavailable, outcome.Unavailable(test.err))
		})
	}
}

func TestWords(t *testing.T) {
	require.EqualError(t, &outcome.TimeLimit{Limit: time.Minute, Flag: "--run-timeout"}, "time limit of 1m0s reached (--run-timeout)")
	require.EqualError(t, &outcome.TimeLimit{Limit: time.Minute}, "no answer within 1m0s")
	o := outcome.Outcome{Err: errors.New("a\nb")}
	require.Equal(t, `a\nb`, o.Message())
	o.Report.Missing = []split.PageRange{{First: 3, Last: 4}, {First: 9, Last: 9}}
	require.Equal(t, []string{"3-4", "9"}, o.MissingPages())
	for state, failed := range map[outcome.State]bool{
		outcome.Done: false, outcome.Partial: true, outcome.Failed: true, outcome.Unchanged: false, outcome.Skipped: false, outcome.NotDone: false,
	} {
		o.State = state
		require.Equal(t, failed, o.Failed(), state)
	}
}

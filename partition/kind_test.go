package partition_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
)

func TestKinds(t *testing.T) {
	for scope, kinds := range map[partition.Scope][]partition.Kind{
		partition.ScopeDocument: {partition.KindBadDocument, partition.KindUnsupportedType, partition.KindTooLarge, partition.KindChanged, partition.KindEmpty},
		partition.ScopeRequest:  {partition.KindBadRequest},
		partition.ScopeAccount:  {partition.KindAuth, partition.KindQuota},
		partition.ScopeServer: {
			partition.KindThrottled, partition.KindServer, partition.KindTimeout, partition.KindTransport, partition.KindBadResponse,
		},
		partition.ScopeLocal: {partition.KindBudget, partition.KindLocalIO, partition.KindCanceled},
		"":                   {"", "a kind of tomorrow"},
	} {
		for _, kind := range kinds {
			require.Equal(t, scope, kind.Scope(), kind)
			require.Equal(t, scope == partition.ScopeServer && kind != partition.KindBadResponse || kind == partition.KindChanged, kind.Transient(), kind)
		}
	}
}

func TestKindOfAnError(t *testing.T) {
	auth := &partition.APIError{Kind: partition.KindAuth}
	for want, err := range map[partition.Kind]error{
		partition.KindAuth:        fmt.Errorf("loading: %w", auth),
		partition.KindBadDocument: &partition.DocumentError{Kind: partition.KindBadDocument, Err: errors.New("empty")},
		partition.KindCanceled:    fmt.Errorf("stopped: %w", context.Canceled),
		partition.KindTimeout:     context.DeadlineExceeded,
		"":                        errors.New("something else"),
	} {
		require.Equal(t, want, partition.KindOf(err))
	}
	partial := &partition.PartialError{Errs: []error{auth, errors.New("another")}}
	require.Equal(t, partition.KindAuth, partition.KindOf(partial), "the first cause")
	partial.Errs = []error{errors.New("a consequence"), auth}
	require.Equal(t, partition.KindAuth, partition.KindOf(partial), "the first cause that has a kind")
	require.Equal(t, error(auth), partial.Cause())
	require.NoError(t, (&partition.PartialError{}).Cause())
}

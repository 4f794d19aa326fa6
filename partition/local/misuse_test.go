package local_test

import (
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/local"
)

func TestB6(t *testing.T) {
	for _, o := range []local.Options{
		{MaxBody: -1},
		{MaxBodies: -1},
		{Timeout: -1},
		{Concurrency: -1},
		{MaxBody: 2, MaxBodies: 1},
		{Logger: &slog.Logger{}},
	} {
		_, err := local.New(o)
		require.Error(t, err)
	}
	e, err := local.New(local.Options{MaxBody: math.MaxInt64, Timeout: math.MaxInt64, CacheDir: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())

	post := func(h http.Handler) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/general/v0/general", http.NoBody))
		return w.Code
	}
	require.Equal(t, http.StatusServiceUnavailable, post(e))
	for _, none := range []*local.Engine{nil, {}} {
		require.Equal(t, http.StatusInternalServerError, post(none))
		require.NoError(t, none.Close())
	}
	require.Equal(t, http.StatusInternalServerError, post(local.Guard(nil, "example.com")))
}

package retry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/retry"
)

func TestB6CallsThatCannotWork(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	request := func() *http.Request {
		r, err := http.NewRequest(http.MethodGet, s.URL, http.NoBody)
		require.NoError(t, err)
		return r
	}
	var noContext context.Context
	nilTransport := &http.Client{Transport: (*http.Transport)(nil)}
	for name, c := range map[string]struct {
		http    *http.Client
		ctx     context.Context
		request *http.Request
		want    string
	}{
		"no request":    {s.Client(), t.Context(), nil, "no request, or no URL"},
		"no URL":        {s.Client(), t.Context(), &http.Request{}, "no request, or no URL"},
		"no context":    {s.Client(), noContext, request(), "context is nil"},
		"nil transport": {nilTransport, t.Context(), request(), "transport of the HTTP client is a nil *http.Transport"},
	} {
		t.Run(name, func(t *testing.T) {
			client := &retry.Client{HTTP: c.http}
			_, trace, err := client.Do(c.ctx, retry.Call{Request: c.request})
			require.ErrorContains(t, err, c.want)
			require.Empty(t, trace.Attempts)
		})
	}
	_, err := (&retry.Client{}).Admit(noContext)
	require.ErrorContains(t, err, "context is nil")
	_, err = (&retry.Client{HTTP: nilTransport}).RoundTripper(nil).RoundTrip(request())
	require.ErrorContains(t, err, "nil *http.Transport")

	(*retry.Slot)(nil).Release()
	(&retry.Slot{}).Release()
	client := &retry.Client{HTTP: s.Client(), Limit: &retry.Limiter{}} // the zero limiter lets one through
	for range 2 {
		slot, err := client.Admit(t.Context())
		require.NoError(t, err)
		response, _, err := client.Do(t.Context(), retry.Call{Request: request(), Slot: slot})
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.NoError(t, response.Body.Close())
		slot.Release()
	}
}

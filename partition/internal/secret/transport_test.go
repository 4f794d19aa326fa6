package secret

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

type answers struct{ response *http.Response }

func (a answers) RoundTrip(*http.Request) (*http.Response, error) { return a.response, nil }

// Transports that answer with nothing, or without a body, are what net/http makes of them.
func TestDiscreetOfOddTransports(t *testing.T) {
	for name, response := range map[string]*http.Response{"nothing": nil, "no body": {StatusCode: http.StatusOK, Header: http.Header{}}} {
		hc := &http.Client{Transport: answers{response}}
		Discreet(hc)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/", http.NoBody)
		require.NoError(t, err)
		got, err := hc.Do(request)
		require.Equal(t, response == nil, err != nil, name)
		if err == nil {
			_, err = io.ReadAll(got.Body)
			require.NoError(t, err)
			require.NoError(t, got.Body.Close())
		}
	}
}

package local

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuard(t *testing.T) {
	guarded := Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), "Quire.Example", "::2")
	const (
		badHost   = `{"detail":"Host is not allowed."}`
		badOrigin = `{"detail":"Origin is not allowed."}`
	)
	tests := []struct{ host, origin, want string }{
		{"localhost", "", ""},
		{"LOCALHOST:8000", "", ""},
		{"127.0.0.1:8000", "", ""},
		{"[::1]:8000", "", ""},
		{"[::1]", "", ""},
		{"quire.example:80", "", ""},
		{"[::2]:80", "", ""},
		{"localhost:8000", "http://localhost:8000", ""},
		{"localhost:8000", "http://localhost:3000", badOrigin},
		{"localhost:8000", "https://evil.example", badOrigin},
		{"localhost:8000", "null", badOrigin},
		{"localhost:8000", "http://[", badOrigin},
		{"evil.example:8000", "", badHost},
		{"localhost.evil.example", "", badHost},
		{"127.0.0.1.evil.example:8000", "", badHost},
		{"evil.example", "http://evil.example", badHost},
		{"", "", badHost},
	}
	for _, test := range tests {
		t.Run(test.host+" "+test.origin, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = test.host
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			status, body := answerOf(guarded, r)
			require.Equal(t, test.want, body)
			require.Equal(t, test.want == "", status == http.StatusOK)
			if test.want != "" {
				require.Equal(t, http.StatusForbidden, status)
			}
		})
	}
}

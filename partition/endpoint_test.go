package partition

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseEndpoint(t *testing.T) {
	const hosted = "https://api.unstructuredapp.io/general/v0/general"
	for given, want := range map[string]string{
		"https://api.unstructuredapp.io":                                 hosted,
		"api.unstructuredapp.io":                                         hosted,
		"http://api.unstructuredapp.io/":                                 hosted,
		"https://api.unstructuredapp.io/x?y":                             hosted,
		"https://api.unstructured.io/general/v0/general":                 "https://api.unstructured.io/general/v0/general",
		"unstructured-000mock.api.unstructuredapp.io/general/v0/general": "https://unstructured-000mock.api.unstructuredapp.io/general/v0/general",
		"http://localhost:8000":                                          "http://localhost:8000/general/v0/general",
		"http://localhost:8000/":                                         "http://localhost:8000/general/v0/general",
		" http://localhost:8000\n":                                       "http://localhost:8000/general/v0/general",
		"localhost:8000":                                                 "http://localhost:8000/general/v0/general",
		"localhost":                                                      "http://localhost/general/v0/general",
		"127.0.0.1:8000":                                                 "http://127.0.0.1:8000/general/v0/general",
		"[::1]:8000":                                                     "http://[::1]:8000/general/v0/general",
		"10.1.2.3":                                                       "http://10.1.2.3/general/v0/general",
		"partition:8000":                                                 "http://partition:8000/general/v0/general",
		"localhost:8000/general/v0/general":                              "http://localhost:8000/general/v0/general",
		"http://localhost:8000/general/v0/general/":                      "http://localhost:8000/general/v0/general",
		"http://localhost:8000/general/0.1.2/general":                    "http://localhost:8000/general/0.1.2/general",
		"https://gateway.example.org/docs/unstructured":                  "https://gateway.example.org/docs/unstructured/general/v0/general",
		"https://gateway.example.org/u/general/v0/general":               "https://gateway.example.org/u/general/v0/general",
		"myhttp.example.org/x":                                           "https://myhttp.example.org/x/general/v0/general",
		"https://user:secret@example.org/?token=abc#frag":                "https://example.org/general/v0/general",
	} {
		t.Run(given, func(t *testing.T) {
			got, err := parseEndpoint(given)
			require.NoError(t, err)
			require.Equal(t, want, got.String())
		})
	}
}

func TestParseEndpointKeepsWhatAGatewayNeeds(t *testing.T) {
	got, err := parseEndpoint("https://user:secret@example.org/p?token=abc#frag")
	require.NoError(t, err)
	require.Equal(t, "https://user:secret@example.org/p/general/v0/general?token=abc", got.url.String())
	require.False(t, got.hosted)
}

func TestParseEndpointErrors(t *testing.T) {
	for given, want := range map[string]string{
		"ftp://example.org":                    "neither http nor https",
		"http://":                              "no host",
		"http://[::1":                          "missing ']'",
		"http://exa mple.org":                  "invalid character",
		"http://user:hunter2@exa mple.org":     "invalid",
		"https://platform.unstructuredapp.io/": "the partition API is https://api.unstructuredapp.io",
		"http://localhost:port":                "invalid port",
	} {
		t.Run(given, func(t *testing.T) {
			_, err := parseEndpoint(given)
			require.ErrorContains(t, err, want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

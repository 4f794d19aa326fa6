package partition

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorDetail(t *testing.T) {
	for name, test := range map[string]struct {
		body, want string
		listed     bool
	}{
		"text":       {`{"detail":"File is encrypted. Please decrypt it with password."}`, "File is encrypted. Please decrypt it with password.", false},
		"form error": {`{"detail":[{"type":"int_parsing","loc":["body","overlap"],"msg":"Input should be a valid integer","input":"x"}]}`, "overlap: Input should be a valid integer", true},
		"two":        {`{"detail":[{"loc":["body","a"],"msg":"m"},{"loc":["body","b",0],"msg":"n"}]}`, "a: m; b.0: n", true},
		"in a list":  {`[{"detail":"error"}]`, "error", false},
		"object":     {`{"detail":{"why":"x"}}`, `{"why":"x"}`, false},
		"message":    {`{"message":"no route"}`, "no route", false},
		"HTML":       {"<html><head><title>504 Gateway\n Time-out</title></head></html>", "HTML page: 504 Gateway Time-out", false},
		"bare HTML":  {"<p>sorry", "HTML page", false},
		"plain":      {" upstream gone \n", "upstream gone", false},
		"empty":      {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, listed := errorDetail([]byte(test.body))
			require.Equal(t, test.want, got)
			require.Equal(t, test.listed, listed)
		})
	}
}

func TestStatusKind(t *testing.T) {
	for status, want := range map[int]Kind{
		400: KindBadRequest, 401: KindAuth, 402: KindQuota, 403: KindAuth, 404: KindBadRequest, 408: KindTimeout, 413: KindTooLarge,
		415: KindUnsupportedType, 422: KindBadDocument, 429: KindThrottled, 500: KindServer, 503: KindServer, 504: KindTimeout,
		302: KindBadResponse,
	} {
		require.Equal(t, want, statusKind(status, "", false), status)
	}
	require.Equal(t, KindBadRequest, statusKind(422, "x", true))
	require.Equal(t, KindUnsupportedType, statusKind(400, "File type application/zip is not supported.", false))
}

package partition

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedact(t *testing.T) {
	const key = `Sk-9f/8+"<aB>c7d6e5f4`
	quoted, err := json.Marshal(key)
	require.NoError(t, err)
	var escaped, percent strings.Builder
	for i := range len(key) {
		fmt.Fprintf(&escaped, `\u%04X`, key[i])
		fmt.Fprintf(&percent, "%%%02X", key[i])
	}
	for name, text := range map[string]string{
		"plain": "API key " + key + " is invalid", "upper case": strings.ToUpper(key), "lower case": strings.ToLower(key),
		"twice": key + " and " + key, "JSON": string(quoted), "query": url.QueryEscape(key), "path": url.PathEscape(key),
		"unicode escapes": escaped.String(), "percent": percent.String(), "base64": base64.StdEncoding.EncodeToString([]byte(key)),
		"cut at the end": "key " + key[:5], "cut in the middle": "key " + key[:12] + "...", "cut at the front": "..." + key[9:],
		"quoted": fmt.Sprintf("%q", key),
	} {
		t.Run(name, func(t *testing.T) {
			got := newRedactor(key).redact(text)
			require.Contains(t, got, redacted)
			for i := range len(key) - 4 {
				require.NotContains(t, strings.ToLower(got), strings.ToLower(key[i:i+5]))
			}
		})
	}
}

func TestRedactLeavesTheRestAlone(t *testing.T) {
	r := newRedactor("0123456789abcdef", "", "  ")
	require.Equal(t, "before [redacted] after", r.redact("before 0123456789ABCDEF after"))
	require.Equal(t, "nothing here: 0123", newRedactor("x9876543210").redact("nothing here: 0123"))
	require.Equal(t, "no key", newRedactor().redact("no key"))
	require.Equal(t, "Ünï [redacted] é", r.redact("Ünï 0123456789abcdef é"))
}

func FuzzRedact(f *testing.F) {
	f.Add("0123456789abcdef", "API key ", " is invalid")
	f.Fuzz(func(t *testing.T, key, before, after string) {
		key = strings.TrimSpace(key)
		if len(key) < fragment {
			return
		}
		got := newRedactor(key).redact(before + key + after)
		require.NotContains(t, strings.ReplaceAll(got, redacted, "\x00"), key)
	})
}

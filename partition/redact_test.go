package partition

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
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
		"quoted": fmt.Sprintf("%q", key), "escaped slashes": strings.ReplaceAll(key, "/", `\/`),
		"percent twice": url.QueryEscape(url.QueryEscape(key)), "entities": strings.NewReplacer("/", "&#47;", "9", "&#0057;", "8", "&#x38;").Replace(key),
		"with a user": base64.StdEncoding.EncodeToString([]byte("user:" + key)), "shifted by one": base64.URLEncoding.EncodeToString([]byte("x" + key + "y")),
		"octal": fmt.Sprintf(`\%03o\%03o`, key[0], key[1]) + key[2:], "code points": fmt.Sprintf(`\u{%x}`, key[0]) + key[1:],
		"spaced hex": fmt.Sprintf("% x", key), "backwards": backwards(key), "first seven": "key " + key[:7] + " is wrong",
		"first and last": key[:6] + "..." + key[len(key)-6:], "spaced": strings.Join(strings.Split(key, ""), " "),
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

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func TestRedactLeavesTheRestAlone(t *testing.T) {
	r := newRedactor("0123456789abcdef", "", "  ")
	require.Equal(t, "before [redacted] after", r.redact("before 0123456789ABCDEF after"))
	require.Equal(t, "nothing here: 4711", newRedactor("x9876543210").redact("nothing here: 4711"))
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

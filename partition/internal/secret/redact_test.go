package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

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
		"barred": strings.Join(strings.Split(key, ""), "|"), "lines": strings.Join(strings.Split(key, ""), `\n`), "two texts": key[:10] + `", "` + key[10:],
		"mail": strings.ReplaceAll(percent.String(), "%", "="), "folded mail": key[:5] + "=\r\n" + key[5:10] + "=\n" + key[10:],
	} {
		t.Run(name, func(t *testing.T) {
			got := New(key).Redact(text)
			require.Contains(t, got, Redacted)
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
	r := New("0123456789abcdef", "", "  ")
	require.Equal(t, "before [redacted] after", r.Redact("before 0123456789ABCDEF after"))
	require.Equal(t, "nothing here: 4711", New("x9876543210").Redact("nothing here: 4711"))
	require.Equal(t, "no key", New().Redact("no key"))
	require.Equal(t, "Ünï [redacted] é", r.Redact("Ünï 0123456789abcdef é"))
}

// Ordinary words stay readable, whatever the secret.
func TestB1WordsStayReadable(t *testing.T) {
	account := `{"type": "service_account", "project_id": "quire", "private_key_id": "0f1e2d3c4b5a69788796a5b4c3d2e1f0", ` +
		`"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj\n-----END PRIVATE KEY-----\n", ` +
		`"client_email": "robot@quire.iam.gserviceaccount.com", "auth_uri": "https://accounts.google.com/o/oauth2/auth"}`
	r := New("x", "1", "8", "te", "text", "secret", account)
	for _, words := range []string{
		"file does not appear to be a valid PDF", "File type text/plain is not supported", "the service account has no access to the private key",
		"https://api.example.com/general", "the project's client has no auth uri", "type: object, id: 8, page 1 of 18", "a secret x",
		"private_key is not set",
	} {
		require.Equal(t, words, r.Redact(words))
	}
	for _, part := range []string{"0f1e2d3c4b5a69788796a5b4c3d2e1f0", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj", "robot@quire.iam.gserviceaccount.com"} {
		require.Equal(t, "for [redacted].", r.Redact("for "+part+"."))
	}
	require.Equal(t, "the word [redacted]", New("password").Redact("the word password"))
	require.Equal(t, "the pass word", New("passwords").Redact("the pass word"))
}

func FuzzRedact(f *testing.F) {
	f.Add("0123456789abcdef", "API key ", " is invalid")
	f.Add("x", "key ", "")
	f.Add("pässwörd 表 😀", "", "!")
	f.Add("000 0000", "", "")
	f.Add("%000\xae\xae00", "", "")
	f.Add("x\xd6ͅT\U000bf2c2ck", "", "")
	f.Add(strings.Repeat("0123456789abcdefghijklmnop", 158)[:4096], "key ", " key")
	f.Fuzz(func(t *testing.T, key, before, after string) {
		key = strings.TrimSpace(key)
		if len(key) > 4096 || strings.ContainsFunc(key, unicode.IsControl) {
			return // no header can have it
		}
		if len(key) >= shortest && len(newView(key).unescaped().unescaped().text) < shortest {
			return // it consists of what looks like escapes
		}
		if strings.ContainsAny(before[max(0, len(before)-12):], `\%&=`) {
			return // what begins there ends in the secret, for who reads escapes
		}
		r := New(key)
		quoted, err := json.Marshal(key)
		require.NoError(t, err)
		var units, percent, entities strings.Builder
		for _, unit := range utf16.Encode([]rune(key)) {
			fmt.Fprintf(&units, `\u%04X`, unit)
		}
		for _, c := range []byte(key) {
			fmt.Fprintf(&percent, "%%%02x", c)
		}
		for _, c := range key {
			fmt.Fprintf(&entities, "&#%d;", c)
		}
		spelled := []string{
			key, string(newView(key).text), url.QueryEscape(key), percent.String(), fmt.Sprintf("%x", key), base64.StdEncoding.EncodeToString([]byte(key)),
			backwards(key), fmt.Sprintf("%q", key), fromLatin1(key), strings.ReplaceAll(percent.String(), "%", "="), strings.ReplaceAll(key, " ", "+"),
		}
		if utf8.ValidString(key) { // else it is not the key that is written
			spelled = append(spelled, string(quoted), units.String(), entities.String())
		}
		for _, spelling := range spelled {
			got := r.Redact(before + spelling + after)
			if len(key) < shortest {
				require.Equal(t, before+spelling+after, got)
			} else {
				require.Contains(t, got, Redacted, spelling)
				require.NotContains(t, strings.ReplaceAll(got, Redacted, "\x00"), spelling)
				for i := 0; i+runBytes <= len(key) && spelling == key; i++ { // of one that stands there as it is, no run with a digit is left
					if run := key[i : i+runBytes]; strings.ContainsAny(run, digits) && !strings.Contains(before+"\x00"+after, run) {
						require.NotContains(t, strings.ReplaceAll(got, Redacted, "\x00"), run)
					}
				}
			}
		}
	})
}

// A page of an error, and a secret as long as a certificate.
func BenchmarkRedact(b *testing.B) {
	page := strings.Repeat(`{"detail": "the caller's key was not taken, see https:\/\/example.com\/help 4711"} `, 800)[:64<<10]
	for _, length := range []int{32, 2048, 4096} {
		random := rand.New(rand.NewChaCha8([32]byte{}))
		secret := make([]byte, length)
		for i := range secret {
			secret[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random.IntN(64)]
		}
		r := New(string(secret))
		b.Run(strconv.Itoa(length), func(b *testing.B) {
			for b.Loop() {
				r.Redact(page)
			}
		})
	}
}

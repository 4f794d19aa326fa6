package retry_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quire-dev/quire/retry"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// Every built-in policy prints as its golden table, and survives JSON.
func TestPresets(t *testing.T) {
	for _, name := range retry.Presets() {
		t.Run(name, func(t *testing.T) {
			p, ok := retry.Preset(name)
			require.True(t, ok)
			require.Equal(t, name, p.Name)
			golden := filepath.Join("testdata", name+".md")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(p.Table()), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), p.Table())

			data, err := json.Marshal(p)
			require.NoError(t, err)
			again, err := retry.Parse(data)
			require.NoError(t, err)
			require.Equal(t, p, again)
		})
	}
	for _, name := range []string{"", "nope", "../policies/agent", "agent.json"} {
		_, ok := retry.Preset(name)
		require.False(t, ok, name)
	}
	files, err := filepath.Glob("policies/*.json")
	require.NoError(t, err)
	require.Len(t, files, len(retry.Presets()))
}

// policyJSON is a valid policy with one part replaced.
func policyJSON(old, new string) string {
	const valid = `{"name":"p","rules":[{"name":"busy","when":{"status":"503"},"do":"retry"}],"default":"return","backoff":{"initial":"1s"},"budget":{"attempts":3}}`
	return strings.Replace(valid, old, new, 1)
}

func TestParseErrors(t *testing.T) {
	_, err := retry.Parse([]byte(policyJSON("", "")))
	require.NoError(t, err)
	for _, c := range []struct{ name, old, new, want string }{
		{"no JSON", `{"name"`, `"name"`, "retry policy: "},
		{"text behind", `:3}}`, `:3}} x`, "text after the JSON object"},
		{"unknown member", `"name":"p"`, `"name":"p","x":1`, `unknown field "x"`},
		{"unknown condition", `"status":`, `"stauts":`, `unknown field "stauts"`},
		{"unknown wait", `"do":"retry"`, `"do":"retry","wait":"soon"`, `unknown wait "soon"`},
		{"bad duration", `"1s"`, `"1 second"`, "duration"},
		{"bad status", `"503"`, `"603"`, `bad status "603"`},
		{"bad range", `"503"`, `"504-500"`, `bad status "504-500"`},
		{"bad class", `"503"`, `"6XX"`, `bad status "6XX"`},
		{"bad status type", `"503"`, `{}`, "bad status"},
		{"no status", `"503"`, `" "`, "empty status list"},
		{"no name", `"name":"p"`, `"name":""`, "no name"},
		{"no row name", `"name":"busy"`, `"name":" "`, "rule 1: no name"},
		{"taken name", `"name":"busy"`, `"name":"success"`, `the name "success" is taken`},
		{"no default", `"default":"return",`, ``, "no default"},
		{"bad fallback", `"default":"return"`, `"default":"mutate"`, `unknown default "mutate"`},
		{"no action", `,"do":"retry"`, ``, "no action"},
		{"unknown action", `"do":"retry"`, `"do":"try"`, `unknown action "try"`},
		{"wait on return", `"do":"retry"`, `"do":"return","wait":"none"`, "only for rules that retry"},
		{"final on retry", `"do":"retry"`, `"do":"retry","final":true`, "final is only for return"},
		{"patch on retry", `"do":"retry"`, `"do":"retry","patch":"x"`, "patch is only for mutate"},
		{"mutate without max", `"do":"retry"`, `"do":"mutate","patch":"x"`, "mutate needs a patch and a max"},
		{"mutate without patch", `"do":"retry"`, `"do":"mutate","max":1`, "mutate needs a patch and a max"},
		{"negative max", `"do":"retry"`, `"do":"retry","max":-1`, "negative max"},
		{"unknown kind", `"status":"503"`, `"kind":["oops"]`, `unknown error kind "oops"`},
		{"permanent kind", `"status":"503"`, `"kind":["canceled"]`, `errors of kind "canceled" are never retried`},
		{"bad header", `"status":"503"`, `"header":["a b"]`, `bad header name "a b"`},
		{"bad no_header", `"status":"503"`, `"no_header":["a: b"]`, `no_header takes a name`},
		{"bad shape", `"status":"503"`, `"body":"html"`, `unknown body shape "html"`},
		{"bad member", `"status":"503"`, `"json":{"":true}`, "empty JSON member name"},
		{"nested", `"status":"503"`, `"any":[{"not":{"kind":["oops"]}}]`, `unknown error kind "oops"`},
		{"no bound", `"attempts":3`, ``, "no bound"},
		{"negative budget", `"attempts":3`, `"attempts":3,"resends":-1`, "negative number"},
		{"negative time", `"attempts":3`, `"soft_elapsed":"-1s"`, "negative duration"},
		{"no initial", `"initial":"1s"`, ``, "no initial wait"},
		{"max below initial", `"initial":"1s"`, `"initial":"1s","max":"1ms"`, "max 1ms is below initial 1s"},
		{"bad factor", `"initial":"1s"`, `"initial":"1s","factor":0.5`, "factor 0.5"},
		{"bad jitter", `"initial":"1s"`, `"initial":"1s","jitter":"some"`, `unknown jitter "some"`},
		{"bad peek", `"attempts":3}`, `"attempts":3},"peek":{"bytes":-1}`, "peek: negative value"},
		{"unreachable", `"do":"retry"}`, `"do":"retry"},{"name":"b","when":{"status":"503","header":["Retry-After"]},"do":"return"}`, "rule 2 (b): unreachable, because rule 1 (busy) matches everything"},
		{"unreachable behind a class", `"503"},"do":"retry"}`, `"5XX"},"do":"retry"},{"name":"b","when":{"status":"500-504"},"do":"return"}`, "rule 2 (b): unreachable"},
		{"unreachable behind always", `"when":{"status":"503"},"do":"retry"}`, `"do":"retry"},{"name":"b","when":{"kind":["dial"]},"do":"return"}`, "rule 2 (b): unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := policyJSON(c.old, c.new)
			require.NotEqual(t, policyJSON("", ""), text)
			_, err := retry.Parse([]byte(text))
			require.ErrorContains(t, err, c.want)
		})
	}
	for _, reachable := range []string{
		`"do":"retry","max":1},{"name":"b","when":{"status":"503"},"do":"return"}`,
		`"do":"mutate","patch":"x","max":1},{"name":"b","when":{"status":"503"},"do":"return"}`,
		`"do":"retry"},{"name":"b","when":{"status":"5XX"},"do":"return"}`,
		`"do":"retry"},{"name":"b","when":{"kind":["dial"]},"do":"return"}`,
	} {
		_, err := retry.Parse([]byte(policyJSON(`"do":"retry"}`, reachable)))
		require.NoError(t, err, reachable)
	}
}

// A policy file with the spellings of version 0.1.0 is the same policy, and is written in today's.
func TestOldSpellings(t *testing.T) {
	const text = `{"name":"p","default":"return","backoff":{"initial":"1s"},"budget":{"attempts":3},"rules":[
		{"name":"a","when":{"kind":["reset-before-sent","reset-after-sent"]},"do":"retry"},
		{"name":"b","when":{"any":[{"body":"not-json"},{"not":{"body":"not-object"}}],"not":{"body":"not-list"}},"do":"retry","wait":"header-then-backoff"},
		{"name":"c","do":"mutate","patch":"drop-chat_template_kwargs","max":1}]}`
	old, err := retry.Parse([]byte(text))
	require.NoError(t, err)
	today, err := retry.Parse([]byte(strings.NewReplacer("reset-before-sent", "reset_before_sent", "reset-after-sent", "reset_after_sent",
		"not-", "not_", "header-then-backoff", "header_then_backoff", "drop-", "drop_").Replace(text)))
	require.NoError(t, err)
	require.Equal(t, today, old)
	data, err := json.Marshal(old)
	require.NoError(t, err)
	require.NotContains(t, string(data), "-")
}

// What Explain says of decisions that carry more than a row.
func TestExplain(t *testing.T) {
	answered := func(status int, header string) retry.Outcome {
		return retry.Outcome{Status: status, Header: headers(header), Sent: true}
	}
	for _, c := range []struct {
		name, policy string
		call         retry.Call
		before       retry.Trace
		o            retry.Outcome
		want         []string
	}{
		{
			"an error that is never repeated", "unstructured",
			retry.Call{},
			retry.Trace{},
			retry.Outcome{Kind: retry.KindLength},
			[]string{"return after 1 attempt", "policy: unstructured", "rule: none: such an error is never retried"},
		},
		{
			"a success", "unstructured",
			retry.Call{},
			retry.Trace{},
			answered(200, ""),
			[]string{"return after 1 attempt", "policy: unstructured", "rule: none: a 2xx answer that no rule matches is a success"},
		},
		{
			"no row", "unstructured",
			retry.Call{},
			retry.Trace{},
			answered(418, ""),
			[]string{"return after 1 attempt", "policy: unstructured", "rule: none: no rule matches, so the policy's default applies"},
		},
		{
			"the server's own wait", "unstructured",
			retry.Call{},
			retry.Trace{},
			answered(503, "Retry-After: 5"),
			[]string{
				"retry after 5s", "policy: unstructured", "rule: 4, at capacity (status 503 and header `Retry-After`)",
				"why: the server names the wait", "note: the server asked for this wait",
			},
		},
		{
			"a wait above the ceiling", "unstructured",
			retry.Call{},
			retry.Trace{},
			answered(503, "Retry-After: 301"),
			[]string{
				"return after 1 attempt", "policy: unstructured", "rule: 4, at capacity (status 503 and header `Retry-After`)",
				"why: the server names the wait", "stopped by: retry after ceiling", "note: the server asked for this wait",
			},
		},
		{
			"resends used up", "unstructured",
			retry.Call{},
			retry.Trace{Attempts: []retry.Event{{MaybeBilled: true}, {MaybeBilled: true}, {MaybeBilled: true}}},
			retry.Outcome{Kind: retry.KindLost, Sent: true},
			[]string{
				"return after 4 attempts", "policy: unstructured", "rule: 8, connection lost (error reset_after_sent)",
				"why: the server may have done the work", "stopped by: resends", "note: counts towards closing the gate for all requests",
			},
		},
		{
			"a change that was made", "openai-compatible",
			retry.Call{Patches: map[string]func(*http.Request) error{"drop_chat_template_kwargs": func(*http.Request) error { return nil }}},
			retry.Trace{Attempts: []retry.Event{{Rule: "unknown field"}}},
			answered(500, ""),
			[]string{"retry after 1s", "policy: openai-compatible", "rule: 5, server error (status 5XX)", "why: "},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := preset(t, c.policy).Explain(c.call, c.before, c.o)
			for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				require.Less(t, i, len(c.want), text)
				require.True(t, strings.HasPrefix(line, c.want[i]), "%q is not %q", line, c.want[i])
			}
			require.Equal(t, len(c.want), strings.Count(text, "\n"), text)
		})
	}
}

package retry

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"120", "1.5", "0", "-1", "9223372037", "1e9", "Fri, 02 Jan 2026 03:04:05 GMT", "Friday, 02-Jan-26 03:04:05 GMT", "Fri Jan  2 03:04:05 2026", "NaN", "0x10", "١"} {
		f.Add(s, s, "")
	}
	f.Fuzz(func(t *testing.T, after, ms, date string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {date}}
		if d, ok := retryAfter(h, time.Unix(1e9, 0)); d < 0 || !ok && d != 0 {
			t.Fatal(d, ok)
		}
	})
}

func FuzzStatuses(f *testing.F) {
	for _, s := range []string{"503", "5XX", "500-504", "5xx,408", "599-500", "6XX", "1-2", "-", "٥٠٠"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := parseStatuses(s)
		if err != nil {
			return
		}
		again, err := parseStatuses(list.text())
		if err != nil || again.text() != list.text() {
			t.Fatal(list, again, err)
		}
		n := 0
		for status := -1; status < 1000; status++ {
			if list.has(status) {
				n++
				if status < 100 || status > 599 {
					t.Fatal(list, status)
				}
			}
		}
		if n == 0 {
			t.Fatal(list, "is empty")
		}
	})
}

// The oracle is encoding/json into a map of any value.
func FuzzVerdict(f *testing.F) {
	for _, s := range []string{
		`{"retryable":false}`, `{"retryable":true}`, `{"retryable":"false"}`, `{"Retryable":false}`, `[{"retryable":false}]`,
		`{"retryable":false,"retryable":true}`, `{"retryabl\u0065":false}`, `{"retryable":false`, "\ufeff{}", `{"retryable":null,"x":false}`,
		`{"a":{"retryable":false}}`, ` {"retryable" : false } x`, "{\"retryable\":false,\"\xff\":1}", `{"retryable":{"x":false}}`,
	} {
		f.Add([]byte(s))
	}
	f.Add(bytes.Repeat([]byte("["), 20_000))
	f.Fuzz(func(t *testing.T, b []byte) {
		var oracle map[string]any
		err := json.Unmarshal(b, &oracle)
		want, wantOK := oracle["retryable"].(bool)
		wantOK = wantOK && err == nil
		d := parseDocument(b)
		got, ok := d.boolean("retryable")
		if ok != wantOK || ok && got != want {
			t.Fatalf("got %t %t, want %t %t", got, ok, want, wantOK)
		}
		if d.valid() != json.Valid(b) {
			t.Fatal("valid")
		}
		var list []any
		if err := json.Unmarshal(b, &list); d.isList() != (err == nil && list != nil) {
			t.Fatal("list")
		}
	})
}

func FuzzRateLimit(f *testing.F) {
	f.Add("60", "59", "30", `"default";q=100;w=60`, `"default";r=50;t=30`)
	f.Add("100, 100;w=60", "-1", "1893456000", `q=;w=99999999999999999999`, `;;;r=x`)
	f.Add("", "", "", `"x";q=1;w=7000000000`, `"x";r=0;t=17179869183`)
	f.Add("", "", "", `"burst";q=100;w=60, "daily";q=1000;w=86400`, `"daily";r=900;t=4000, "burst";r=50;t=30`)
	f.Fuzz(func(t *testing.T, limit, remaining, reset, policy, state string) {
		h := http.Header{
			"X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset},
			"Ratelimit-Policy": {policy}, "Ratelimit": {state},
		}
		r, ok := parseRateLimit(h, time.Unix(1e9, 0))
		if !ok {
			return
		}
		if r.limit <= 0 || r.remaining < -1 || r.window <= 0 || r.reset > r.window || r.reset < -1 {
			t.Fatalf("%+v", r)
		}
		p := pacer{on: true}
		now := time.Unix(1e9, 0)
		p.admitted(now)
		p.learn(now, h, 0)
		if d := p.delay(now); d < 0 || d > 2*r.window {
			t.Fatal(d)
		}
	})
}

func FuzzPolicy(f *testing.F) {
	for _, name := range Presets() {
		p, _ := Preset(name)
		data, err := json.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"name":"p","default":"retry","backoff":{"initial":"1s"},"budget":{"attempts":2}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Fatal("empty error")
			}
			return
		}
		data, err = json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(data)
		if err != nil {
			t.Fatal(err, string(data))
		}
		if p.Table() != again.Table() {
			t.Fatal(p.Table(), again.Table())
		}
		for _, status := range []int{0, 200, 400, 429, 503} {
			d := decide(p, observed(Outcome{Status: status, Header: http.Header{"Retry-After": {"3"}}}, time.Time{}))
			if d.wait.min < 0 || d.wait.max < d.wait.min {
				t.Fatal(d)
			}
		}
	})
}

package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/partition/wire"
)

// Every field of the API is a field of the processor and reaches the server; one that is new in the library is in here by itself.
func TestEveryFieldOfTheAPIIsSent(t *testing.T) {
	examples := map[wire.FieldKind]struct {
		yaml string
		sent []string
	}{
		wire.KindString: {"some text", []string{"some text"}},
		wire.KindSecret: {"some secret", []string{"some secret"}},
		wire.KindBool:   {"true", []string{"true"}},
		wire.KindInt:    {"7", []string{"7"}},
		wire.KindFloat:  {"0.25", []string{"0.25"}},
		wire.KindList:   {"[ one, two ]", []string{"one", "two"}},
	}
	var config strings.Builder
	want := url.Values{"new_one": {"1"}, "new_list[]": {"a", "b"}}
	for _, field := range wire.Fields() {
		if field.Name == "output_format" || field.Name == "chunking_strategy" {
			continue // they change what is sent and how it is read
		}
		example := examples[field.Kind]
		fmt.Fprintf(&config, "%s: %s\n", field.Name, example.yaml)
		name := field.Name
		if field.Kind == wire.KindList {
			name += "[]"
		}
		want[name] = example.sent
	}
	srv := partitiontest.NewServer(partitiontest.Options{Lenient: true})
	t.Cleanup(srv.Close)
	p := newTestProcessor(t, config.String()+"extra: {new_one: 1, new_list: [a, b]}\nurl: "+srv.URL)
	_, err := p.Process(t.Context(), service.NewMessage([]byte("text")))
	require.NoError(t, err)
	require.Len(t, srv.Requests(), 1)
	require.Equal(t, want, srv.Requests()[0].Fields)
}

func TestEmptyTextsAreNotThere(t *testing.T) {
	srv := newServer(t)
	t.Setenv(partition.EnvAPIURL, srv.URL)
	p := newTestProcessor(t, "strategy: ''\nlanguages: []\nurl: ''\n")
	_, err := p.Process(t.Context(), service.NewMessage([]byte("text")))
	require.NoError(t, err)
	require.Empty(t, srv.Requests()[0].Fields)
}

// TestA12 refuses a URL that is set and empty, also where a configuration passes it on.
func TestA12(t *testing.T) {
	t.Setenv(partition.EnvAPIKey, "the-key-0123456789")
	t.Setenv(partition.EnvAPIURL, "")
	conf, err := spec().ParseYAML("url: ''", nil)
	require.NoError(t, err)
	_, err = newProcessor(conf, service.MockResources())
	require.ErrorContains(t, err, "API URL from $UNSTRUCTURED_API_URL is empty")
}

func TestTheServersCSV(t *testing.T) {
	srv := newServer(t)
	p := newTestProcessor(t, "output_format: text/csv\nurl: "+srv.URL)
	out, err := p.Process(t.Context(), message(partitiontest.NewPDF(4), "a.pdf"))
	require.NoError(t, err)
	content, err := out[0].AsBytes()
	require.NoError(t, err)
	require.Equal(t, 5, strings.Count(string(content), "\n"), "a line of names and a line for each page")
}

func TestWrongConfigurations(t *testing.T) {
	t.Setenv(partition.EnvAPIKey, "")
	t.Setenv(partition.EnvAPIURL, "") // to be restored
	require.NoError(t, os.Unsetenv(partition.EnvAPIURL))
	tests := []struct{ name, config, want string }{
		{"no server", "{}", "no API key and no server: set api_key"},
		{"two servers", "local: true\nurl: http://localhost:8000", "local: true goes without url"},
		{"no URL", "url: '::'", "API URL"},
		{"no preset", "local: true\nretry: fast", `field retry: "fast": not one of unstructured`},
		{"no policy", "local: true\nretry: {rules: 1}", "field retry: "},
		{"CSV of elements", "local: true\noutput: elements\noutput_format: text/csv", "output elements goes without output_format text/csv"},
		{"no pages", "local: true\npages: three", "field pages: "},
		{"no time", "local: true\noutage_pause: 0s", "field outage_pause: no time at all"},
		{"owned field", "local: true\nextra: {split_pdf_page: true}", "field extra: parameter split_pdf_page"},
		{"no directory", "local: true\ncache_dir: /dev/null", "cache unavailable"},
		{"too fine", "local: true\nsplit_concurrency: 51", "field split_concurrency: not 1 to 50"},
		{"nothing in flight", "local: true\nin_flight: 0", "in flight"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conf, err := spec().ParseYAML(tt.config, nil)
			require.NoError(t, err)
			_, err = newProcessor(conf, service.MockResources())
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestFieldsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		require.False(t, seen[r.name], r.name)
		require.True(t, strings.HasSuffix(r.help, "."), r.name)
		seen[r.name] = true
	}
}

// Parents are repaired by default, where that is proven.
func TestD4RepairParents(t *testing.T) {
	srv := newServer(t)
	for config, want := range map[string]*bool{"": nil, "repair_parents: true\n": nil, "repair_parents: false\n": new(false)} {
		p := newTestProcessor(t, config+"url: "+srv.URL)
		require.Equal(t, want, p.params.Split.RepairParents, config)
	}
}

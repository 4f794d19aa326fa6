package partition_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// A 200 that is whole and no partition answer is asked for twice; one that breaks off is another
// draw each time.
func TestD8NoPartitionAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		do       partitiontest.Action
		requests int
		kind     partition.Kind
	}{
		"HTML":          {partitiontest.HTMLPage(200), 2, partition.KindBadResponse},
		"object":        {partitiontest.Reply(200, `{"elements":[]}`), 2, partition.KindBadResponse},
		"nothing":       {partitiontest.Empty(), 2, partition.KindBadResponse},
		"text":          {partitiontest.Reply(200, "OK"), 2, partition.KindBadResponse},
		"no status 200": {partitiontest.Reply(202, `[]`), 2, partition.KindBadResponse},
		"truncated":     {partitiontest.Truncate(20), 4, partition.KindTransport},
		"cut JSON":      {partitiontest.InvalidJSON(), 4, partition.KindTransport},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: test.do})
				_, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{})
				require.Equal(t, test.kind, partition.KindOf(err))
				require.Len(t, s.Requests(), test.requests)
			})
		})
	}
}

// Who asks for a table and gets something else is told so; a table, even an odd one, passes as it
// is.
func TestD8NoTable(t *testing.T) {
	for name, test := range map[string]struct {
		body, want string
	}{
		"list":          {`[{"type":"Title","element_id":"1","text":"a","metadata":{}}]`, "the body is JSON, not the table that output_format text/csv asks for"},
		"empty list":    {`[]`, "the body is JSON"},
		"object":        {`  {"detail":"x"}`, "the body is JSON"},
		"with a mark":   {"\xef\xbb\xbf\r\n[]", "the body is JSON"},
		"page":          {"<html></html>", "the body is an HTML page"},
		"table":         {"type,element_id,text\nTitle,1,[a]\n", ""},
		"quoted header": {"\"type\",\"text\"\n", ""},
		"nothing":       {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
				s.Script(partitiontest.Fault{Do: partitiontest.Reply(200, test.body)})
				result, err := newClient(t, s).Partition(t.Context(), text("hello"), partition.Params{OutputFormat: partition.OutputCSV})
				if test.want == "" {
					require.NoError(t, err)
					require.Equal(t, test.body, string(result.CSV))
					return
				}
				require.ErrorContains(t, err, test.want)
				require.Equal(t, partition.KindBadResponse, partition.KindOf(err))
				require.Empty(t, result.CSV)
				require.Len(t, s.Requests(), 2)
			})
		})
	}
}

// The only document under way has nobody to go by but the health check: it is done with once the
// server says that it works, and is no reason to try again later. A smaller request is another one.
func TestD1TheOnlyDocument(t *testing.T) {
	same := partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Detail(500, "cannot render")}
	t.Run("alone", func(t *testing.T) {
		bubble(t, partitiontest.Options{Prefix: "/gate"}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(partitiontest.Fault{Do: partitiontest.Detail(500, "cannot render")})
			start := time.Now()
			_, err := newClient(t, s, partition.WithMaxRequests(3), partition.WithAPIKey("secret")).Partition(t.Context(), text("hello"), partition.Params{})
			var api *partition.APIError
			require.ErrorAs(t, err, &api)
			require.Equal(t, partition.KindServer, api.Kind)
			require.False(t, api.Transient())
			require.False(t, api.Final)
			require.Equal(t, 3, api.Attempts)
			require.Less(t, time.Since(start), 7*time.Second)
			var asked []string
			for _, r := range s.Requests() {
				asked = append(asked, r.Path)
			}
			require.Equal(t, []string{"/gate/general/v0/general", "/gate/general/v0/general", "/gate/general/v0/general", "/gate/healthcheck"}, asked)
			require.Empty(t, s.Requests()[3].Header.Get("Unstructured-Api-Key"))
		})
	})
	t.Run("narrowed", func(t *testing.T) {
		bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
			s.Script(same)
			params := partition.Params{Split: partition.Split{Narrow: true, AllowFailed: true}}
			result, err := newClient(t, s).Partition(t.Context(), pdf("a.pdf", 8), params)
			require.ErrorContains(t, err, "missing pages 3: ")
			require.Equal(t, []split.PageRange{{First: 3, Last: 3}}, result.Report.Missing)
		})
	})
}

// A server that has no health check to say that it works is given the whole time of the policy.
func TestD1NoHealthCheck(t *testing.T) {
	bubble(t, partitiontest.Options{}, func(t *testing.T, s *partitiontest.Server) {
		hc := s.Client()
		next := hc.Transport
		hc.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodGet {
				r = r.Clone(r.Context())
				r.URL.Path = "/nowhere"
			}
			return next.RoundTrip(r)
		})
		s.Script(partitiontest.Fault{Do: partitiontest.Detail(500, "cannot render")})
		start := time.Now()
		_, err := newClient(t, s, partition.WithHTTPClient(hc)).Partition(t.Context(), text("hello"), partition.Params{})
		var api *partition.APIError
		require.ErrorAs(t, err, &api)
		require.True(t, api.Transient())
		require.Greater(t, time.Since(start), 14*time.Minute)
	})
}

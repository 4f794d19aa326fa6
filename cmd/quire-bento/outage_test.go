package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// files are the names of what arrived.
func files(srv *partitiontest.Server) []string {
	var names []string
	for _, r := range srv.Requests() {
		names = append(names, r.File)
	}
	return names
}

func TestAnOutageIsWaitedOut(t *testing.T) {
	gone := partitiontest.Detail(503, "upstream connect error")
	tests := []struct {
		name   string
		faults []partitiontest.Fault
		want   []string
	}{
		{
			"key refused",
			[]partitiontest.Fault{{Times: 3, Do: partitiontest.Detail(401, "API key is malformed")}},
			[]string{"x", "probe.txt", "probe.txt", "probe.txt", "x"},
		},
		{
			"quota",
			[]partitiontest.Fault{{Times: 2, Do: partitiontest.Detail(402, "Payment required")}},
			[]string{"x", "probe.txt", "probe.txt", "x"},
		},
		{"gone", []partitiontest.Fault{{Times: 3, Do: gone}}, []string{"x", "x", "probe.txt", "probe.txt", "x"}},
		{"gone twice", []partitiontest.Fault{
			{File: "x", Times: 4, Do: gone},
			{File: "probe.txt", Attempt: 1, Do: gone},
			{File: "probe.txt", Attempt: 3, Do: partitiontest.Reset()},
		}, []string{"x", "x", "probe.txt", "probe.txt", "x", "x", "probe.txt", "probe.txt", "x"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := newServer(t, tt.faults...)
			p := newTestProcessor(t, "url: "+srv.URL+"\noutage_pause: 1ms\ncache_dir: "+t.TempDir()+"\n"+twice)
			out, err := p.Process(t.Context(), message([]byte("text"), "x"))
			require.NoError(t, err)
			require.Len(t, out, 1)
			require.Equal(t, tt.want, files(srv))
		})
	}
}

func TestAnOutageMayBeAnError(t *testing.T) {
	srv := newServer(t, partitiontest.Fault{Do: partitiontest.Detail(401, "API key is malformed")})
	p := newTestProcessor(t, "url: "+srv.URL+"\non_outage: error\n")
	m := message([]byte("text"), "x")
	_, err := p.Process(t.Context(), m)
	require.ErrorContains(t, err, "401")
	require.Equal(t, []string{"x", "probe.txt"}, files(srv))
	require.Equal(t, map[string]string{
		"path": "inbox/x", "quire_error_kind": "auth", "quire_error_final": "false", "quire_error_status": "401", "quire_error_pages": "",
		"quire_error_outage": "true",
	}, metadata(t, m))
}

// A document that breaks the server again and again is its own fault as long as others get through.
func TestABadDocumentIsNoOutage(t *testing.T) {
	for name, fault := range map[string]partitiontest.Action{
		"connection lost": partitiontest.Reset(), "no JSON": partitiontest.HTMLPage(200), "server error": partitiontest.Detail(500, "boom"),
	} {
		t.Run(name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Fault{File: "x", Do: fault})
			p := newTestProcessor(t, "url: "+srv.URL+"\n"+twice)
			m := message([]byte("text"), "x")
			_, err := p.Process(t.Context(), m)
			require.Error(t, err)
			require.NotContains(t, metadata(t, m), "quire_error_outage")
			require.Equal(t, "probe.txt", files(srv)[len(files(srv))-1])
		})
	}
}

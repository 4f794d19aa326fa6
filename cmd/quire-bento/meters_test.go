package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

func TestMetrics(t *testing.T) {
	srv := newServer(t,
		partitiontest.Fault{File: "busy.pdf", Attempt: 1, Times: 2, Do: partitiontest.Detail(503, "busy")},
		partitiontest.Fault{File: "bad.txt", Do: partitiontest.Detail(422, "Cannot be read.")},
	)
	_, metrics := runStream(t, "quire_partition: {url: '"+srv.URL+"', cache_dir: '"+t.TempDir()+"', "+twiceInline+"}",
		message(partitiontest.NewPDF(5), "busy.pdf"), message(partitiontest.NewPDF(5), "busy.pdf"), message([]byte("text"), "bad.txt"))
	for name, want := range map[string]string{
		"quire_documents":                        "3",
		"quire_pages":                            "10",
		"quire_elements":                         "10",
		"quire_requests":                         "6", // three chunks and two repetitions; the bad one
		"quire_cache_hits":                       "3",
		"quire_in_flight":                        "0",
		"quire_document_latency_ns_count":        "3",
		`quire_retries\{[^}]*rule="again"`:       "2",
		`quire_failed\{[^}]*kind="bad_document"`: "1",
	} {
		require.Regexp(t, `(?m)^`+name+`.*\} `+want+`$`, metrics)
	}
}

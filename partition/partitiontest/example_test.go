package partitiontest_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// A server that fails once, for good, and the record of what the client did.
func Example() {
	srv := partitiontest.NewServer(partitiontest.Options{})
	defer srv.Close()
	srv.Script(partitiontest.Fault{
		File: "*.pdf", Attempt: 1,
		Do: partitiontest.Reply(503, `{"detail": "OCR timed out", "retryable": false}`),
	})

	client, err := partition.New(partition.WithBaseURL(srv.URL), partition.WithHTTPClient(srv.Client()))
	if err != nil {
		fmt.Println(err)
		return
	}
	pdf := partitiontest.NewPDF(2)
	for range 2 {
		document := partition.FromReaderAt("report.pdf", bytes.NewReader(pdf), int64(len(pdf)))
		result, err := client.Partition(context.Background(), document, partition.Params{})
		fmt.Println(len(result.Elements), "elements, error:", err != nil)
	}
	for _, r := range srv.Requests() {
		fmt.Println(r.File, "pages", r.Pages, "attempt", r.Attempt, "status", r.Status)
	}
	fmt.Println(len(srv.Violations()), "violations")
	// Output:
	// 0 elements, error: true
	// 2 elements, error: false
	// report.pdf pages 1-2 attempt 1 status 503
	// report.pdf pages 1-2 attempt 2 status 200
	// 0 violations
}

package retry_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/quire-dev/quire/retry"
)

// A server that is throttled once, then says that the document itself is the
// problem: the second answer is returned as it is, whatever budget is left.
func Example() {
	answers := []string{`{"detail": "slow down"}`, `{"detail": "OCR timed out", "retryable": false}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
	defer server.Close()

	policy, _ := retry.Preset("unstructured")
	policy.Backoff.Initial = 10 * time.Millisecond // instead of a second
	transport := retry.NewTransport()
	defer transport.CloseIdleConnections()
	client := &retry.Client{
		HTTP:   &http.Client{Transport: transport},
		Policy: policy,
		Limit:  retry.NewLimiter(10),
	}
	resp, trace, err := client.Do(context.Background(), retry.Call{
		Method: "POST",
		URL:    server.URL + "/general/v0/general",
		Body:   retry.BytesBody([]byte("a form with a document")),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body))
	fmt.Println(len(trace.Attempts), "attempts, stopped by:", trace.Stop)
	// Output:
	// 503 {"detail": "OCR timed out", "retryable": false}
	// 2 attempts, stopped by: declared final
}

// What a policy says to an answer, without a server and without waiting.
func ExamplePolicy_Decide() {
	policy, _ := retry.Preset("unstructured-python")
	answer := retry.Observation{Status: 503, Peek: []byte(`{"detail":"x"}`), PeekEOF: true}
	for i, elapsed := range []time.Duration{0, 20, 61, 141, 231, 321} {
		d := policy.Decide(retry.State{Attempt: i + 1, Elapsed: elapsed * time.Second}, answer)
		if d.Action == retry.Return {
			fmt.Println(i+1, d.Action, d.Stop)
		} else {
			fmt.Println(i+1, d.Action, d.Wait.Min)
		}
	}
	// Output:
	// 1 retry 20s
	// 2 retry 40s
	// 3 retry 1m20s
	// 4 retry 1m30s
	// 5 retry 1m30s
	// 6 return soft elapsed
}

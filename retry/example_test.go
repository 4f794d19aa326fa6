package retry_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/quire-dev/quire/retry"
)

// A server that is throttled once, then says that the document itself is the problem: the second
// answer is returned as it is, whatever budget is left.
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
	request, err := http.NewRequest(http.MethodPost, server.URL+"/general/v0/general", strings.NewReader("a form with a document"))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, trace, err := client.Do(context.Background(), retry.Call{Request: request})
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

// What a policy does with a server that always fails, without a server and without waiting.
func ExamplePolicy_Play() {
	policy, _ := retry.Preset("unstructured-python")
	trace := policy.Play(func(int) retry.Outcome {
		return retry.Outcome{Status: http.StatusServiceUnavailable, Body: []byte(`{"detail":"x"}`)}
	})
	for _, attempt := range trace.Attempts {
		fmt.Println(attempt.Attempt, attempt.Status, attempt.Rule, attempt.Wait)
	}
	fmt.Println("stopped by", trace.Stop, "after", trace.Elapsed)
	// Output:
	// 1 503 server error 20.5s
	// 2 503 server error 40.5s
	// 3 503 server error 1m20.5s
	// 4 503 server error 1m30s
	// 5 503 server error 1m30s
	// 6 503 server error 0s
	// stopped by soft_elapsed after 5m21.5s
}

// What a policy says to one answer.
func ExamplePolicy_Explain() {
	policy, _ := retry.Preset("unstructured")
	verdict := retry.Outcome{Status: http.StatusServiceUnavailable, Body: []byte(`{"detail":"OCR timed out","retryable":false}`)}
	fmt.Print(policy.Explain(retry.Call{}, retry.Trace{}, verdict))
	// Output:
	// return after 1 attempt
	// policy: unstructured
	// rule: 1, declared final (status 4XX, 5XX and body `"retryable": false`)
	// why: the server says that a retry fails in the same way
	// note: the server declared it final
}

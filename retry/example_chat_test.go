package retry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/quire-dev/quire/retry"
)

// chatClient posts chat completions to an OpenAI-compatible server.
type chatClient struct {
	retry *retry.Client
	url   string
}

// complete returns the answer, or an error that says what the server said.
func (c *chatClient) complete(ctx context.Context, payload map[string]any) (map[string]any, error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	call := retry.Call{Request: request}
	if _, ok := payload["chat_template_kwargs"]; ok {
		call.Patches = map[string]func(*http.Request) error{"drop_chat_template_kwargs": func(r *http.Request) error {
			delete(payload, "chat_template_kwargs")
			body, err := json.Marshal(payload)
			r.ContentLength = int64(len(body))
			r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
			return err
		}}
	}
	resp, trace, err := c.retry.Do(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("chat completion failed after retries: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode != http.StatusOK && trace.Stop == "client error":
		return nil, fmt.Errorf("non-retryable HTTP %d: %.200s", resp.StatusCode, text)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("chat completion failed after retries: HTTP %d: %.200s", resp.StatusCode, text)
	case trace.Stop == "not an object":
		return nil, errors.New("response is not a JSON object")
	}
	var answer map[string]any
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("chat completion failed after retries: %w", err)
	}
	return answer, nil
}

// Chat completions against servers of several tempers: one that does not know chat_template_kwargs,
// one that is busy, one that does not like the key.
func ExampleClient_Do_chatCompletions() {
	answers := []func(w http.ResponseWriter, body []byte){
		func(w http.ResponseWriter, body []byte) {
			http.Error(w, "unknown field chat_template_kwargs", http.StatusBadRequest)
		},
		func(w http.ResponseWriter, body []byte) { http.Error(w, "busy", http.StatusServiceUnavailable) },
		func(w http.ResponseWriter, body []byte) {
			fmt.Println("server got kwargs:", bytes.Contains(body, []byte("chat_template_kwargs")))
			io.WriteString(w, `{"choices":[{"message":{"content":"ok"}}]}`)
		},
		func(w http.ResponseWriter, body []byte) { http.Error(w, "invalid API key", http.StatusUnauthorized) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answers[0](w, body)
		answers = answers[1:]
	}))
	defer server.Close()
	policy, _ := retry.Preset("openai-compatible")
	policy.Backoff.Initial = time.Millisecond
	transport := retry.NewTransport()
	defer transport.CloseIdleConnections()
	chat := &chatClient{retry: &retry.Client{HTTP: &http.Client{Transport: transport}, Policy: policy}, url: server.URL}

	payload := map[string]any{"messages": []any{}, "chat_template_kwargs": map[string]any{"enable_thinking": false}}
	fmt.Println(chat.complete(context.Background(), payload))
	fmt.Println(chat.complete(context.Background(), payload))
	// Output:
	// server got kwargs: false
	// map[choices:[map[message:map[content:ok]]]] <nil>
	// map[] non-retryable HTTP 401: invalid API key
}

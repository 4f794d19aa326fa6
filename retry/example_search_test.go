package retry_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quire-dev/quire/retry"
)

// workedKeys remembers by their hashes which keys have worked, in memory and in a file that only
// its owner reads.
type workedKeys struct {
	path string
	mu   sync.Mutex
	keys []string
}

func openWorkedKeys(path string) (*workedKeys, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &workedKeys{path: path, keys: strings.Fields(string(data))}, nil
}

func (w *workedKeys) hash(key string) string {
	sum := sha256.Sum256([]byte("search-api key " + key))
	return hex.EncodeToString(sum[:])
}

func (w *workedKeys) has(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.keys, w.hash(key))
}

func (w *workedKeys) add(key string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(w.keys, w.hash(key)) {
		return nil
	}
	w.keys = append(w.keys, w.hash(key))
	return os.WriteFile(w.path, []byte(strings.Join(w.keys, "\n")+"\n"), 0o600)
}

// searchClient asks a metered search API.
type searchClient struct {
	retry  *retry.Client
	url    string
	key    string
	worked *workedKeys
}

func (c *searchClient) search(ctx context.Context, query string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/search?limit=100&q="+query, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	resp, trace, err := c.retry.Do(ctx, retry.Call{
		Request: request,
		Facts:   map[string]bool{"key_worked": c.worked.has(c.key)},
		Patches: map[string]func(*http.Request) error{"narrow": func(r *http.Request) error {
			q := r.URL.Query()
			q.Set("limit", "10")
			r.URL.RawQuery = q.Encode()
			return nil
		}},
	})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("HTTP %d (%s, %d attempts)", resp.StatusCode, trace.Stop, len(trace.Attempts))
	}
	if trace.Partial {
		fmt.Println("incomplete: part of the corpus was out of reach")
	}
	return string(text), c.worked.add(c.key)
}

// A new key that has not propagated yet, a query that is too expensive, a corpus of which a part is
// out of reach, and a key that was revoked.
func ExampleClient_Do_search() {
	answers := []func(w http.ResponseWriter, r *http.Request){
		func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) },
		func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"results":["a"]}`) },
		func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(408) },
		func(w http.ResponseWriter, r *http.Request) {
			fmt.Println("narrowed to", r.URL.Query().Get("limit"))
			io.WriteString(w, `{"results":["b"],"partial":true}`)
		},
		func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"results":["b","c"]}`) },
		func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers[0](w, r)
		answers = answers[1:]
	}))
	defer server.Close()
	dir, err := os.MkdirTemp("", "search")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	worked, err := openWorkedKeys(filepath.Join(dir, "keys"))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, _ := retry.Preset("search-api")
	policy.Backoff.Initial = time.Millisecond
	for i := range policy.Rules { // the example does not wait a minute for the key
		if policy.Rules[i].Name == "new key" {
			policy.Rules[i].Wait = "1ms"
		}
	}
	transport := retry.NewTransport()
	defer transport.CloseIdleConnections()
	client := &searchClient{
		retry: &retry.Client{HTTP: &http.Client{Transport: transport}, Policy: policy},
		url:   server.URL, key: "k-123", worked: worked,
	}
	for _, query := range []string{"a", "b", "c"} {
		fmt.Println(client.search(context.Background(), query))
	}
	// Output:
	// {"results":["a"]} <nil>
	// narrowed to 10
	// {"results":["b","c"]} <nil>
	//  HTTP 401 (revoked key, 1 attempts)
}

//go:build conformance

package page_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// A browser is Debian's chromium without a window. Everything that a page asks for goes through a
// proxy that answers nothing.
type browser struct {
	program string
	proxy   *httptest.Server

	mu    sync.Mutex
	asked []string // of what is not the browser's own
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	b := &browser{program: program}
	b.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if strings.Contains(r.Host, "evil.example") { // the browser has requests of its own
			b.asked = append(b.asked, r.Method+" "+r.URL.String())
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(b.proxy.Close)
	if err := starts(b); err != nil {
		t.Skipf("chromium does not start here: %v", err)
	}
	return b
}

var starting struct {
	sync.Once
	err error
}

// starts reports, once for all tests, whether a browser comes up and shows a page of nothing.
func starts(b *browser) error {
	starting.Do(func() {
		profile, err := os.MkdirTemp("", "quire-chromium-*")
		if err == nil {
			defer os.RemoveAll(profile)
			_, err = b.run(context.Background(), profile, "about:blank")
		}
		starting.err = err
	})
	return starting.err
}

// run shows a page in a browser of its own, and returns what the page has become.
func (b *browser) run(ctx context.Context, profile, url string) (*bytes.Buffer, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, b.program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+profile, "--proxy-server="+b.proxy.Listener.Addr().String(),
		"--proxy-bypass-list=<-loopback>", "--virtual-time-budget=3000", "--dump-dom", url)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr, c.WaitDelay = &stdout, &stderr, 10*time.Second
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%w: %.2000s", err, stderr.String())
	}
	return &stdout, nil
}

// open opens the first page, lets it and what is in it run for some time of its own, and returns
// whether a script ran in it, and what all of them asked for. The other pages, by file name, lie
// beside it.
func (b *browser) open(t *testing.T, first []byte, others map[string][]byte) (owned bool, asked []string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "first.html")
	require.NoError(t, os.WriteFile(file, first, 0o600))
	for name, data := range others {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	b.mu.Lock()
	b.asked = nil
	b.mu.Unlock()
	stdout, err := b.run(t.Context(), filepath.Join(dir, "profile"), "file://"+file)
	if err != nil { // a crash of its own, on a machine that is busy: the page has another chance
		t.Logf("once more: %v", err)
		stdout, err = b.run(t.Context(), filepath.Join(dir, "again"), "file://"+file)
	}
	require.NoError(t, err)
	root, err := html.Parse(stdout)
	require.NoError(t, err)
	shown := false
	for n := range root.Descendants() {
		shown = shown || n.Type == html.ElementNode && n.Data == "main"
		owned = owned || slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-owned" })
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	require.True(t, shown || len(b.asked) > 0, "the page was shown, or has gone to another one")
	return owned, b.asked
}

// frames is a page that shows others.
func frames(names []string) []byte {
	var page strings.Builder
	page.WriteString("<!DOCTYPE html><title>frames</title><main></main>")
	for _, name := range names {
		fmt.Fprintf(&page, "<iframe src=%q></iframe>", name)
	}
	return []byte(page.String())
}

// Without the escaping scripts run and requests are made, and the tests below would see it: alone
// and in a frame.
func TestChromiumSeesAttacks(t *testing.T) {
	b := newBrowser(t)
	texts := hostile()
	raw := func(name string) []byte {
		return []byte("<!DOCTYPE html><html><head><title>x</title></head><body><main>" + texts[name] + "</main></body></html>")
	}
	for _, name := range []string{"script", "event handler", "svg", "details"} {
		owned, asked := b.open(t, raw(name), nil)
		require.True(t, owned, name)
		require.NotEmpty(t, asked, name)
	}
	names := []string{
		"script", "script source", "event handler", "remote image", "svg", "svg use", "style", "style attribute", "stylesheet", "refresh",
		"iframe", "object", "media", "details", "end of title", "table",
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, asked := newBrowser(t).open(t, frames([]string{"framed.html"}), map[string][]byte{"framed.html": raw(name)})
			require.NotEmpty(t, asked)
		})
	}
}

// The pages as they are run no script and ask for nothing.
func TestChromiumRunsNothing(t *testing.T) {
	b := newBrowser(t)
	all := hostile()["all"]
	for name, data := range map[string][]byte{"view": hostileView(t, all), "run": hostileRun(t, all)} {
		owned, asked := b.open(t, data, nil)
		require.False(t, owned, name)
		require.Empty(t, asked, name)
	}
}

// Each text by itself does nothing, even in pages whose Content-Security-Policy was taken away.
func TestChromiumRunsNothingWithoutPolicy(t *testing.T) {
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	b := newBrowser(t)
	texts := hostile()
	pages := map[string][]byte{}
	for i, name := range sorted(texts) {
		for kind, data := range map[string][]byte{"view": hostileView(t, texts[name]), "run": hostileRun(t, texts[name])} {
			require.Len(t, policy.FindAll(data, -1), 1)
			pages[fmt.Sprintf("%s%d.html", kind, i)] = policy.ReplaceAll(data, nil)
		}
	}
	_, asked := b.open(t, frames(slices.Sorted(maps.Keys(pages))), pages)
	require.Empty(t, asked)
	// The last one of them is owned, and is seen among the others.
	pages["zz.html"] = []byte(`<!DOCTYPE html><img src="x" onerror="` + attack + `">`)
	_, asked = b.open(t, frames(slices.Sorted(maps.Keys(pages))), pages)
	require.NotEmpty(t, asked)
}

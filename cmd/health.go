package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quire-dev/quire/cmd/internal/outcome"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
)

// healthTime is the time limit of the health check, unless --timeout sets another.
const healthTime = 10 * time.Second

// httpClient returns an HTTP client with the proxy and certificates of the API client. It follows
// no redirects.
func (f *doctorFlags) httpClient(client *apiClient) (*http.Client, error) {
	hc := &http.Client{}
	if client.engine != nil {
		hc.Transport = client.engine.RoundTripper()
	} else {
		made, err := f.client.httpClient()
		if err != nil {
			return nil, err
		}
		hc = made
	}
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return hc, nil
}

// healthRequest returns a request for /healthcheck, below the same path prefix as the endpoint. It
// has what a gateway may want, the headers of --header and the credentials of the URL, but not the
// API key, which no health check needs.
func (f *doctorFlags) healthRequest(sh *shell, client *apiClient) (*http.Request, error) {
	u, err := url.Parse(client.URL())
	if err != nil {
		return nil, err
	}
	if given, err := url.Parse(cmp.Or(f.client.url, sh.env[partition.EnvAPIURL])); err == nil {
		u.User = given.User
	}
	// The end of the endpoint is /general/v0/general.
	request, err := http.NewRequest(http.MethodGet, u.JoinPath("..", "..", "..", "healthcheck").String(), http.NoBody) //nolint:noctx // it gets one when it is sent
	if err != nil {
		return nil, err
	}
	for _, header := range f.client.headers {
		name, value, _ := strings.Cut(header, ":") // newClient has checked it
		request.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "quire/"+partition.Version)
	}
	return request, nil
}

// health requests the health check, and reports whether it makes sense to send a document. Messages
// call the request where.
func (f *doctorFlags) health(ctx context.Context, d *diagnosis, hc *http.Client, request *http.Request, where string) bool {
	limited, cancel := context.WithTimeoutCause(ctx, f.healthLimit, &outcome.TimeLimit{Limit: f.healthLimit})
	defer cancel()
	start := time.Now()
	response, err := wire.Do(hc, request.WithContext(limited))
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // it repeats the URL
		}
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		d.fail(exitUnavailable, "health", "%s: %s%s", where, err, hint(err))
		return false
	}
	defer response.Body.Close()
	head, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // what came is enough to tell a page from an answer
	answer := fmt.Sprintf("%s: %d %s", where, response.StatusCode, http.StatusText(response.StatusCode))
	switch status := response.StatusCode; {
	case status/100 == 2 && bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")):
		d.say(stepWarn, "health", "%s, but it is an HTML page; is this the URL of a partition API?", answer)
	case status/100 == 2:
		d.say(stepOK, "health", "%s in %s", answer, rounded(time.Since(start)))
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		d.say(stepWarn, "health", "no health check at %[2]s (%[1]d); some servers have none", status, where)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		d.say(stepWarn, "health", "%s; the health check is sent without the key", answer)
	case status/100 == 3:
		d.fail(exitFailed, "health", "%s: refused a redirect to %s; use the URL that it leads to", answer, target(response))
		return false
	case status >= 500 || status == http.StatusTooManyRequests:
		d.fail(exitUnavailable, "health", "%s", answer)
	default:
		d.say(stepWarn, "health", "%s", answer)
	}
	return true
}

// target is where a redirect leads, without credentials and query.
func target(response *http.Response) string {
	to, err := response.Location()
	if err != nil {
		return "nowhere"
	}
	return shown(to)
}

// shown is a URL that messages may have: without credentials and query.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// proxy names the proxy that requests go through, without its credentials.
func (d *diagnosis) proxy(sh *shell, hc *http.Client, request *http.Request) {
	variable := strings.ToUpper(request.URL.Scheme) + "_PROXY"
	var used *url.URL
	if transport, made := hc.Transport.(*http.Transport); made && transport.Proxy != nil {
		used, _ = transport.Proxy(request) // what is no proxy is not used; the request says so
	}
	switch {
	case used != nil:
		d.say(stepOK, "proxy", "%s (from $%s)", used.Host, variable)
	case cmp.Or(sh.env[variable], sh.env[strings.ToLower(variable)]) != "":
		d.say(stepOK, "proxy", "none for this URL, although $%s is set: $NO_PROXY excludes the URL, it is on this machine, or the variable is not a URL", variable)
	default:
		d.say(stepOK, "proxy", "none")
	}
}

package partition

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/quire-dev/quire/partition/internal/text"
)

const (
	// HostedURL is the base of the hosted API.
	HostedURL = "https://api.unstructuredapp.io"

	endpointPath = "/general/v0/general"
	platformHost = "platform.unstructuredapp.io"
)

// An endpoint is where partition requests go.
type endpoint struct {
	url    *url.URL
	hosted bool // the vendor's own service, which needs a key
}

// parseEndpoint reads a base URL or a whole endpoint. Blanks around it and trailing slashes are
// dropped, a missing scheme is http for this machine and https elsewhere, a path before
// /general/v0/general is a gateway's prefix and is kept. The hosted API has no prefix and is https,
// whatever was typed.
func parseEndpoint(given string) (endpoint, error) {
	given = strings.TrimSpace(given)
	if !strings.Contains(given, "://") {
		given = guessScheme(given) + "://" + given
	}
	u, err := url.Parse(given)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // the parse error repeats the whole URL, credentials included
		}
		return endpoint{}, fmt.Errorf("API URL: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return endpoint{}, fmt.Errorf("API URL: scheme %s is neither http nor https", text.Printable(u.Scheme))
	case u.Hostname() == "":
		return endpoint{}, errors.New("API URL: no host")
	case strings.EqualFold(u.Hostname(), platformHost):
		return endpoint{}, fmt.Errorf("API URL: %s is the platform API; the partition API is %s", platformHost, HostedURL)
	}
	hosted := isHosted(u.Hostname())
	if hosted {
		u = &url.URL{Scheme: "https", Host: u.Host}
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawPath = ""
	u.Path = strings.TrimRight(u.Path, "/")
	if !isEndpointPath(u.Path) {
		u.Path += endpointPath
	}
	return endpoint{url: u, hosted: hosted}, nil
}

func guessScheme(given string) string {
	host, _, _ := strings.Cut(given, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	if strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsPrivate()) || !strings.Contains(host, ".") {
		return "http"
	}
	return "https"
}

func isHosted(host string) bool {
	host = strings.ToLower(host)
	return host == "unstructuredapp.io" || strings.HasSuffix(host, ".unstructuredapp.io") || host == "api.unstructured.io"
}

// isEndpointPath reports whether a path is /general/VERSION/general, behind any prefix.
func isEndpointPath(p string) bool {
	parts := strings.Split(p, "/")
	n := len(parts)
	return n >= 4 && parts[n-1] == "general" && parts[n-3] == "general" && parts[n-2] != ""
}

// String is the URL without credentials and query, fit to be shown.
func (e endpoint) String() string {
	shown := url.URL{Scheme: e.url.Scheme, Host: e.url.Host, Path: e.url.Path}
	return text.Printable(shown.String())
}

package local

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Guard protects a server on the loopback interface from web pages in the user's browser. It lets a
// request through if its Host is localhost, 127.0.0.1, [::1] or one of hosts (names without port),
// on any port. If the request has an Origin, that must be the same host and port. Other requests
// get 403 in the API's error format. Guard stops DNS rebinding and cross-site posts, but not
// programs on this machine.
func Guard(h http.Handler, hosts ...string) http.Handler {
	allowed := []string{"localhost", "127.0.0.1", "::1"}
	for _, host := range hosts {
		allowed = append(allowed, strings.ToLower(strings.Trim(host, "[]")))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case h == nil:
			writeFailure(w, &failure{status: http.StatusInternalServerError, detail: "Guard was given no handler."})
		case !slices.Contains(allowed, hostName(r.Host)):
			writeFailure(w, &failure{status: http.StatusForbidden, detail: "Host is not allowed."})
		case !sameOrigin(r):
			writeFailure(w, &failure{status: http.StatusForbidden, detail: "Origin is not allowed."})
		default:
			h.ServeHTTP(w, r)
		}
	})
}

func hostName(hostPort string) string {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort // without a port
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

func sameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	origin, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && origin.Host != "" && strings.EqualFold(origin.Host, r.Host)
}

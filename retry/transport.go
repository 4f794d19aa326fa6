package retry

import (
	"net/http"
	"time"
)

// NewTransport returns a transport for one server and many requests: a clone of
// [http.DefaultTransport], which takes its proxy from the environment, that keeps
// up to 256 idle connections and drops them after 4 s, before a self-hosted
// uvicorn does at its 5 s. It has no limit to headers: that is the policy's.
func NewTransport() *http.Transport {
	t, ok := http.DefaultTransport.(*http.Transport)
	if ok {
		t = t.Clone()
	} else {
		t = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second}
	}
	t.IdleConnTimeout = 4 * time.Second
	t.MaxIdleConns = 256
	t.MaxIdleConnsPerHost = 256
	t.ResponseHeaderTimeout = 0
	return t
}

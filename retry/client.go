package retry

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Client runs calls by a policy. The zero value is ready for use. Its exported members are set
// before the first call and not changed after; it may then be used by any number of goroutines and
// must not be copied. One client stands for one server: the gate, the pacer and the limit are
// shared by all its calls.
type Client struct {
	// HTTP sends the attempts; nil is a client on [NewTransport]. Redirects, cookies and its Timeout
	// are the caller's business; its transport is wrapped for each call, and its idle connections are
	// never closed here.
	HTTP *http.Client
	// Policy is for calls without one; nil is the preset unstructured.
	Policy *Policy
	// Limit bounds the attempts in flight; nil is no limit. It may be shared by several clients.
	Limit *Limiter
	// Logger gets a line for every event; nil is silent.
	Logger *slog.Logger

	once      sync.Once
	calls     atomic.Uint64
	http      *http.Client
	policy    *Policy
	queue     queue
	successes successes
	conns     connections
	random    func() float64 // draws jitter, uniform in 0..1; nil is math/rand/v2; set by tests alone
}

func (c *Client) init() {
	c.once.Do(func() {
		if c.http = c.HTTP; c.http == nil {
			c.http = &http.Client{Transport: NewTransport()}
		}
		if c.policy = c.Policy; c.policy == nil {
			c.policy, _ = Preset(defaultPolicy)
		}
		c.queue.limit, c.queue.rand = c.Limit, c.draw
		c.queue.pacer.on = c.policy.Pace
	})
}

// base is the transport of the client's HTTP.
func (c *Client) base() http.RoundTripper {
	c.init()
	return c.http.Transport
}

func (c *Client) draw() float64 {
	if c.random != nil {
		return c.random()
	}
	return rand.Float64()
}

// NewTransport returns a transport for one server and many requests: a clone of
// [http.DefaultTransport], which takes its proxy from the environment, that keeps up to 256 idle
// connections and drops them after 4 s, before a self-hosted uvicorn does at its 5 s. It has no
// limit to headers: that is the policy's.
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

package retry

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Client runs calls by a policy. The zero value is ready for use. Set its fields before the first
// call and do not change them afterwards. Any number of goroutines may use it; it must not be
// copied. Use one client per server: all its calls share the gate, the pacer and the limit.
type Client struct {
	// HTTP sends the attempts; nil means a client with [NewTransport]. Its redirects, cookies and
	// Timeout are up to the caller. Its transport is wrapped for each call. Its idle connections
	// are never closed here.
	HTTP *http.Client
	// Policy is for calls without one; nil means the preset "unstructured".
	Policy *Policy
	// Limit limits the attempts in flight; nil means no limit. Several clients may share it.
	Limit *Limiter
	// Logger gets a line for every event; nil means no log.
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

// NewTransport returns a transport for many requests to one server. It is a clone of
// [http.DefaultTransport], so it takes its proxy from the environment. It keeps up to 256 idle
// connections and closes them after 4 s; a self-hosted uvicorn closes them after 5 s. It does not
// limit the wait for a header, because the policy does.
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

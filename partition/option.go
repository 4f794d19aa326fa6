package partition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/quire-dev/quire/partition/internal/settings"
	"github.com/quire-dev/quire/partition/internal/text"
	"github.com/quire-dev/quire/retry"
)

// An Option sets up a client. [New] fails if an option cannot work.
type Option func(*config) error

type config struct {
	key      *string // nil: from the environment
	keyed    string  // where the key is from, for messages
	url      *string
	http     *http.Client
	header   http.Header
	policy   *retry.Policy
	inFlight int
	logger   *slog.Logger
	observe  func(context.Context, Event)
	cache    Cache
	refresh  bool
	grace    time.Duration
	engine   string
	requests int

	answersOnDisk, answersInMemory int64
	holdElements                   bool
}

// The environment variables that [New] reads if [WithAPIKey] or [WithBaseURL] is not given.
const (
	EnvAPIKey = "UNSTRUCTURED_API_KEY"
	EnvAPIURL = "UNSTRUCTURED_API_URL"
)

// WithAPIKey sets the key; "" sends none. Without this option it comes from $UNSTRUCTURED_API_KEY.
// The key is sent to the configured host only. It appears in no message, log line or error, even if
// the server repeats it.
func WithAPIKey(key string) Option {
	return func(c *config) error {
		c.key = &key
		return nil
	}
}

// WithBaseURL sets the URL of the API: a base URL such as http://localhost:8000, with or without a
// gateway's path prefix, or the full endpoint. Without this option it comes from
// $UNSTRUCTURED_API_URL; if that is not set either, it is [HostedURL]. An empty URL, here or in the
// variable, is an error of [New].
func WithBaseURL(url string) Option {
	return func(c *config) error {
		c.url = &url
		return nil
	}
}

// WithHTTPClient sets the HTTP client for every request, with its proxy, certificates and tracing.
// The client uses a copy that refuses redirects. Its Timeout, if set, limits each attempt,
// including reading the answer.
func WithHTTPClient(hc *http.Client) Option {
	return func(c *config) error {
		if hc == nil {
			return errors.New("HTTP client is nil")
		}
		if hc.Transport != nil && isNil(hc.Transport) {
			return fmt.Errorf("the transport of the HTTP client is a nil %T", hc.Transport)
		}
		c.http = hc
		return nil
	}
}

// WithHeader adds a header to every request, for a gateway. Headers that the client itself sets are
// refused.
func WithHeader(name, value string) Option {
	return func(c *config) error {
		switch canonical := http.CanonicalHeaderKey(strings.TrimSpace(name)); canonical {
		case "Content-Type", "Content-Length", "Transfer-Encoding", "Host", "Accept", "Accept-Encoding", keyHeader:
			return fmt.Errorf("header %s is set by the client", text.Printable(name))
		case "":
			return errors.New("header without a name")
		default:
			if !validHeaderName(canonical) || strings.ContainsAny(value, "\r\n\x00") {
				return fmt.Errorf("header %s: not a valid name or value", text.Printable(name))
			}
			c.header.Add(canonical, value)
			return nil
		}
	}
}

// WithRetryPolicy sets the policy that decides which requests are sent again, and when. The default
// is the preset "unstructured" of package retry.
func WithRetryPolicy(p *retry.Policy) Option {
	return func(c *config) error {
		if p == nil {
			return errors.New("retry policy is nil")
		}
		if err := p.Validate(); err != nil {
			return err
		}
		c.policy = p
		return nil
	}
}

// DefaultInFlight is the default limit of requests in flight for one client.
const DefaultInFlight = 10

// WithMaxInFlight sets how many requests run at once, over all documents of the client. The default
// is [DefaultInFlight]. It does not change any result.
func WithMaxInFlight(n int) Option {
	return func(c *config) error {
		if n < 1 {
			return fmt.Errorf("%d requests in flight: less than 1", n)
		}
		c.inFlight = n
		return nil
	}
}

// WithCache sets the cache of answers: a request that was answered once is not sent again. The
// default is none, as is nil.
func WithCache(cache Cache) Option {
	return func(c *config) error {
		if cache != nil && isNil(cache) {
			return fmt.Errorf("the cache is a nil %T", cache)
		}
		c.cache = cache
		return nil
	}
}

// WithRefresh sends every request, even if its answer is cached, and replaces the cached answer.
func WithRefresh() Option {
	return func(c *config) error {
		c.refresh = true
		return nil
	}
}

// The defaults of [WithAnswerSpace].
const (
	answersOnDisk   = 16 << 30
	answersInMemory = 2 << 30
)

// WithAnswerSpace sets how many bytes the answers under way may take in all, over all documents of
// the client: in temporary files, where [Split] says [DiskCached], and in memory, where it says
// [Buffered] or where temporary files cannot be written, as on a full disk. The defaults are
// 16 GiB and 2 GiB. An answer is under way from its first byte until
// its last element was yielded; chunks that wait to be sent count too.
//
// One answer may take half of a bound; one that is longer is an error of the server, [KindBadResponse].
// While more than half of a bound is taken, no chunk is begun but the one of each document that is
// delivered next. An answer for which there is no room all the same fails with [KindLocalIO]; where it
// was to be in a file that cannot be written, the error says why. The last sixteenth of a bound is only
// for answers of up to a 1024th of it, so that they have room beside others that never end.
func WithAnswerSpace(disk, memory int64) Option {
	return func(c *config) error {
		if disk < 1 || memory < 1 {
			return fmt.Errorf("%d bytes of answers on disk, %d in memory: less than 1", disk, memory)
		}
		c.answersOnDisk, c.answersInMemory = disk, memory
		return nil
	}
}

// WithGrace sets how long the client waits for requests under way when a document ends early,
// because of a failure or because its context ends. Their answers are paid for, so they are
// delivered, and go into the cache. The default is 20 s, less than the 30 s that Kubernetes gives a pod; 0 means no wait.
// Without a cache the client never waits.
func WithGrace(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("grace period of %s: negative", d)
		}
		c.grace = d
		return nil
	}
}

// WithSettings is for the programs of this module: see package wire.
func WithSettings(s settings.Settings) Option {
	return func(c *config) error {
		c.engine, c.keyed = cmp.Or(s.Engine, c.engine), cmp.Or(s.KeySource, c.keyed)
		c.holdElements = c.holdElements || s.HoldElements
		return nil
	}
}

// WithMaxRequests limits how many requests the client sends in all, retries included. A request
// beyond the limit is not sent: it fails with [KindBudget], and its error names the limit and the
// result of the last attempt. Requests under way are finished. 0, the default, means no limit.
func WithMaxRequests(n int) Option {
	return func(c *config) error {
		if n < 0 {
			return fmt.Errorf("limit of %d requests: negative", n)
		}
		c.requests = n
		return nil
	}
}

// WithLogger sets the logger; by default, and with nil, the client logs nothing.
func WithLogger(l *slog.Logger) Option {
	return func(c *config) error {
		if l != nil && isNil(l.Handler()) {
			return errors.New("the logger has no handler: it was not made by slog.New")
		}
		c.logger = l
		return nil
	}
}

// WithObserver sets a function that gets every [Event] as it happens. Several goroutines call it at
// once; it must not block. The default is none, as is nil.
func WithObserver(observe func(context.Context, Event)) Option {
	return func(c *config) error {
		c.observe = observe
		return nil
	}
}

func validHeaderName(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}) < 0
}

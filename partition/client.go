package partition

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quire-dev/quire/partition/internal/secret"
	"github.com/quire-dev/quire/partition/internal/settings"
	"github.com/quire-dev/quire/partition/internal/spool"
	"github.com/quire-dev/quire/retry"
)

// Version is the version of this module. The User-Agent header shows it.
const Version = "0.1.0"

const keyHeader = "Unstructured-Api-Key"

// ErrNoAPIKey is returned by New when the hosted API is used without a key.
var ErrNoAPIKey = errors.New("no API key for " + HostedURL + ": set " + EnvAPIKey + " or use WithAPIKey; for a server of your own set " +
	EnvAPIURL + " or use WithBaseURL")

// A Client sends documents to one partition API. It is safe for concurrent use. One limit of
// requests in flight holds for all its documents.
type Client struct {
	endpoint endpoint
	header   http.Header // of every request; holds the key
	keyed    string      // where the key is from, for messages
	redactor *secret.Redactor
	policy   *retry.Policy
	retry    *retry.Client
	logger   *slog.Logger
	observe  func(context.Context, Event)

	cache      Cache // nil: none
	refresh    bool
	grace      time.Duration
	engine     string     // in cache keys
	account    string     // in cache keys
	keyHeaders [][]string // in cache keys
	cacheOnce  sync.Once
	flights    flights
	space      *spool.Space // of the answers of all documents
	turns      elementTurns

	scratchOnce sync.Once // has a report said that temporary files cannot be written

	requests *countingTransport

	documents atomic.Int64 // under way
	answered  atomic.Int64 // chunks
}

// New returns a client and sends nothing. It returns an error for settings that cannot work: a bad
// URL, a malformed key, the hosted API without a key, a nil option.
func New(options ...Option) (*Client, error) {
	cfg := config{header: http.Header{}, inFlight: DefaultInFlight, grace: settings.Grace, answersOnDisk: answersOnDisk, answersInMemory: answersInMemory}
	for _, option := range options {
		if option == nil {
			return nil, fmt.Errorf("partition client: %w", errNilOption)
		}
		if err := option(&cfg); err != nil {
			return nil, fmt.Errorf("partition client: %w", err)
		}
	}
	key, keyed := cfg.apiKey()
	given, err := cfg.apiURL()
	var where endpoint
	if err == nil {
		where, err = parseEndpoint(given)
	}
	if err == nil {
		err = checkKey(key, keyed)
	}
	if err == nil && key == "" && where.hosted {
		err = ErrNoAPIKey
	}
	if err != nil {
		return nil, fmt.Errorf("partition client: %w", err)
	}
	c := &Client{
		endpoint: where, header: cfg.header, keyed: keyed, redactor: secret.New(secret.Of(key, cfg.header, where.url)...),
		policy: cfg.policy, logger: cfg.logger, observe: cfg.observe,
		space: spool.NewSpace(cfg.answersOnDisk, cfg.answersInMemory), turns: newElementTurns(cfg.holdElements),
		cache: cfg.cache, refresh: cfg.refresh, grace: cfg.grace, engine: cfg.engine, account: accountOf(key), keyHeaders: cfg.headersOf(),
	}
	if c.policy == nil {
		c.policy, _ = retry.Preset("unstructured")
	}
	if c.logger == nil {
		c.logger = slog.New(slog.DiscardHandler)
	}
	if key != "" {
		c.header.Set(keyHeader, key)
	}
	if c.header.Get("User-Agent") == "" {
		c.header.Set("User-Agent", "quire/"+Version)
	}
	hc := noRedirects(cfg.http)
	secret.Discreet(hc)
	c.requests = counted(hc, cfg.requests)
	c.retry = &retry.Client{
		HTTP: hc, Policy: c.policy, Limit: retry.NewLimiter(cfg.inFlight), Logger: c.logger,
	}
	return c, nil
}

// URL returns the endpoint for requests, without credentials and query; "" if the client was not
// made by [New].
func (c *Client) URL() string {
	if c == nil || c.endpoint.url == nil {
		return ""
	}
	return c.endpoint.String()
}

// Format prints the client's URL, whatever the verb: the client holds the key.
func (c *Client) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "partition.Client(%s)", c.URL())
}

func (c *config) apiKey() (key, from string) {
	key, from = os.Getenv(EnvAPIKey), "$"+EnvAPIKey
	if c.key != nil {
		key, from = *c.key, "WithAPIKey"
	}
	if c.keyed != "" {
		from = c.keyed
	}
	return strings.TrimSpace(key), from
}

// apiURL is the URL that was given, [HostedURL] without one. One that is empty is an error: it was
// to be another.
func (c *config) apiURL() (string, error) {
	given, set := os.LookupEnv(EnvAPIURL)
	from := "$" + EnvAPIURL
	if c.url != nil {
		given, set, from = *c.url, true, "WithBaseURL"
	}
	switch {
	case !set:
		return HostedURL, nil
	case strings.TrimSpace(given) == "":
		return "", errors.New("API URL from " + from + " is empty: without one it is " + HostedURL)
	default:
		return given, nil
	}
}

// checkKey refuses a key that cannot be a header's value, without showing it.
func checkKey(key, from string) error {
	for _, r := range key {
		if r <= ' ' || r >= 0x7f {
			return errors.New("API key from " + from + " contains a blank, a control character or a non-ASCII character")
		}
	}
	return nil
}

// noRedirects copies the caller's client, or makes one, so that a redirect comes back as an answer:
// following it would carry the key and the document to another host.
func noRedirects(hc *http.Client) *http.Client {
	refusing := http.Client{}
	if hc != nil {
		refusing = *hc
	} else {
		refusing.Transport = retry.NewTransport()
	}
	refusing.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &refusing
}

package main

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/cache"
	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/local"
	"github.com/quire-dev/quire/partition/wire"
)

// A client sends documents, with all that has to be closed after it.
type client struct {
	*partition.Client
	probe  *partition.Client // has no cache and tries once
	engine *local.Engine     // nil with a server
	cached *cache.Dir        // nil without a cache

	born    time.Time
	users   int
	retired bool
}

// openClient makes the client that the settings ask for.
func openClient(s *settings, observe observer, log *service.Logger) (c *client, err error) {
	c = &client{born: time.Now()}
	defer func(opened *client) {
		if err != nil {
			err = errors.Join(err, opened.close())
		}
	}(c)
	options := s.options
	if s.local {
		if c.engine, err = local.New(local.Options{Version: partition.Version}); err != nil {
			return nil, err
		}
		options = append(slices.Clone(options), partition.WithAPIKey(""), partition.WithBaseURL("http://embedded.invalid"),
			wire.WithEngine(c.engine.Name()), partition.WithHTTPClient(&http.Client{Transport: c.engine.RoundTripper()}))
	}
	once := *s.policy
	once.Budget.Attempts, once.Budget.MinRetries = 1, 0
	c.probe, err = partition.New(append(slices.Clone(options), partition.WithRetryPolicy(&once))...)
	switch {
	case errors.Is(err, partition.ErrNoAPIKey):
		return nil, errNoServer
	case err != nil:
		return nil, err
	}
	options = append(slices.Clone(options), partition.WithRetryPolicy(s.policy), partition.WithObserver(observe))
	if s.cacheDir != "" {
		warn := func(err error) { log.Warnf("cache: %s", wire.Printable(err.Error())) }
		if c.cached, err = cache.Open(s.cacheDir, cache.Options{Warn: warn}); err != nil {
			return nil, err
		}
		options = append(options, partition.WithCache(c.cached))
	}
	c.Client, err = partition.New(options...)
	return c, err
}

// errNoServer says in this program's words what [partition.ErrNoAPIKey] says in the library's.
var errNoServer = errors.New("no API key and no server: set api_key or $" + partition.EnvAPIKey + " for the hosted API, url or $" +
	partition.EnvAPIURL + " for a server of your own, or local: true for the embedded engine")

// close closes what the client uses.
func (c *client) close() error {
	var err error
	if c.cached != nil {
		if err = c.cached.Close(); errors.Is(err, cache.ErrUnavailable) {
			err = nil // there was a warning when it happened, and nothing is lost
		}
	}
	if c.engine != nil {
		err = errors.Join(err, c.engine.Close())
	}
	return err
}

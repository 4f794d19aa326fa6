package main

import (
	"sync/atomic"
	"time"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

// meters are what the processor counts, in Bento's metrics.
type meters struct {
	documents *service.MetricCounter // sent, or taken from the cache; one that comes again counts again
	failed    *service.MetricCounter // by kind
	empty     *service.MetricCounter // with fail_empty they are failed as well
	pages     *service.MetricCounter
	elements  *service.MetricCounter
	requests  *service.MetricCounter
	retries   *service.MetricCounter // by the rule of the policy that wanted them
	cacheHits *service.MetricCounter
	latency   *service.MetricTimer
	inFlight  *level
	waiting   *level
}

func newMeters(m *service.Metrics) *meters {
	return &meters{
		documents: m.NewCounter("quire_documents"),
		failed:    m.NewCounter("quire_failed", "kind"),
		empty:     m.NewCounter("quire_empty"),
		pages:     m.NewCounter("quire_pages"),
		elements:  m.NewCounter("quire_elements"),
		requests:  m.NewCounter("quire_requests"),
		retries:   m.NewCounter("quire_retries", "rule"),
		cacheHits: m.NewCounter("quire_cache_hits"),
		latency:   m.NewTimer("quire_document_latency_ns"),
		inFlight:  &level{gauge: m.NewGauge("quire_in_flight")},
		waiting:   &level{gauge: m.NewGauge("quire_waiting")},
	}
}

// add counts what was done for a document.
func (m *meters) add(r partition.Report, took time.Duration) {
	m.pages.Incr(int64(r.AnsweredPages()))
	m.elements.Incr(int64(r.Elements))
	if r.Empty {
		m.empty.Incr(1)
	}
	m.requests.Incr(int64(r.Requests()))
	m.cacheHits.Incr(int64(r.CacheHits()))
	m.latency.Timing(took.Nanoseconds())
}

// observe follows the attempts.
func (m *meters) observe(e retry.Event) {
	switch e.Kind {
	case retry.EventAttempt:
		m.inFlight.add(1)
	case retry.EventAnswer:
		m.inFlight.add(-1)
	case retry.EventSleep:
		m.retries.Incr(1, e.Rule)
	}
}

// A level is a gauge that goes up and down.
type level struct {
	gauge *service.MetricGauge
	now   atomic.Int64
}

func (l *level) add(n int64) { l.gauge.Set(l.now.Add(n)) }

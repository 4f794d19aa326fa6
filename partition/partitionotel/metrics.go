package partitionotel

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// metrics are what an observer counts.
type metrics struct {
	documents, pages, elements, cacheHits, attempts, retries, sent metric.Int64Counter
	activeDocuments, activeAttempts, closedGates                   metric.Int64UpDownCounter
	closedTime                                                     metric.Float64Counter
	documentDuration, attemptDuration                              metric.Float64Histogram
}

// durations are the bounds of the histograms' buckets, in seconds: a text file takes a part of one, a scan with OCR up to an hour.
func durations() []float64 {
	return []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600}
}

func newMetrics(meter metric.Meter) (*metrics, error) {
	in := maker{meter: meter}
	return &metrics{
		documents:        in.counter("quire.documents", "{document}", "Documents that have ended."),
		documentDuration: in.histogram("quire.document.duration", "How long documents took."),
		activeDocuments:  in.upDown("quire.active_documents", "{document}", "Documents under way."),
		pages:            in.counter("quire.pages", "{page}", "Pages that were answered."),
		elements:         in.counter("quire.elements", "{element}", "Elements that were delivered."),
		cacheHits:        in.counter("quire.cache.hits", "{part}", "Parts of documents that the cache answered."),
		attempts:         in.counter("quire.attempts", "{attempt}", "HTTP requests that have ended."),
		attemptDuration:  in.histogram("quire.attempt.duration", "How long HTTP requests took, with their answers."),
		activeAttempts:   in.upDown("quire.active_attempts", "{attempt}", "HTTP requests in flight."),
		retries:          in.counter("quire.retries", "{attempt}", "HTTP requests that repeated one before."),
		sent:             in.counter("quire.sent", "By", "Bytes of request bodies that were sent."),
		closedGates:      in.upDown("quire.closed_gates", "{gate}", "Clients that hold back all requests."),
		closedTime:       in.seconds("quire.gate.closed_time", "How long all requests were held back."),
	}, errors.Join(in.errs...)
}

// A maker makes instruments and collects what went wrong.
type maker struct {
	meter metric.Meter
	errs  []error
}

func (m *maker) counter(name, unit, description string) metric.Int64Counter {
	i, err := m.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return i
}

func (m *maker) upDown(name, unit, description string) metric.Int64UpDownCounter {
	i, err := m.meter.Int64UpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return i
}

func (m *maker) seconds(name, description string) metric.Float64Counter {
	i, err := m.meter.Float64Counter(name, metric.WithUnit("s"), metric.WithDescription(description))
	m.errs = append(m.errs, err)
	return i
}

func (m *maker) histogram(name, description string) metric.Float64Histogram {
	i, err := m.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
		metric.WithExplicitBucketBoundaries(durations()...))
	m.errs = append(m.errs, err)
	return i
}

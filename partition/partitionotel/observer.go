package partitionotel

import (
	"context"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quire-dev/quire/partition"
)

// scope names what spans and metrics are from.
const scope = "github.com/quire-dev/quire/partition/partitionotel"

// Options say where spans and metrics go. The zero value uses the global providers.
type Options struct {
	TracerProvider trace.TracerProvider // nil: the global one
	MeterProvider  metric.MeterProvider // nil: the global one

	// DocumentNames makes the documents' names an attribute of their spans. It is off by default, for names can be private.
	DocumentNames bool
}

// An Observer makes spans and metrics from the events of one client. It is safe for concurrent use,
// and keeps no data of a document that has ended. Use one Observer per client. With the same
// providers their counts add up.
type Observer struct {
	tracer  trace.Tracer
	metrics *metrics
	names   bool
	gate    gate

	mu        sync.Mutex
	documents map[string]*document // under way, by the events' ID
}

// New returns an observer. The error is the meter provider's.
func New(o Options) (*Observer, error) {
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	metrics, err := newMetrics(o.MeterProvider.Meter(scope, metric.WithInstrumentationVersion(partition.Version)))
	if err != nil {
		return nil, fmt.Errorf("partition metrics: %w", err)
	}
	return &Observer{
		tracer:  o.TracerProvider.Tracer(scope, trace.WithInstrumentationVersion(partition.Version)),
		metrics: metrics, names: o.DocumentNames, documents: map[string]*document{},
	}, nil
}

// Observe takes an event; it is for [partition.WithObserver]. The events of one document wait for each other, those of several do
// not, so a span processor that is slow holds up its own document only.
func (o *Observer) Observe(ctx context.Context, e partition.Event) {
	ctx = context.WithoutCancel(ctx) // what ends because its context has ended counts too
	var d *document
	o.mu.Lock()
	switch e.Kind {
	case partition.DocumentStart:
		d = &document{observer: o, parts: map[partKey]*part{}}
		o.documents[e.ID] = d
	case partition.DocumentEnd:
		d = o.documents[e.ID]
		delete(o.documents, e.ID)
	default:
		d = o.documents[e.ID]
	}
	o.mu.Unlock()
	if d != nil {
		d.observe(ctx, &e)
	}
}

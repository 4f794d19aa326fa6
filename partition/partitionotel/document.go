package partitionotel

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// A partKey tells the parts of a document apart: no two that are under way at once have the same pages.
type partKey = split.PageRange

// A document is one on its way through the client.
type document struct {
	observer *Observer

	mu       sync.Mutex
	span     trace.Span
	parts    map[partKey]*part // under way
	planned  bool
	chunking bool // its elements are being chunked: the pages are all done
	pages    int  // 0 where that is not known
	answered int  // pages
}

func (d *document) observe(ctx context.Context, e *partition.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.span != nil {
		ctx = trace.ContextWithSpan(ctx, d.span)
	}
	switch e.Kind {
	case partition.DocumentStart:
		d.start(ctx, e)
	case partition.DocumentPlanned:
		d.plan(e.Plan)
	case partition.ChunkStart:
		d.parts[e.Pages] = d.observer.startPart(ctx, e)
	case partition.AttemptEvent:
		if p := d.parts[e.Pages]; p != nil {
			p.observe(ctx, &e.Attempt)
		}
	case partition.ChunkEnd:
		d.endPart(ctx, e)
	case partition.Refused:
		d.span.AddEvent("quire.refused", trace.WithAttributes(errorType(partition.KindOf(e.Err))))
	case partition.CacheFailed:
		d.span.AddEvent("quire.cache_failed")
	case partition.DocumentEnd:
		d.end(ctx, e)
	}
}

func (d *document) start(ctx context.Context, e *partition.Event) {
	var attributes []attribute.KeyValue
	if d.observer.names {
		attributes = append(attributes, attribute.String("quire.document.name", wire.Printable(e.Document)))
	}
	_, d.span = d.observer.tracer.Start(ctx, "quire.document", trace.WithAttributes(attributes...))
	d.observer.metrics.activeDocuments.Add(ctx, 1)
}

// plan takes what will be sent. The second plan of a document is for its elements.
func (d *document) plan(p *partition.Plan) {
	d.chunking = d.planned
	if d.planned {
		return
	}
	d.planned, d.pages = true, p.Pages
	d.span.SetAttributes(attribute.String("quire.media_type", p.MediaType), attribute.Int("quire.requests", len(p.Chunks)))
	if p.Pages > 0 {
		d.span.SetAttributes(attribute.Int("quire.pages", p.Pages))
	}
}

func (d *document) endPart(ctx context.Context, e *partition.Event) {
	p := d.parts[e.Pages]
	if p == nil {
		return
	}
	delete(d.parts, e.Pages)
	p.end(ctx, e.Elements, e.Err)
	if e.Err != nil {
		return
	}
	m := d.observer.metrics
	if e.Cached {
		m.cacheHits.Add(ctx, 1)
	}
	if n := d.newPages(e.Pages); n > 0 {
		d.answered += n
		m.pages.Add(ctx, int64(n), metric.WithAttributes(attribute.Bool("quire.cached", e.Cached)))
	}
}

// newPages is how many pages an answer adds to those that are there. Where the rest of a document went whole, it has all pages.
func (d *document) newPages(pages split.PageRange) int {
	switch {
	case d.chunking:
		return 0
	case pages == split.PageRange{}:
		return d.pages - d.answered
	default:
		return min(pages.Len(), d.pages-d.answered)
	}
}

func (d *document) end(ctx context.Context, e *partition.Event) {
	for _, p := range d.parts {
		p.end(ctx, 0, e.Err)
	}
	outcome, failed := outcomeOf(e.Err)
	attributes := []attribute.KeyValue{attribute.String("quire.outcome", outcome)}
	d.span.SetAttributes(attributes[0], attribute.Int("quire.elements", e.Elements))
	m := d.observer.metrics
	m.documentDuration.Record(ctx, e.Elapsed.Seconds(), metric.WithAttributes(attributes...))
	if failed {
		fail(d.span, e.Err)
		attributes = append(attributes, errorType(partition.KindOf(e.Err)))
	}
	m.documents.Add(ctx, 1, metric.WithAttributes(attributes...))
	m.elements.Add(ctx, int64(e.Elements))
	m.activeDocuments.Add(ctx, -1)
	d.span.End()
}

// outcomeOf is what became of a document. An error without a kind is no failure: the caller has left the loop.
func outcomeOf(err error) (outcome string, failed bool) {
	var partial *partition.PartialError
	switch {
	case err == nil:
		return "ok", false
	case errors.As(err, &partial):
		return "partial", true
	case partition.KindOf(err) == "":
		return "left", false
	default:
		return "failed", true
	}
}

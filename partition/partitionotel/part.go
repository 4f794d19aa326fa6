package partitionotel

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// A part is one request's worth of a document, on its way.
type part struct {
	observer *Observer
	span     trace.Span
	attempt  trace.Span // nil between two
	rule     string     // that asked for the attempt to come
}

func (o *Observer) startPart(ctx context.Context, e *partition.Event) *part {
	attributes := []attribute.KeyValue{attribute.Bool("quire.cached", e.Cached)}
	if e.Pages != (split.PageRange{}) {
		attributes = append(attributes, attribute.Int("quire.pages.first", e.Pages.First), attribute.Int("quire.pages.last", e.Pages.Last))
	}
	_, span := o.tracer.Start(ctx, "quire.part", trace.WithAttributes(attributes...))
	return &part{observer: o, span: span}
}

func (p *part) observe(ctx context.Context, e *retry.Event) {
	ctx = trace.ContextWithSpan(ctx, p.span)
	switch e.Kind {
	case retry.EventAttempt:
		p.begin(ctx, e.Attempt)
	case retry.EventSilence:
		if p.attempt != nil {
			p.attempt.AddEvent("quire.silence", trace.WithAttributes(wait(e.Wait)))
		}
	case retry.EventAnswer:
		p.judged(ctx, e)
	case retry.EventSleep:
		p.rule = e.Rule
		p.span.AddEvent("quire.sleep", trace.WithAttributes(attribute.String("quire.rule", e.Rule), wait(e.Wait)))
	case retry.EventClosed:
		p.span.AddEvent("quire.gate.closed", trace.WithAttributes(attribute.String("quire.rule", e.Rule), wait(e.Wait)))
		p.observer.gate.close(ctx, p.observer.metrics)
	case retry.EventOpened:
		p.span.AddEvent("quire.gate.opened")
		p.observer.gate.open(ctx, p.observer.metrics)
	case retry.EventStop:
		p.span.SetAttributes(attribute.String("quire.stop", string(e.Stop)))
	}
}

func (p *part) begin(ctx context.Context, number int) {
	m := p.observer.metrics
	attributes := []attribute.KeyValue{attribute.Int("quire.attempt", number), attribute.String("http.request.method", "POST")}
	if number > 1 {
		attributes = append(attributes, attribute.Int("http.request.resend_count", number-1))
		m.retries.Add(ctx, 1, metric.WithAttributes(attribute.String("quire.rule", p.rule)))
	}
	_, p.attempt = p.observer.tracer.Start(ctx, "quire.attempt", trace.WithAttributes(attributes...), trace.WithSpanKind(trace.SpanKindClient))
	m.activeAttempts.Add(ctx, 1)
}

// judged ends an attempt.
func (p *part) judged(ctx context.Context, e *retry.Event) {
	if p.attempt == nil {
		return
	}
	ctx = trace.ContextWithSpan(ctx, p.attempt)
	p.attempt.SetAttributes(attribute.String("quire.rule", e.Rule), attribute.Int64("quire.sent", e.BytesSent))
	if e.Status > 0 {
		p.attempt.SetAttributes(attribute.Int("http.response.status_code", e.Status))
	}
	if e.Stop != "" {
		p.attempt.SetAttributes(attribute.String("quire.stop", string(e.Stop)))
	}
	class := attribute.String("quire.status_class", statusClass(e.Status))
	m := p.observer.metrics
	m.attemptDuration.Record(ctx, e.Elapsed.Seconds(), metric.WithAttributes(class))
	m.sent.Add(ctx, e.BytesSent)
	attributes := []attribute.KeyValue{class}
	if cause := attemptError(e); cause != "" {
		p.attempt.SetStatus(codes.Error, describe(cause, e.Status))
		p.attempt.SetAttributes(errorType(cause))
		attributes = append(attributes, errorType(cause))
	}
	m.attempts.Add(ctx, 1, metric.WithAttributes(attributes...))
	p.release(ctx)
}

// release ends the span of the attempt under way, if there is one.
func (p *part) release(ctx context.Context) {
	if p.attempt != nil {
		p.attempt.End()
		p.attempt = nil
		p.observer.metrics.activeAttempts.Add(ctx, -1)
	}
}

func (p *part) end(ctx context.Context, elements int, err error) {
	p.release(ctx) // one whose body could not be opened is never judged
	p.span.SetAttributes(attribute.Int("quire.elements", elements))
	if err != nil {
		fail(p.span, err)
	}
	p.span.End()
}

// attemptError is how an attempt went wrong: as the retry core names it, else the status; "" where it did not.
func attemptError(e *retry.Event) retry.Kind {
	if e.Error == "" && e.Status/100 != 2 {
		return retry.Kind(strconv.Itoa(e.Status))
	}
	return e.Error
}

func statusClass(status int) string {
	if status == 0 {
		return "none"
	}
	return strconv.Itoa(status/100) + "xx"
}

func wait(d time.Duration) attribute.KeyValue { return attribute.Float64("quire.wait", d.Seconds()) }

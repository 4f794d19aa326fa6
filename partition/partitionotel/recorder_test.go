package partitionotel_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitionotel"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/retry"
)

// A recorder is a client with an observer, a server, and what they left in the SDK's exporters.
type recorder struct {
	t        *testing.T
	server   *partitiontest.Server
	client   *partition.Client
	observer *partitionotel.Observer
	spans    *tracetest.InMemoryExporter
	reader   *metric.ManualReader
	tracer   oteltrace.Tracer      // the caller's
	seen     func(partition.Event) // is told of an event after the observer
}

// record runs a test under a fake clock.
func record(t *testing.T, o partitionotel.Options, options []partition.Option, test func(*testing.T, *recorder)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := partitiontest.NewServer(partitiontest.Options{Listener: partitiontest.NewPipeListener("")})
		defer s.Close()
		r := &recorder{t: t, server: s, spans: tracetest.NewInMemoryExporter(), reader: metric.NewManualReader(), seen: func(partition.Event) {}}
		tracing := trace.NewTracerProvider(trace.WithSyncer(r.spans))
		o.TracerProvider, o.MeterProvider = tracing, metric.NewMeterProvider(metric.WithReader(r.reader))
		r.tracer = tracing.Tracer("caller")
		var err error
		r.observer, err = partitionotel.New(o)
		require.NoError(t, err)
		r.client, err = partition.New(append([]partition.Option{
			partition.WithBaseURL(s.URL), partition.WithHTTPClient(s.Client()), partition.WithAPIKey(""),
			partition.WithRetryPolicy(steady(t)), partition.WithObserver(func(ctx context.Context, e partition.Event) {
				r.observer.Observe(ctx, e)
				r.seen(e)
			}),
		}, options...)...)
		require.NoError(t, err)
		test(t, r)
		require.Zero(t, r.observer.Documents())
	})
}

// steady is the default policy with waits of 4, 8, 16 s.
func steady(t *testing.T) *retry.Policy {
	t.Helper()
	preset, ok := retry.Preset("unstructured")
	require.True(t, ok)
	policy := *preset
	policy.Backoff = retry.Backoff{Initial: 4 * time.Second, Jitter: "none"}
	return &policy
}

func pdf(name string, pages int) *partition.Document {
	data := partitiontest.NewPDF(pages)
	return partition.FromReaderAt(name, bytes.NewReader(data), int64(len(data)))
}

// partition sends a document below a span of the caller's, which has its name.
func (r *recorder) partition(ctx context.Context, d *partition.Document, p partition.Params) error {
	ctx, span := r.tracer.Start(ctx, "caller")
	defer span.End()
	_, err := r.client.Partition(ctx, d, p)
	return err
}

// trees are the recorded traces, a line a span, indented below its parent, each with what is asked for of its attributes. Children
// stand in the order of their beginning.
func (r *recorder) trees(keys ...attribute.Key) []string {
	children := map[oteltrace.SpanID][]tracetest.SpanStub{}
	for _, s := range r.spans.GetSpans() {
		children[s.Parent.SpanID()] = append(children[s.Parent.SpanID()], s)
	}
	var write func(b *strings.Builder, s tracetest.SpanStub, indent string)
	write = func(b *strings.Builder, s tracetest.SpanStub, indent string) {
		b.WriteString(indent + s.Name + list(s.Attributes, keys) + "\n")
		for _, e := range s.Events {
			b.WriteString(indent + "  * " + e.Name + list(e.Attributes, keys) + "\n")
		}
		if s.Status.Description != "" {
			b.WriteString(indent + "  ! " + s.Status.Description + "\n")
		}
		below := children[s.SpanContext.SpanID()]
		slices.SortStableFunc(below, func(x, y tracetest.SpanStub) int { return x.StartTime.Compare(y.StartTime) })
		for _, child := range below {
			require.Equal(r.t, s.SpanContext.TraceID(), child.SpanContext.TraceID())
			write(b, child, indent+"  ")
		}
	}
	var all []string
	for _, root := range children[oteltrace.SpanID{}] {
		var b strings.Builder
		write(&b, root, "")
		all = append(all, b.String())
	}
	return all
}

// list writes the attributes that are asked for, in that order.
func list(attributes []attribute.KeyValue, keys []attribute.Key) string {
	set := attribute.NewSet(attributes...)
	var b strings.Builder
	for _, key := range keys {
		if value, ok := set.Value(key); ok {
			fmt.Fprintf(&b, " %s=%s", key, value.String())
		}
	}
	return b.String()
}

// numbers are the metrics: name, attributes, value. Of a histogram it is the count and the sum.
func (r *recorder) numbers() []string {
	var all metricdata.ResourceMetrics
	require.NoError(r.t, r.reader.Collect(r.t.Context(), &all))
	var lines []string
	add := func(name string, set attribute.Set, value string) {
		var texts []string
		for _, kv := range set.ToSlice() {
			texts = append(texts, string(kv.Key)+"="+kv.Value.String())
		}
		lines = append(lines, strings.Join(append([]string{name}, append(texts, value)...), " "))
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, fmt.Sprint(p.Value))
				}
			case metricdata.Sum[float64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, fmt.Sprint(p.Value))
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					add(m.Name, p.Attributes, fmt.Sprintf("%d in %gs", p.Count, p.Sum))
				}
			default:
				require.Fail(r.t, "unknown data", "%s: %T", m.Name, m.Data)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// only are the metrics of these names.
func (r *recorder) only(names ...string) []string {
	return slices.DeleteFunc(r.numbers(), func(line string) bool {
		name, _, _ := strings.Cut(line, " ")
		return !slices.Contains(names, name)
	})
}

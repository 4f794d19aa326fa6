package partitionotel_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitionotel"
	"github.com/quire-dev/quire/partition/partitiontest"
)

func Example() {
	server := partitiontest.NewServer(partitiontest.Options{}) // stands for the API
	defer server.Close()
	spans := tracetest.NewInMemoryExporter() // stands for the exporter of your collector
	tracing := trace.NewTracerProvider(trace.WithSyncer(spans))

	observer, err := partitionotel.New(partitionotel.Options{TracerProvider: tracing, DocumentNames: true})
	if err != nil {
		log.Fatal(err)
	}
	client, err := partition.New(partition.WithBaseURL(server.URL), partition.WithObserver(observer.Observe))
	if err != nil {
		log.Fatal(err)
	}
	ctx, request := tracing.Tracer("example").Start(context.Background(), "request") // what the document is part of
	pdf := partitiontest.NewPDF(1)
	doc := partition.FromReaderAt("report.pdf", bytes.NewReader(pdf), int64(len(pdf)))
	if _, err := client.Partition(ctx, doc, partition.Params{}); err != nil {
		log.Fatal(err)
	}
	request.End()
	for _, span := range spans.GetSpans() {
		fmt.Println(span.Name)
	}
	// Output:
	// quire.attempt
	// quire.part
	// quire.document
	// request
}

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/warpstreamlabs/bento/public/service"
)

// A consumed message is one that came out of a stream.
type consumed struct {
	content string
	err     error
}

// runStream sends messages through a processor of a stream. It returns what came out, by the metadata path, and the metrics.
func runStream(t *testing.T, processor string, in ...*service.Message) (out map[string]consumed, metrics string) {
	builder := environment(t).NewStreamBuilder()
	mux := http.NewServeMux()
	builder.SetHTTPMux(mux)
	require.NoError(t, builder.SetMetricsYAML("prometheus: {}"))
	require.NoError(t, builder.SetLoggerYAML(`level: "off"`))
	require.NoError(t, builder.AddProcessorYAML(processor))
	var mu sync.Mutex
	out = map[string]consumed{}
	require.NoError(t, builder.AddConsumerFunc(func(_ context.Context, m *service.Message) error {
		content, err := m.AsBytes()
		path, _ := m.MetaGet("path")
		mu.Lock()
		defer mu.Unlock()
		out[path] = consumed{string(content), m.GetError()}
		return err
	}))
	send, err := builder.AddProducerFunc()
	require.NoError(t, err)
	stream, err := builder.Build()
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- stream.Run(t.Context()) }()
	for _, m := range in {
		require.NoError(t, send(t.Context(), m)) // returns when the message has been consumed
	}
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	require.NoError(t, stream.Stop(t.Context()))
	<-done
	return out, recorder.Body.String()
}

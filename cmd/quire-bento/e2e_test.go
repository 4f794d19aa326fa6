package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// A delivery is one document of the end-to-end test and what has to come of it.
type delivery struct {
	name     string
	elements int               // lines of its output; 0 for one that ends as a dead letter
	dead     map[string]string // headers of its dead letter
}

// chunks is how many requests it is sent in.
func (d delivery) chunks() int { return max(1, (d.elements+1)/2) }

// TestTwoWorkersOfWhichOneIsKilled takes 500 documents, and 20 that cannot be had, through the shipped configuration for NATS:
// an embedded server with JetStream, two processes, a test API with faults. One process is killed in the middle.
func TestTwoWorkersOfWhichOneIsKilled(t *testing.T) {
	const killAt, inFlight = 300, 10
	dir := t.TempDir()
	deliveries := writeDocuments(t, filepath.Join(dir, "in"))
	reached := make(chan struct{})
	var arrived atomic.Int64
	srv := newServer(t,
		partitiontest.Fault{Match: func(partitiontest.Request) bool {
			if arrived.Add(1) == killAt {
				close(reached)
			}
			return false
		}},
		partitiontest.Fault{
			File: "*3.*", Attempt: 1, Do: partitiontest.Chain(partitiontest.Header("Retry-After", "0"), partitiontest.Detail(503, "busy")),
		},
		partitiontest.Fault{File: "unreadable-*", Do: partitiontest.Detail(422, "File is damaged.")},
		partitiontest.Fault{
			File: "hopeless-*", Pages: split.PageRange{First: 3, Last: 3},
			Do: partitiontest.Reply(500, `{"detail":"The engine fails on it.","retryable":false}`),
		},
		partitiontest.Fault{Do: partitiontest.Delay(20 * time.Millisecond)},
	)
	url, js := jetStream(t)
	stream, workers := documentsStream(t, js, 15*time.Second)
	for _, d := range deliveries {
		enqueue(t, js, filepath.Join(dir, "in", d.name))
	}

	out := filepath.Join(dir, "out")
	env := []string{"NATS_URL=" + url, "UNSTRUCTURED_API_URL=" + srv.URL, "OUT=" + out, "CACHE=" + filepath.Join(dir, "cache"), "HTTP=false"}
	victim, survivor := worker(t, "config/nats.yaml", env...), worker(t, "config/nats.yaml", env...)
	require.NoError(t, victim.Start())
	require.NoError(t, survivor.Start())
	t.Cleanup(func() { _ = survivor.Process.Kill() })
	<-reached
	require.NoError(t, victim.Process.Kill())
	require.Error(t, victim.Wait())
	awaitDone(t, workers)
	require.NoError(t, survivor.Process.Signal(syscall.SIGTERM))
	require.NoError(t, survivor.Wait())

	dead := deadLetters(t, stream)
	answers := map[string]int{}
	for _, r := range srv.Requests() {
		if r.Status == 200 {
			answers[r.File]++
		}
	}
	chunks, again := 0, 0
	for i, d := range deliveries {
		content, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("%d.jsonl", i+1)))
		if d.dead != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
			require.Equal(t, d.dead, dead[d.name], d.name)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, d.elements, strings.Count(string(content), "\n"), d.name)
		for n, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
			var e element.Element
			require.NoError(t, json.Unmarshal([]byte(line), &e))
			require.Equal(t, d.name, e.Metadata.Filename)
			require.Equal(t, d.elements > 1 || strings.HasSuffix(d.name, ".pdf"), e.Metadata.PageNumber == n+1)
		}
		require.GreaterOrEqual(t, answers[d.name], d.chunks(), d.name)
		chunks += d.chunks()
		again += answers[d.name] - d.chunks()
	}
	require.Len(t, dead, 20)
	t.Logf("%d chunks were answered, %d of them twice", chunks, again)
	require.LessOrEqual(t, again, inFlight, "nothing is sent again but what was in flight at the kill")
}

// writeDocuments writes the documents: every fifth is a text, the others are PDFs of one to seven pages.
func writeDocuments(t *testing.T, dir string) []delivery {
	require.NoError(t, os.Mkdir(dir, 0o700))
	var all []delivery
	add := func(d delivery, content []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, d.name), content, 0o600))
		all = append(all, d)
	}
	for i := range 500 {
		if i%5 == 0 {
			add(delivery{name: fmt.Sprintf("note-%03d.txt", i), elements: 1}, fmt.Appendf(nil, "Note %d.\n", i))
		} else {
			pages := 1 + i%7
			text := partitiontest.WithText(func(page int) string { return fmt.Sprintf("Report %d, page %d", i, page) })
			add(delivery{name: fmt.Sprintf("report-%03d.pdf", i), elements: pages}, partitiontest.NewPDF(pages, text))
		}
		switch i % 50 {
		case 10:
			reason := map[string]string{"kind": "bad_document", "status": "422", "final": "false", "pages": ""}
			add(delivery{name: fmt.Sprintf("unreadable-%03d.txt", i), dead: reason}, fmt.Appendf(nil, "Unreadable %d.\n", i))
		case 20:
			reason := map[string]string{"kind": "server", "status": "500", "final": "true", "pages": "3-4"}
			text := partitiontest.WithText(func(int) string { return fmt.Sprintf("Hopeless %d", i) })
			add(delivery{name: fmt.Sprintf("hopeless-%03d.pdf", i), dead: reason}, partitiontest.NewPDF(4, text))
		}
	}
	return all
}

// jetStream starts a NATS server and connects to it.
func jetStream(t *testing.T) (url string, js jetstream.JetStream) {
	srv := startServer(t.TempDir(), -1)
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	return srv.ClientURL(), connect(t, srv.ClientURL())
}

// startServer starts a NATS server that keeps its streams in a folder; -1 is any port.
func startServer(store string, port int) *server.Server {
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: store, NoLog: true, NoSigs: true,
	})
	if err != nil {
		panic(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		panic("the NATS server is not ready")
	}
	return srv
}

func connect(t *testing.T, url string) jetstream.JetStream {
	connection, err := nats.Connect(url)
	require.NoError(t, err)
	t.Cleanup(connection.Close)
	js, err := jetstream.New(connection)
	require.NoError(t, err)
	return js
}

// documentsStream makes the stream and the consumer that the configuration wants.
func documentsStream(t *testing.T, js jetstream.JetStream, ackWait time.Duration) (jetstream.Stream, jetstream.Consumer) {
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "documents", Subjects: []string{"documents.>"}})
	require.NoError(t, err)
	workers, err := stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
		Durable: "workers", FilterSubject: "documents.todo", AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: 16,
	})
	require.NoError(t, err)
	return stream, workers
}

// enqueue publishes a reference.
func enqueue(t *testing.T, js jetstream.JetStream, path string) {
	reference, err := json.Marshal(map[string]string{"path": path, "name": filepath.Base(path)})
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "documents.todo", reference)
	require.NoError(t, err)
}

// awaitDone returns when every message is acknowledged.
func awaitDone(t *testing.T, workers jetstream.Consumer) {
	require.Eventually(t, func() bool {
		state, err := workers.Info(t.Context())
		return err == nil && state.NumPending == 0 && state.NumAckPending == 0
	}, time.Minute, 50*time.Millisecond)
}

// deadLetters are the headers of the dead letters, those that begin with quire_error_, by the name in the reference.
func deadLetters(t *testing.T, stream jetstream.Stream) map[string]map[string]string {
	info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("documents.dead"))
	require.NoError(t, err)
	reader, err := stream.OrderedConsumer(t.Context(), jetstream.OrderedConsumerConfig{FilterSubjects: []string{"documents.dead"}})
	require.NoError(t, err)
	all := map[string]map[string]string{}
	for range info.State.Subjects["documents.dead"] {
		m, err := reader.Next()
		require.NoError(t, err)
		var reference struct{ Name string }
		require.NoError(t, json.Unmarshal(m.Data(), &reference), "a dead letter is what came: %s", m.Data())
		require.NotContains(t, all, reference.Name)
		require.Contains(t, m.Headers().Get("quire_error"), reference.Name)
		all[reference.Name] = map[string]string{}
		for header, values := range m.Headers() {
			if key, ok := strings.CutPrefix(header, "quire_error_"); ok {
				all[reference.Name][key] = values[0]
			}
		}
	}
	return all
}

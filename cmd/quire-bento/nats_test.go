package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestA9NATSIsKilledInTheMiddle: a server that is killed and away for a while costs no document, and no dead letter is there twice.
func TestA9NATSIsKilledInTheMiddle(t *testing.T) {
	const good, bad = 100, 10
	port := freePort(t)
	url, store := "nats://127.0.0.1:"+port, t.TempDir()
	broker := natsServer(t, store, port)
	js := connect(t, url)
	stream, workers := documentsStream(t, js, 3*time.Second)
	dir := t.TempDir()
	for i := range good + bad {
		path := filepath.Join(dir, fmt.Sprintf("%03d.txt", i))
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "Text %d.\n", i), 0o600))
		enqueue(t, js, path)
	}
	middle := make(chan struct{})
	var arrived atomic.Int64
	srv := newServer(t, partitiontest.Fault{Match: func(partitiontest.Request) bool {
		if arrived.Add(1) == good/2 {
			close(middle)
		}
		return false
	}}, partitiontest.Fault{File: "??0.txt", Do: partitiontest.Detail(422, "Cannot be read.")},
		partitiontest.Fault{Do: partitiontest.Delay(10 * time.Millisecond)})
	out := filepath.Join(dir, "out")
	run := worker(t, "config/nats.yaml", "NATS_URL="+url, "UNSTRUCTURED_API_URL="+srv.URL, "OUT="+out, "CACHE="+filepath.Join(dir, "cache"),
		"HTTP=false")
	require.NoError(t, run.Start())
	t.Cleanup(func() { _ = run.Process.Kill() })
	<-middle
	require.NoError(t, broker.Process.Kill())
	require.Error(t, broker.Wait())
	away := time.NewTimer(2 * time.Second)
	<-away.C
	natsServer(t, store, port)
	awaitDone(t, workers)
	require.NoError(t, run.Process.Signal(syscall.SIGTERM))
	require.NoError(t, run.Wait())

	outputs, err := filepath.Glob(filepath.Join(out, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, outputs, good-1)
	for _, path := range outputs {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		sequence, err := strconv.Atoi(filepath.Base(path[:len(path)-len(".jsonl")]))
		require.NoError(t, err)
		require.Contains(t, string(content), fmt.Sprintf("all of %03d.txt", sequence-1))
	}
	require.Len(t, deadLetters(t, stream), bad+1)
}

// natsServer is a NATS server as a process of its own, which can be killed.
func natsServer(t *testing.T, store, port string) *exec.Cmd {
	c := program(t, store, port)
	c.Env = append(c.Env, asProgram+"=nats-server")
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		return err == nil && c.Close() == nil
	}, 20*time.Second, 20*time.Millisecond)
	return c
}

// serveNATS is the program of natsServer.
func serveNATS() {
	port, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	startServer(os.Args[1], port).WaitForShutdown()
}

func freePort(t *testing.T) string {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(free.Addr().String())
	require.NoError(t, err)
	require.NoError(t, free.Close())
	return port
}

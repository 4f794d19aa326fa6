package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestA9FolderOnAFullDisk: what cannot be written is whole once there is space, and nothing of it is to be seen before.
func TestA9FolderOnAFullDisk(t *testing.T) {
	for name, size := range map[string]string{"good": "128k", "bad": "8k"} {
		t.Run(name, func(t *testing.T) {
			out, start, _ := folderRun(t, name)
			smallDisk(t, out, size)
			run := start()
			full := sayingOf(run, "no space left on device")
			require.NoError(t, run.Start())
			t.Cleanup(func() { _ = run.Process.Kill() })
			full.await(t)
			require.Less(t, wholeOutputs(t, out), 60)
			smallDisk(t, out, "64m")
			require.NoError(t, run.Wait())
			want := map[string]int{}
			if name == "bad" {
				for i := range 60 {
					want[fmt.Sprintf("bad-%d.txt bad_document", i)] = 1
				}
			}
			require.Equal(t, want, failures(t, out))
			require.Equal(t, 60-len(want), wholeOutputs(t, out))
			left, err := filepath.Glob(filepath.Join(out, ".*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// TestA9NATSOnAFullDisk: a worker whose disk is full waits, and gives no document back to the queue.
func TestA9NATSOnAFullDisk(t *testing.T) {
	url, js := jetStream(t)
	_, workers := documentsStream(t, js, time.Minute)
	dir, out := t.TempDir(), t.TempDir()
	smallDisk(t, out, "64k")
	for i := range 40 {
		path := filepath.Join(dir, fmt.Sprintf("%d.txt", i))
		require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "Text %d.\n", i), 0o600))
		enqueue(t, js, path)
	}
	srv := newServer(t)
	run := worker(t, "config/nats.yaml", "NATS_URL="+url, "UNSTRUCTURED_API_URL="+srv.URL, "OUT="+out, "CACHE="+filepath.Join(dir, "cache"),
		"HTTP=false")
	full := sayingOf(run, "no space left on device")
	require.NoError(t, run.Start())
	t.Cleanup(func() { _ = run.Process.Kill() })
	full.await(t)
	outputs, err := filepath.Glob(filepath.Join(out, "*.jsonl"))
	require.NoError(t, err)
	for _, name := range outputs {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(content), "}\n"), "%s: %s", name, content)
	}
	smallDisk(t, out, "64m")
	awaitDone(t, workers)
	require.NoError(t, run.Process.Signal(syscall.SIGTERM))
	require.NoError(t, run.Wait())
	for i := range 40 {
		content, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("%d.jsonl", i+1)))
		require.NoError(t, err)
		require.Contains(t, string(content), fmt.Sprintf("all of %d.txt", i))
	}
	state, err := workers.Info(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 40, state.Delivered.Consumer, "nothing was delivered again")
}

// smallDisk mounts a disk of a size, such as 64k, on a folder; on a folder that is one already it changes the size. Only root can.
func smallDisk(t *testing.T, folder, size string) {
	if err := syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT, "size="+size); err == nil {
		return
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
}

//go:build unix

package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// TestA13 loses a terminal and kills runs: a run that nohup started goes on, what is killed leaves
// nothing in the folder for temporary files, and a pod has time for the grace.
func TestA13(t *testing.T) {
	start := func(t *testing.T, command string) (*exec.Cmd, *partitiontest.Server, string) {
		server := partitiontest.NewServer(partitiontest.Options{})
		t.Cleanup(server.Close)
		dir := t.TempDir()
		temporary := filepath.Join(dir, "tmp")
		require.NoError(t, os.Mkdir(temporary, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.pdf"), partitiontest.NewPDF(6), 0o600))
		c := exec.Command("sh", "-c", command)
		c.Dir, c.Stderr = dir, os.Stderr
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temporary, "UNSTRUCTURED_API_URL=" + server.URL}
		return c, server, temporary
	}
	t.Run("nohup", func(t *testing.T) {
		c, server, _ := start(t, `trap "" HUP INT; exec quire partition a.pdf -o out --no-cache -q`)
		arrived, signaled := make(chan struct{}), make(chan struct{})
		server.Script(partitiontest.Fault{
			Pages: split.PageRange{First: 1, Last: 1}, Match: func(partitiontest.Request) bool {
				close(arrived)
				<-signaled
				return false
			}, Do: partitiontest.Hang(),
		})
		require.NoError(t, c.Start())
		<-arrived
		require.NoError(t, c.Process.Signal(syscall.SIGHUP))
		require.NoError(t, c.Process.Signal(syscall.SIGINT))
		close(signaled)
		require.NoError(t, c.Wait())
		require.FileExists(t, filepath.Join(c.Dir, "out", "a.pdf.json"))
	})
	t.Run("kill", func(t *testing.T) {
		c, server, temporary := start(t, `exec quire partition a.pdf -o out --no-cache -q`)
		arrived := make(chan struct{})
		server.Script(partitiontest.Fault{
			Pages: split.PageRange{First: 1, Last: 1}, Match: func(partitiontest.Request) bool {
				close(arrived)
				return true
			}, Do: partitiontest.Hang(),
		})
		require.NoError(t, c.Start())
		<-arrived // a chunk waits on disk
		require.NoError(t, c.Process.Kill())
		require.Error(t, c.Wait())
		left, err := os.ReadDir(temporary)
		require.NoError(t, err)
		require.Empty(t, left)
	})
	t.Run("grace", func(t *testing.T) {
		require.LessOrEqual(t, wire.DefaultGrace, 25*time.Second) // Kubernetes kills after 30 s
	})
}

package split

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// helperEnv names what this test binary does instead of testing, when a test starts it once more to
// see what one job costs in a process of its own.
const helperEnv = "QUIRE_SPLIT_HELPER"

// helpers are the jobs: they take the arguments after the program's name.
var helpers = map[string]func(args []string) error{
	"bomb": helpBomb,
}

func TestMain(m *testing.M) {
	help, ok := helpers[os.Getenv(helperEnv)]
	if !ok {
		m.Run()
		return
	}
	if err := help(os.Args[1:]); err != nil {
		panic(err) // the parent shows it
	}
}

// helpBomb opens a file and cuts it up, and says what came of it.
func helpBomb(args []string) error {
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	d, err := Open(context.Background(), f, info.Size(), Options{})
	for first := 1; err == nil && first <= d.Pages(); first += maxChunkPages {
		var c *Chunk
		if c, err = d.Chunk(context.Background(), PageRange{first, min(first+maxChunkPages-1, d.Pages())}); err == nil {
			_, err = c.WriteTo(io.Discard)
		}
	}
	if err == nil {
		fmt.Fprint(os.Stdout, "split")
		return nil
	}
	fmt.Fprint(os.Stdout, err)
	return nil
}

// cost is what a process took.
type cost struct {
	cpu, wall time.Duration
	peak      int64 // bytes of memory
	output    string
}

// helper starts this test binary once more for a job.
func helper(t testing.TB, job string, args ...string) cost {
	t.Helper()
	c, err := measure(t, append([]string{os.Args[0]}, args...), helperEnv+"="+job)
	require.NoError(t, err)
	return c
}

// measure runs a program. The peak is asked for while it runs: what the kernel says at the end
// includes the memory of the process that started it.
func measure(t testing.TB, args []string, env ...string) (cost, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var peak int64
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			peak = max(peak, highWater(cmd.Process.Pid))
		case err := <-done:
			c := cost{wall: time.Since(start), peak: peak, output: stdout.String()}
			if err != nil {
				return c, fmt.Errorf("%s: %w: %.500s", filepath.Base(args[0]), err, stderr.String())
			}
			usage := cmd.ProcessState
			c.cpu = usage.UserTime() + usage.SystemTime()
			return c, nil
		}
	}
}

// highWater returns the most memory that a process has had so far, 0 where the system does not say.
func highWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kib int64
	_, _ = fmt.Sscan(string(after), &kib)
	return kib << 10
}

// raceDetector reports whether the test was built with it.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

package cmd_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startServe runs quire serve in a process of its own and returns its address. It ends with the
// test.
func startServe(t *testing.T, flags ...string) (address string, process *os.Process) {
	t.Helper()
	c := exec.Command("quire", append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGKILL)
		c.Wait()
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	require.NoError(t, err)
	_, after, _ := strings.Cut(line, "http://")
	address, _, _ = strings.Cut(after, " ")
	go io.Copy(io.Discard, stderr)
	return address, c.Process
}

func peakMemory(t *testing.T, p *os.Process) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	require.NoError(t, err)
	return kilobytes << 10
}

func keyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte("the-right-key"), 0o600))
	return path
}

// 256 connections send a body without the key: the server takes no memory for it.
func TestE3ServeWithoutTheKeyReadsNoBody(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is measured on Linux only")
	}
	address, process := startServe(t, "--api-key-file", keyFile(t))
	const head = "POST /general/v0/general HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 400000000\r\n\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n"
	block := []byte(strings.Repeat("a", 1<<20))
	answers := make(chan string)
	for range 256 {
		go func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer conn.Close()
			go func() {
				if _, err := io.WriteString(conn, head); err != nil {
					return
				}
				for range 4 {
					if _, err := conn.Write(block); err != nil {
						return
					}
				}
			}()
			conn.SetReadDeadline(time.Now().Add(30 * time.Second))
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil {
				line = err.Error()
			}
			answers <- strings.TrimSpace(line)
		}()
	}
	counts := map[string]int{}
	for range 256 {
		counts[<-answers]++
	}
	require.Greater(t, counts["HTTP/1.1 401 Unauthorized"], 200, "%v", counts) // the others yielded to them
	peak := peakMemory(t, process)
	t.Logf("%v, %d MiB", counts, peak>>20)
	require.Less(t, peak, 256<<20)
}

// 300 connections that say nothing, and 300 that begin a request, keep nobody out.
func TestE3IdleConnectionsKeepNobodyOut(t *testing.T) {
	address, _ := startServe(t)
	for i := range 600 {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		if i%2 == 0 {
			fmt.Fprint(conn, "POST /general/v0/general HTTP/1.1\r\nHost:")
		}
	}
	start := time.Now()
	client := &http.Client{Timeout: 20 * time.Second}
	response, err := client.Get("http://" + address + "/healthcheck")
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Less(t, time.Since(start), 5*time.Second)
}

//go:build linux

package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// What a document says steers no terminal: ESC, OSC and CSI sequences, bells, backspaces, returns and
// overrides of the direction are shown. Files and pipes get the bytes as they are.
func TestE12TextsDoNotSteerTheTerminal(t *testing.T) {
	const (
		hostile = "Gr\u00f6\u00dfe\t\u8868\n\x1b]0;title\a\x1b[2J\x1b]52;c;cm0gLXJm\x1b\\ \b\x7f \u009b31m \u0090q\u009c \u202e\u2066 over\rwritten \u200d\u200f"
		escaped = `Gr\u00f6\u00dfe\t\u8868\n\u001b]0;title\u0007\u001b[2J\u001b]52;c;cm0gLXJm\u001b\\ \b\u007f \u009b31m \u0090q\u009c \u202e\u2066 over\rwritten \u200d\u200f`
		shown   = "Gr\u00f6\u00dfe\t\u8868\n" + `\u001b]0;title\u0007\u001b[2J\u001b]52;c;cm0gLXJm\u001b\ \u0008\u007f \u009b31m \u0090q\u009c \u202e\u2066 over\u000dwritten ` + "\u200d\u200f"
	)
	server := partitiontest.NewServer(partitiontest.Options{})
	defer server.Close()
	server.Script(partitiontest.Fault{Do: partitiontest.Reply(200, `[{"type":"Title","element_id":"1","text":"`+escaped+"\",\"raw\":\"\u009b31m\x7f\u202e\",\"metadata\":{}}]")})
	document := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(document, []byte("a"), 0o600))
	run := func(stdout *os.File, format string) {
		var stderr bytes.Buffer
		code := cmd.Main([]string{"partition", document, "-f", format, "--no-cache"}, []string{"UNSTRUCTURED_API_URL=" + server.URL}, strings.NewReader(""), stdout, &stderr)
		require.Zero(t, code, stderr.String())
	}
	for _, format := range []string{"text", "markdown", "csv", "json", "jsonl"} {
		t.Run(format, func(t *testing.T) {
			master, terminal := openTerminal(t)
			run(terminal, format)
			screen := readTerminal(t, master)
			require.False(t, strings.ContainsAny(screen, "\x1b\a\b\x7f\u009b\u0090\u009c\u202e\u2066"), "%q", screen)
			require.NotContains(t, screen, "over\rw")
			switch format {
			case "text", "csv":
				require.Contains(t, screen, shown)
			case "json", "jsonl":
				require.Contains(t, screen, `"text":"`+escaped+`"`)
				require.Contains(t, screen, `"raw":"\u009b31m\u007f\u202e"`)
			}

			file, err := os.Create(filepath.Join(t.TempDir(), "out"))
			require.NoError(t, err)
			defer file.Close()
			run(file, format)
			written, err := os.ReadFile(file.Name())
			require.NoError(t, err)
			switch format {
			case "text", "csv":
				require.Contains(t, string(written), hostile)
			case "json", "jsonl":
				require.Contains(t, string(written), "\"raw\":\"\u009b31m\x7f\u202e\"")
			}
		})
	}
}

// openTerminal returns both ends of a new terminal.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	var number uint32
	locked := int32(0)
	for request, value := range map[uintptr]unsafe.Pointer{syscall.TIOCGPTN: unsafe.Pointer(&number), syscall.TIOCSPTLCK: unsafe.Pointer(&locked)} {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(value))
		require.Zero(t, errno)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { terminal.Close() })
	return master, terminal
}

// readTerminal returns what was written to a terminal, with the line ends as they were written.
func readTerminal(t *testing.T, master *os.File) string {
	t.Helper()
	read := make(chan string)
	go func() {
		buffer := make([]byte, 64<<10)
		n, _ := master.Read(buffer)
		read <- string(buffer[:n])
	}()
	select {
	case screen := <-read:
		return strings.ReplaceAll(screen, "\r\n", "\n")
	case <-time.After(time.Minute):
		t.Fatal("nothing was written")
		return ""
	}
}

package local

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
)

const (
	mostMemory = 512 << 20 // of the process that reads a bomb
	bombFile   = "QUIRE_TEST_BOMB"
	bombTwice  = "QUIRE_TEST_BOMB_TWICE"
	bombWhole  = "QUIRE_TEST_BOMB_WHOLE" // without a look by the splitter, as a server gets it
)

// soak says that there is time for every bomb.
var soak = os.Getenv("QUIRE_SOAK") != ""

// readBomb partitions a file, or the same one twice at once, as the command does with --local, and
// ends the process before it takes the machine's memory.
func readBomb(path string) {
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			if memoryOf("VmRSS") > 2*mostMemory {
				fmt.Println("more than twice the memory")
				os.Exit(1)
			}
		}
	}()
	engine, err := New(Options{})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	client, err := partition.New(partition.WithAPIKey(""), partition.WithBaseURL("http://embedded.invalid"),
		partition.WithHTTPClient(&http.Client{Transport: engine.RoundTripper()}))
	if err != nil {
		panic(err)
	}
	runs := 1
	if os.Getenv(bombTwice) != "" {
		runs = 2
	}
	ended := make(chan string)
	for range runs {
		go func() { ended <- outcome(client, path) }()
	}
	for range runs {
		fmt.Println(<-ended)
	}
	fmt.Printf("peak %d\n", memoryOf("VmHWM"))
}

func outcome(client *partition.Client, path string) string {
	var as []partition.DocumentOption
	if os.Getenv(bombWhole) != "" {
		as = append(as, partition.WithMediaType("application/octet-stream")) // the engine looks at the content
	}
	document, err := partition.Open(path, as...)
	if err != nil {
		panic(err)
	}
	defer document.Close()
	stream := client.Stream(context.Background(), document, partition.Params{})
	elements := 0
	for _, err := range stream.All() {
		if err != nil {
			return "refused: " + err.Error()
		}
		elements++
	}
	return fmt.Sprintf("answered: %d elements", elements)
}

// memoryOf reads one of this process's figures of memory, in bytes.
func memoryOf(name string) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	_, after, _ := strings.Cut(string(status), name+":")
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		panic(err)
	}
	return kilobytes << 10
}

// bombed reads a file in a process of its own with the switches set, and returns what came of it.
// The process must not take more than mostMemory.
func bombed(t *testing.T, name string, write func(w io.Writer), switches ...string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("memory is measured on Linux only")
	}
	if raceDetector {
		t.Skip("memory is not the program's own with the race detector")
	}
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	require.NoError(t, err)
	write(file)
	require.NoError(t, file.Close())
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), bombFile+"="+path)
	for _, s := range switches {
		child.Env = append(child.Env, s+"=1")
	}
	start := time.Now()
	said, err := child.CombinedOutput()
	require.NoError(t, err, "%s", said)
	outcome, peak, found := strings.Cut(strings.TrimSpace(string(said)), "\npeak ")
	require.True(t, found, "%s", said)
	bytes, err := strconv.Atoi(peak)
	require.NoError(t, err)
	t.Logf("%s: %d MiB in %s", outcome, bytes>>20, time.Since(start).Round(10*time.Millisecond))
	require.LessOrEqual(t, bytes, mostMemory, outcome)
	return outcome
}

// repeated writes text over and over, size bytes of it.
func repeated(text string, size int) func(w io.Writer) {
	return func(w io.Writer) {
		block := []byte(strings.Repeat(text, max(1, (1<<20)/len(text))))
		for left := size; left > 0; left -= len(block) {
			w.Write(block[:min(left, len(block))])
		}
	}
}

func gzipped(write func(w io.Writer)) func(w io.Writer) {
	return func(w io.Writer) {
		packed := gzip.NewWriter(w)
		write(packed)
		packed.Close()
	}
}

const bombSize = 57 << 20

func TestE2BombsAreReadOrRefusedInBoundedMemory(t *testing.T) {
	const (
		tooLong = "refused: .*The document's elements take more than 64 MiB"
		tags    = "refused: .*The HTML would take more than 96 MiB of memory"
	)
	text := func(s string) func(w io.Writer) { return repeated(s, 16<<20) }
	tests := []struct {
		name, file string
		write      func(w io.Writer)
		want       string // a regular expression
		switches   []string
	}{
		{"paragraphs of a letter", "a.txt", repeated("a\n\n", bombSize), tooLong, nil},
		{"lines of a letter", "a.txt", text("a\n"), tooLong, nil},
		{"paragraphs of a letter behind a paragraph", "a.txt", text("a b\nc\n\n"), tooLong, nil},
		{"list of letters", "a.txt", text("- a\n"), tooLong, nil},
		{"line of letters", "a.txt", repeated("a ", bombSize), "answered: 1 elements", nil},
		{"one word", "a.txt", text("a"), "answered: 1 elements", nil},
		{"text that JSON makes longer", "a.txt", text("\x01"), tooLong, nil},
		{"too long a text", "a.txt", repeated("a\n", 80<<20), "refused: .*The embedded engine reads at most 64 MiB", nil},
		{"empty cells", "a.csv", text(","), "refused: .*The table has more than 4000000 cells", nil},
		{"cells of a letter", "a.csv", text("a,"), "refused: .*more than", nil},
		{"one cell", "a.csv", text("a"), "answered: 1 elements", nil},
		{"one cell of quotes", "a.csv", text("\"\""), "answered: 1 elements", nil},
		{"rows of a letter", "a.tsv", text("a\n"), "refused: .*more than", nil},
		{"paragraphs of HTML", "a.html", text("<p>a"), tags, nil},
		{"as many paragraphs as are read", "a.html", repeated("<p>a b c", 8*250_000), "answered: 250000 elements", nil},
		{"formatting that is opened again", "a.html", func(w io.Writer) {
			io.WriteString(w, "<b><b><b><i><i><i><a href=x><nobr>")
			text("<p>a")(w)
		}, tags, nil},
		{"formatting that a cell closes in vain", "a.html", func(w io.Writer) {
			io.WriteString(w, "<b><b><b><i><i><i><table><tr><td></b></b></b></i></i></i></table>")
			repeated("<p>a", 2<<20)(w)
		}, tags, nil},
		{"attributes", "a.html", func(w io.Writer) {
			buffered := bufio.NewWriter(w)
			buffered.WriteString("<p")
			for i := range 2_000_000 {
				fmt.Fprintf(buffered, " a%x", i)
			}
			buffered.WriteString(">b c")
			buffered.Flush()
		}, tags, nil},
		{"attributes that a style hides", "a.html", func(w io.Writer) {
			io.WriteString(w, `<svg><style><a b="</style>`)
			io.WriteString(w, `"`)
			text(" a")(w)
		}, tags, nil},
		{"attributes that a text in brackets hides", "a.html", func(w io.Writer) {
			io.WriteString(w, `<svg><![CDATA[><a b="]]><p `)
			text(" a")(w)
		}, tags, nil},
		{"cells of HTML", "a.html", text("<table><td>a"), "refused", nil},
		{"text of HTML", "a.html", text("a "), tags, nil},
		{"entities", "a.html", text("&lt;"), "answered: 1 elements", nil},
		{"code", "a.html", func(w io.Writer) {
			io.WriteString(w, "<pre>")
			text("a\n")(w)
		}, tags, nil},
		{"alternative texts", "a.html", text(`<img src=a alt="b c">`), tags, nil},
		{"paragraphs of Markdown", "a.md", text("a\n\n"), "refused", nil},
		{"headings", "a.md", text("# a\n"), "refused", nil},
		{"one paragraph of Markdown", "a.md", text("a *b* "), "answered: 16 elements", nil},
		{"a long link used often", "a.md", func(w io.Writer) {
			fmt.Fprintf(w, "[a]: http://a.b/%s\n\n", strings.Repeat("c", 256<<10))
			repeated("[a] d\n\n", 512<<10)(w)
		}, "refused: .*The Markdown becomes more than 32 MiB of HTML", nil},
		{"gzip of a gigabyte", "a.txt.gz", gzipped(repeated("\x00", 1<<30)), "refused: .*The gzip file unpacks to more than the limit", nil},
		{"gzip of text", "a.txt.gz", gzipped(text("a\n\n")), tooLong, nil},
		{"gzip of a PDF that inflates", "a.pdf.gz", gzipped(inflatingPDF(1<<30, "", 0)), "refused: .*decompressed", nil},
		{"PDF that inflates", "a.pdf", inflatingPDF(1<<30, "", 0), "refused: .*decompressed", nil},
		{"long PDF that inflates", "a.pdf", inflatingPDF(1<<30, "", 9<<20), "refused: .*needs more than 256 MiB of memory", []string{bombWhole}},
		{"PDF whose form inflates", "a.pdf", inflatingPDF(1<<30, "/Subtype /Form /BBox [0 0 9 9]", 0), "refused: .*needs more than 256 MiB of memory", []string{bombWhole}},
	}
	quick := []string{"paragraphs of a letter", "rows of a letter", "attributes", "gzip of text", "PDF that inflates"}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !soak && !slices.Contains(quick, test.name) {
				t.Skip("takes long: make soak")
			}
			require.Regexp(t, test.want, bombed(t, test.file, test.write, test.switches...))
		})
	}
}

// Two at once take no more than the limit for one: a document that takes much waits for the other
// one.
func TestE2TwoBombsAtOnceAreReadOneByOne(t *testing.T) {
	tests := []struct {
		name, file string
		write      func(w io.Writer)
		want       string
		switches   []string
	}{
		{"text", "a.txt", repeated("a\n\n", bombSize), "64 MiB", []string{bombTwice}},
		{"PDF", "a.pdf", inflatingPDF(1<<30, "", 9<<20), "more than 256 MiB of memory", []string{bombTwice, bombWhole}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !soak {
				t.Skip("takes long: make soak")
			}
			outcomes := strings.Split(bombed(t, test.file, test.write, test.switches...), "\n")
			require.Len(t, outcomes, 2)
			require.Contains(t, outcomes[0], test.want)
			require.Contains(t, outcomes[1], test.want)
		})
	}
}

// inflatingPDF writes a PDF of one page with a stream that inflates to size bytes: the page's
// content or, with a dictionary of its own, an XObject that the content draws. padding bytes make
// the file longer.
func inflatingPDF(size int, dictionary string, padding int) func(w io.Writer) {
	return func(w io.Writer) {
		bomb := deflated(deflatedOnce(repeated(" ", size)))
		content := ""
		number := 4
		if dictionary != "" {
			content, number = "q /X Do Q", 5
		}
		var b bytes.Buffer
		offsets := []int{}
		object := func(format string, args ...any) {
			offsets = append(offsets, b.Len())
			fmt.Fprintf(&b, "%d 0 obj\n", len(offsets))
			fmt.Fprintf(&b, format, args...)
			b.WriteString("\nendobj\n")
		}
		b.WriteString("%PDF-1.4\n")
		b.WriteString(strings.Repeat("%"+strings.Repeat("x", 1022)+"\n", padding>>10))
		object("<< /Type /Catalog /Pages 2 0 R >>")
		object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /XObject << /X %d 0 R >> >> >>", number)
		if dictionary != "" {
			object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
		}
		object("<< /Length %d /Filter [/FlateDecode /FlateDecode] %s >>\nstream\n%s\nendstream", len(bomb), dictionary, bomb)
		start := b.Len()
		fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
		for _, offset := range offsets {
			fmt.Fprintf(&b, "%010d 00000 n \n", offset)
		}
		fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
		w.Write(b.Bytes())
	}
}

func deflatedOnce(write func(w io.Writer)) []byte {
	var b bytes.Buffer
	packed := zlib.NewWriter(&b)
	write(packed)
	packed.Close()
	return b.Bytes()
}

func deflated(data []byte) []byte {
	return deflatedOnce(func(w io.Writer) { w.Write(data) })
}

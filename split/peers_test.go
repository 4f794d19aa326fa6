//go:build conformance

package split

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/stretchr/testify/require"
)

// peersEnv is a folder with the official clients' engines: a Python environment "python" with
// pypdfium2, and "node_modules" with pdf-lib. The Makefile's bench-split makes it.
const peersEnv = "QUIRE_SPLIT_PEERS"

const (
	benchRounds = 5 // the engines take turns; the least CPU of the rounds counts
	benchPages  = maxChunkPages
)

func init() { helpers["pdfcpu"] = helpPdfcpu }

// helpPdfcpu cuts a file up with pdfcpu's own split: input, folder, n.
func helpPdfcpu(args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	return api.SplitFile(args[0], args[1], n, nil)
}

// engine is a program that cuts a file into a folder, n pages at a time.
type engine struct {
	name string
	run  func(b *testing.B, file, folder, n string) (cost, error)
}

func engines(b *testing.B) []engine {
	program := func(args ...string) func(*testing.B, string, string, string) (cost, error) {
		return func(b *testing.B, file, folder, n string) (cost, error) {
			return measure(b, append(slices.Clone(args), file, folder, n), "NODE_PATH="+filepath.Join(os.Getenv(peersEnv), "node_modules"))
		}
	}
	splitter := filepath.Join(b.TempDir(), "splitter")
	_, err := output(b, "go", "build", "-o", splitter, filepath.Join("testdata", "splitter", "main.go"))
	require.NoError(b, err)
	all := []engine{
		{"qpdf", func(b *testing.B, file, folder, n string) (cost, error) {
			return measure(b, []string{
				"qpdf", "--stream-data=preserve", "--no-warn", "--warning-exit-0",
				"--split-pages=" + n, file, filepath.Join(folder, "%d.pdf"),
			})
		}},
		{"quire", program(splitter, "1")},
		{"quire, 2", program(splitter, "2")}, // chunks at once
		{"pdfcpu", func(b *testing.B, file, folder, n string) (cost, error) {
			return measure(b, []string{os.Args[0], file, folder, n}, helperEnv+"=pdfcpu")
		}},
	}
	python := filepath.Join(os.Getenv(peersEnv), "python", "bin", "python")
	if os.Getenv(peersEnv) != "" && exists(python) {
		all = append(all, engine{"pypdfium2", program(python, filepath.Join("testdata", "peers", "pypdfium2_split.py"))})
	} else {
		b.Logf("pypdfium2 is not here, left out")
	}
	if os.Getenv(peersEnv) != "" && exists(filepath.Join(os.Getenv(peersEnv), "node_modules", "pdf-lib")) {
		all = append(all, engine{"pdf-lib", program("node", filepath.Join("testdata", "peers", "pdflib_split.cjs"))})
	} else {
		b.Logf("pdf-lib is not here, left out")
	}
	return all
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// leftOut says by engine and file why they are not tried together.
var leftOut = map[string]map[string]string{
	"pdfcpu": {shortPages: "left out: its time grows with the square of the pages"},
}

// row is what an engine took for a file: medians, but for the CPU, of which the least counts, as
// other programs on the machine only ever add to it.
type row struct {
	engine    string
	cpu, wall []time.Duration
	peak      int64
	bytes     int64
	first     []float64 // the CPU until the first chunk was ready, as part of the whole
	err       error
}

// BenchmarkPeers compares with other engines, all in one run:
//
//	make bench-split
func BenchmarkPeers(b *testing.B) {
	tool(b, "qpdf")
	all := engines(b)
	for _, file := range benchFiles(b) {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".pdf"), func(b *testing.B) {
			for b.Loop() { // once, with -benchtime=1x
				rows := make([]row, len(all))
				for range benchRounds {
					for i, e := range all {
						rows[i].engine = e.name
						if reason := leftOut[e.name][filepath.Base(file)]; reason != "" {
							rows[i].err = errors.New(reason)
						}
						if !rows[i].done() {
							rows[i].add(b, e, file)
						}
					}
				}
				b.Log(comparison(b, file, rows))
			}
		})
	}
}

// done reports whether not to run an engine again: one that fails, or is slow.
func (r *row) done() bool {
	return r.err != nil || len(r.wall) > 0 && r.wall[0] > 10*time.Second
}

func (r *row) add(b *testing.B, e engine, file string) {
	folder, err := os.MkdirTemp("", "quire-bench-*")
	require.NoError(b, err)
	defer os.RemoveAll(folder)
	c, err := e.run(b, file, folder, strconv.Itoa(benchPages))
	if err != nil {
		r.err = err
		return
	}
	r.cpu, r.wall = append(r.cpu, c.cpu), append(r.wall, c.wall)
	r.peak = max(r.peak, c.peak)
	r.bytes = 0
	require.NoError(b, filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		r.bytes += info.Size()
		return err
	}))
	var said struct{ First, All float64 }
	if json.Unmarshal([]byte(c.output), &said) == nil && said.All > 0 {
		r.first = append(r.first, said.First/said.All)
	}
}

// comparison shows rows as ratios to the first of them.
func comparison(b *testing.B, file string, rows []row) string {
	info, err := os.Stat(file)
	require.NoError(b, err)
	var s strings.Builder
	fmt.Fprintf(&s, "%s, %.1f MB, %d pages a chunk, %d rounds\n", filepath.Base(file), float64(info.Size())/1e6, benchPages, benchRounds)
	fmt.Fprintf(&s, "%-10s %7s %7s %7s %7s %8s %7s %8s %7s %6s\n",
		"", "cpu s", "/qpdf", "wall s", "/qpdf", "peak MB", "/file", "out MB", "/qpdf", "first")
	var base row
	for i, r := range rows {
		if r.err != nil {
			fmt.Fprintf(&s, "%-10s %v\n", r.engine, r.err)
			continue
		}
		if i == 0 {
			base = r
		}
		cpu, wall := slices.Min(r.cpu), median(r.wall)
		fmt.Fprintf(&s, "%-10s %7.2f %7.2f %7.2f %7.2f %8.0f %7.2f %8.1f %7.2f", r.engine,
			cpu.Seconds(), cpu.Seconds()/slices.Min(base.cpu).Seconds(), wall.Seconds(), wall.Seconds()/median(base.wall).Seconds(),
			float64(r.peak)/1e6, float64(r.peak)/float64(info.Size()),
			float64(r.bytes)/1e6, float64(r.bytes)/float64(base.bytes))
		if len(r.first) > 0 {
			fmt.Fprintf(&s, " %6.2f", median(r.first))
		}
		s.WriteByte('\n')
	}
	return s.String()
}

func median[T time.Duration | float64](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

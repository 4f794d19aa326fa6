package cmd_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/cmd/internal/folder/journal"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// interruptible are tests that can be sent signals.
type interruptible struct{ *testing.M }

// Run takes back that some signals are ignored, as in a shell's background job or under nohup: the
// command would ignore them too.
func (t interruptible) Run() int {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	return t.M.Run()
}

func TestMain(m *testing.M) {
	testscript.Main(interruptible{m}, map[string]func(){
		"quire": func() { os.Exit(cmd.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script/*.txtar. Beside the usual commands they have:
//
//	exits CODE PROGRAM ARG...      runs a program that must end with CODE
//	pdf FILE PAGES [PASSWORD]      makes a PDF; with the password '' one that its owner locked and everybody can read
//	fatpdf FILE PAGES BYTES        makes one whose pages share an image of so many bytes
//	manyfiles DIR N                makes N small text files, the same each time
//	oddfile NAME                   makes a small text file whose name is written as in a Go string
//	outputs DIR N                  N outputs are in DIR, and none that is half done
//
// and those of serverCommands, and the condition [root].
func TestScripts(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	demo, err := filepath.Abs("../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits, "pdf": makePDF, "fatpdf": makeFatPDF, "manyfiles": makeFiles, "oddfile": makeOddFile, "outputs": countOutputs,
	}
	maps.Copy(commands, serverCommands)
	testscript.Run(t, testscript.Params{
		Dir:                "../testdata/script",
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			own := filepath.Join(e.WorkDir, ".cache")
			e.Setenv("XDG_CACHE_HOME", own)
			e.Setenv("DEMO", demo)
			return shareCompiledReader(filepath.Join(cache, "quire", "wazero"), filepath.Join(own, "quire", "wazero"))
		},
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return os.Getuid() == 0, nil
		},
		Cmds: commands,
	})
}

// shareCompiledReader lets a script use the embedded engine's PDF reader as it is compiled already,
// in a cache that is its own.
func shareCompiledReader(compiled, here string) error {
	if _, err := os.Stat(compiled); err != nil {
		return nil // not compiled yet
	}
	if err := os.MkdirAll(filepath.Dir(here), 0o700); err != nil {
		return err
	}
	return os.Symlink(compiled, here)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, not %s; standard error: %s", code, args[0], ts.ReadFile("stderr"))
	}
}

func makePDF(ts *testscript.TestScript, _ bool, args []string) {
	pages, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := partitiontest.NewPDF(pages)
	if len(args) == 3 {
		api.DisableConfigDir()
		var locked bytes.Buffer
		ts.Check(api.Encrypt(bytes.NewReader(data), &locked, model.NewAESConfiguration(args[2], "owner", 256)))
		data = locked.Bytes()
	}
	writeFile(ts, args[0], data)
}

func makeFatPDF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fatpdf FILE PAGES BYTES")
	}
	pages, err := strconv.Atoi(args[1])
	ts.Check(err)
	size, err := strconv.Atoi(args[2])
	ts.Check(err)
	writeFile(ts, args[0], partitiontest.NewPDF(pages, partitiontest.WithSharedResource(size)))
}

func writeFile(ts *testscript.TestScript, name string, data []byte) {
	path := ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, data, 0o600))
}

func makeFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: manyfiles DIR N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	for i := range n {
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.txt", i)), fmt.Appendf(nil, "Document %d.\n", i), 0o600))
	}
}

func makeOddFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: oddfile NAME")
	}
	name, err := strconv.Unquote(`"` + args[0] + `"`)
	ts.Check(err)
	writeFile(ts, name, []byte("An odd name.\n"))
}

func countOutputs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: outputs DIR N")
	}
	outputs, unfinished := outputsIn(ts.MkAbs(args[0]))
	if len(unfinished) > 0 {
		ts.Fatalf("half done: %q", slices.Sorted(maps.Keys(unfinished)))
	}
	if got := strconv.Itoa(len(outputs)); got != args[1] {
		ts.Fatalf("%s outputs, not %s: %q", got, args[1], slices.Sorted(maps.Keys(outputs)))
	}
}

// outputsIn are the outputs in a folder, by name, and what is on its way to become one.
func outputsIn(dir string) (outputs, unfinished map[string]string) {
	outputs, unfinished = map[string]string{}, map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // gone by now, or never there
		}
		name, _ := filepath.Rel(dir, path)
		data, _ := os.ReadFile(path)
		switch name = filepath.ToSlash(name); {
		case strings.HasPrefix(name, journal.Folder+"/tmp/"), strings.HasPrefix(filepath.Base(name), ".quire-"):
			unfinished[name] = string(data)
		case !strings.HasPrefix(name, journal.Folder+"/"):
			outputs[name] = string(data)
		}
		return nil
	})
	return outputs, unfinished
}

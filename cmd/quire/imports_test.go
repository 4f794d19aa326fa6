package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/quire-dev/quire"

// arrows says which packages of this module a package may import. A package below one of these
// belongs to it.
var arrows = map[string][]string{
	"retry":                         {},
	"split":                         {},
	"cache":                         {},
	"partition/internal/jsonlist":   {},
	"partition/internal/jsonobject": {},
	"partition/element":             {"partition/internal/jsonobject"},
	"partition":                     {"retry", "split", "partition/element", "partition/internal/jsonlist", "partition/internal/jsonobject"},
	"partition/local":               {"partition", "partition/element", "split", "cache"}, // cache: who may write to a folder of code
	"partition/partitiontest":       {"partition", "partition/element", "split"},
	"partition/format":              {"partition/element", "partition/internal/jsonobject"},
	"partition/format/parquet":      {"partition/element", "partition/format", "partition/internal/jsonobject"},
	"partition/batch":               {"partition", "partition/element", "retry"},
	"cmd": {
		"partition", "partition/element", "partition/batch", "partition/format", "partition/format/parquet",
		"partition/local", "cache", "split", "retry", "cmd/internal/folder",
		"cmd/internal/folder/journal", "cmd/internal/outcome", "cmd/internal/page", "cmd/internal/screen", "cmd/internal/walk",
		"cmd/internal/words",
	},
	"cmd/internal/folder":         {"cmd/internal/folder/journal", "cmd/internal/outcome", "cmd/internal/walk", "cmd/internal/words", "partition"},
	"cmd/internal/folder/journal": {"cmd/internal/words", "partition"},
	"cmd/internal/outcome":        {"cmd/internal/folder/journal", "partition", "partition/batch"},
	"cmd/internal/page":           {"cmd/internal/outcome", "partition", "partition/element", "retry"},
	"cmd/internal/screen":         {"cmd/internal/walk", "cmd/internal/outcome", "cmd/internal/words", "partition", "retry"},
	"cmd/internal/walk":           {"cmd/internal/folder/journal", "cmd/internal/words"},
	"cmd/internal/words":          {},
	"cmd/quire":                   {"cmd"},
}

// owners says which packages alone may import something outside of this module, everything below it
// included; "" is tests alone.
var owners = map[string]string{
	"github.com/hashicorp/go-retryablehttp": "retry",
	"github.com/pdfcpu/pdfcpu":              "split",
	"github.com/klippa-app/go-pdfium":       "partition/local",
	"github.com/tetratelabs/wazero":         "partition/local",
	"github.com/yuin/goldmark":              "partition/local",
	"golang.org/x/net/html":                 "partition/local, partition/format, cmd/internal/page",
	"github.com/gofrs/flock":                "cmd/internal/folder/journal",
	"github.com/bmatcuk/doublestar":         "cmd/internal/walk",
	"github.com/spf13/cobra":                "cmd",
	"github.com/spf13/pflag":                "cmd",
	"github.com/parquet-go":                 "partition/format/parquet",
	"go.yaml.in/yaml":                       "cmd",
	"gopkg.in/yaml.v3":                      "cmd",
	"golang.org/x/term":                     "cmd/internal/screen",
	"github.com/stretchr/testify":           "",
	"github.com/rogpeppe/go-internal":       "",
	"go.uber.org/goleak":                    "",
	"testing":                               "",
	"net/http/httptest":                     "",
	module + "/partition/partitiontest":     "",
}

// Who may import whom: the arrows of the architecture, for every file that is no test.
func TestImports(t *testing.T) {
	files := sourceFiles(t)
	require.Greater(t, len(files), 50, "the module's files")
	retrying := 0
	for _, f := range files {
		for _, imported := range f.imports {
			if below(imported, module) {
				to := home(strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
				if f.home != to && !slices.Contains(arrows[f.home], to) {
					t.Errorf("%s: %s may not import %s", f.name, f.home, to)
				}
			}
			for what, owner := range owners {
				if below(imported, what) && !slices.Contains(strings.Split(owner, ", "), f.home) {
					t.Errorf("%s: imports %s, which is for %s alone", f.name, imported, cmp.Or(owner, "tests"))
				}
			}
			if below(imported, "github.com/hashicorp/go-retryablehttp") {
				retrying++
			}
		}
	}
	require.LessOrEqual(t, retrying, 1, "files that import go-retryablehttp")
}

// Package batch knows documents and a client: no files, no terminal, no flags.
func TestImportsOfBatch(t *testing.T) {
	allowed := []string{module + "/partition", module + "/partition/element", module + "/retry", "golang.org/x/sync/errgroup"}
	denied := []string{"os", "io/fs", "path/filepath", "flag", "syscall"}
	files := 0
	for _, f := range sourceFiles(t) {
		if f.home != "partition/batch" {
			continue
		}
		files++
		for _, imported := range f.imports {
			standard := !strings.Contains(strings.Split(imported, "/")[0], ".")
			banned := slices.ContainsFunc(denied, func(what string) bool { return below(imported, what) })
			if banned || !standard && !slices.Contains(allowed, imported) {
				t.Errorf("%s: imports %s", f.name, imported)
			}
		}
	}
	require.NotZero(t, files)
}

// below reports whether an import path is what, or a package in it, or another major version of it.
func below(imported, what string) bool {
	return imported == what || strings.HasPrefix(imported, what+"/")
}

// home is the row of arrows that a package belongs to.
func home(pkg string) string {
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		if _, found := arrows[dir]; found {
			return dir
		}
	}
	return pkg
}

type sourceFile struct {
	name    string // relative to the module
	home    string
	imports []string
}

// sourceFiles returns the module's Go files that are no tests, for whatever platform.
func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles", module+"/...")
	out, err := list.Output()
	require.NoError(t, err)
	var files []sourceFile
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			ImportPath, Dir                   string
			GoFiles, CgoFiles, IgnoredGoFiles []string
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(pkg.ImportPath, module+"/")
		if _, known := arrows[home(name)]; !known {
			t.Errorf("%s: a package that the architecture does not know", name)
		}
		for _, file := range slices.Concat(pkg.GoFiles, pkg.CgoFiles, pkg.IgnoredGoFiles) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			files = append(files, sourceFile{path.Join(name, file), home(name), imports(t, filepath.Join(pkg.Dir, file))})
		}
	}
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	var paths []string
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		paths = append(paths, imported)
	}
	return paths
}

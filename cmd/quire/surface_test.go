package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostExported says how many exported names a package may have at most, methods and fields
// included. A package without a row may have none. A number goes up only by names that are listed
// where they are decided on.
var mostExported = map[string]int{
	"cache":                    37, // Dir.Claim and Dir.InUse came
	"cmd":                      1,
	"partition":                209, // ClaimCache with Claim, ClaimHeld, PartialError.Cause, KindEmpty, Report.Empty, Params.FailEmpty, WithAnswerSpace, Stream.WriteCSV came
	"partition/batch":          61,  // Whole came
	"partition/element":        56,  // was part of partition; Parse came
	"partition/format":         48,  // Register with Encoder and Item, Read, Binary, KeepsMetadata, Text and Markdown came
	"partition/format/parquet": 1,
	"partition/local":          18, // Options.MaxBodies came
	"partition/partitiontest":  76,
	"partition/wire":           22,  // Do, Stat, StatOf, Scratch, Store, NewSpace and WithHeldElements came
	"retry":                    156, // Budget.SameAnswer, Budget.WholeAttempt, Call.Alive, Event.Same and StopSameAnswer came
	"split":                    51,  // PageKind, its six values, PageKindsVersion and Document.PageKinds came
}

// TestExportedSurface counts what a Go program can name: the surface that a version 1 would freeze.
func TestExportedSurface(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Dir,GoFiles", module+"/...")
	out, err := list.Output()
	require.NoError(t, err)
	counted := map[string]bool{}
	for packages := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct {
			ImportPath, Name, Dir string
			GoFiles               []string
		}
		if err := packages.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(pkg.ImportPath, module+"/")
		if pkg.Name == "main" || strings.Contains("/"+name+"/", "/internal/") {
			continue
		}
		counted[name] = true
		var s surface
		for _, file := range pkg.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, file), nil, 0)
			require.NoError(t, err)
			s.add(parsed)
		}
		if most := mostExported[name]; s.total() > most {
			t.Errorf("%s: %s: %d in all, at most %d", name, s, s.total(), most)
		}
	}
	for name := range mostExported {
		require.Contains(t, counted, name, "a row without a package")
	}
}

// A surface is how much a package exports.
type surface struct {
	names   int // functions, types, constants and variables
	methods int // of exported types
	fields  int // of exported structs, and methods of exported interfaces
}

func (s surface) total() int { return s.names + s.methods + s.fields }

func (s surface) String() string {
	return fmt.Sprintf("%d names, %d methods, %d fields", s.names, s.methods, s.fields)
}

// add counts the declarations of a file.
func (s *surface) add(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			switch {
			case !d.Name.IsExported():
			case d.Recv == nil:
				s.names++
			case ast.IsExported(receiver(d.Recv.List[0].Type)):
				s.methods++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.addSpec(spec)
			}
		}
	}
}

func (s *surface) addSpec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		s.names += exported(spec.Names)
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return
		}
		s.names++
		switch t := spec.Type.(type) {
		case *ast.StructType:
			s.addFields(t.Fields)
		case *ast.InterfaceType:
			s.addFields(t.Methods)
		}
	}
}

// addFields counts the fields that have names: what is embedded is counted with its own type.
func (s *surface) addFields(list *ast.FieldList) {
	for _, field := range list.List {
		s.fields += exported(field.Names)
	}
}

func exported(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

// receiver returns the name of a method's type: T of T, *T, T[P] and *T[P, Q].
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	default:
		return ""
	}
}

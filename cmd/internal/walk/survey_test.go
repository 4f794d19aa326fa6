package walk

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestSurvey(t *testing.T) {
	plant(t, "in/a.txt", "in/.b", "in/.c", "in/sub/d.txt", "in/e.tmp")
	require.NoError(t, os.WriteFile("in/empty", nil, 0o600))
	w, err := New(Options{
		Roots: []string{"in", "-"}, List: []Listed{{Path: "gone"}, {Path: "in/a.txt"}}, Exclude: []string{"*.tmp"}, StdinName: "stdin",
		Output: "out", Extension: ".json",
	})
	require.NoError(t, err)
	found, err := w.Survey(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, Survey{3, 1, 8, map[string]int{skipHidden: 2, skipExcluded: 1, skipEmpty: 1, skipTwice: 1}}, found)
}

func TestSurveyCollisions(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		o     Options
		want  string // "" where there is none
		fold  string // with foldCase; "" for the same
	}{
		"none": {files: []string{"in/a", "in/a.json", "in/b/a"}},
		"a folder in the place of a file": {
			files: []string{"in/a", "in/a.json/b"},
			want:  "in/a and in/a.json/b: one needs a folder where the output of the other would be",
		},
		"further down": {
			files: []string{"in/x/a", "in/x/a.json/b/c", "in/x/a-"},
			want:  "in/x/a and in/x/a.json/b/c: one needs a folder where the output of the other would be",
		},
		"a folder without documents": {files: []string{"in/a", "in/a.json/.hidden", "in/a.json/b/"}},
		"case of files": {
			files: []string{"in/A.txt", "in/B.txt", "in/a.txt"},
			fold:  "in/A.txt and in/a.txt would both write a.txt.json",
		},
		"case of folders": {
			files: []string{"in/Docs/a.txt", "in/b/b.txt", "in/docs/A.txt"},
			fold:  "in/Docs/a.txt and in/docs/A.txt would both write docs/A.txt.json",
		},
		"folders that become one and go together": {files: []string{"in/Docs/a.txt", "in/b/b.txt", "in/docs/c.txt"}},
		"case of a file and a folder": {
			files: []string{"in/A.JSON/b", "in/a"},
			fold:  "in/A.JSON/b and in/a: one needs a folder where the output of the other would be",
		},
		"case beyond ASCII": {
			files: []string{"in/STRASSE", "in/straße"},
			fold:  "in/STRASSE and in/straße would both write straße.json",
		},
		"what is left out collides with nothing": {files: []string{"in/a.txt", "in/b", "in/A.txt"}, o: Options{Exclude: []string{"A*"}}},
		"roots": {
			files: []string{"a", "a.json/b"}, o: Options{Roots: []string{"a.json", "a"}},
			want: "a.json/b and a: one needs a folder where the output of the other would be",
		},
		"roots by case": {
			files: []string{"in/x", "IN/x"}, o: Options{Roots: []string{"in", "IN"}},
			fold: "in/x and IN/x would both write IN/x.json",
		},
		"standard input": {
			files: []string{"stdin"}, o: Options{Roots: []string{"stdin", "-"}},
			want: "stdin and standard input would both write stdin.json",
		},
		"a list": {
			files: []string{"x/a", "y/a", "a"}, o: Options{Roots: []string{}, List: []Listed{{Path: "a"}, {Path: "x/a"}, {Path: "x/../../a"}}},
			want: "",
		},
		"a list by name": {
			files: []string{"x/a", "y/a"}, o: Options{Roots: []string{}, List: []Listed{{"x/a", "n"}, {"y/a", "n"}}},
			want: "x/a and y/a would both write n.json",
		},
		"a list and a root": {
			files: []string{"x/a", "y/x/a"}, o: Options{Roots: []string{"x"}, List: []Listed{{"y/x/a", "x/a"}}},
			want: "x/a and y/x/a would both write x/a.json",
		},
	} {
		t.Run(name, func(t *testing.T) {
			plant(t, test.files...)
			onDisk := 0
			require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(_ string, d fs.DirEntry, err error) error {
				if !d.IsDir() {
					onDisk++
				}
				return err
			}))
			if files := slices.DeleteFunc(test.files, func(name string) bool { return strings.HasSuffix(name, "/") }); onDisk < len(files) {
				t.Skip("the file system folds case itself")
			}
			test.o.Output, test.o.Extension, test.o.StdinName = "out", ".json", "stdin"
			if test.o.Roots == nil {
				test.o.Roots = []string{"in"}
			}
			for fold, want := range map[bool]string{false: test.want, true: max(test.want, test.fold)} {
				w, err := New(test.o)
				require.NoError(t, err)
				_, err = w.Survey(t.Context(), fold)
				if want == "" {
					require.NoError(t, err)
					continue
				}
				require.EqualError(t, err, want)
				require.ErrorAs(t, err, new(*UsageError))
				w.Output = ""
				_, err = w.Survey(t.Context(), fold)
				require.NoError(t, err, "on standard output nothing collides")
			}
		})
	}
}

// Outputs in the order of a walk collide for claims exactly where two of them are one file, or one
// is a folder above another.
func TestClaimsOfRandomTrees(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	elements := []string{"a", "A", "b", "a.j", "A.J", "b.j"}
	seen := map[string]int{}
	for range 5000 {
		tree := fstest.MapFS{}
		for range 1 + random.IntN(6) {
			var name []string
			for range 1 + random.IntN(3) {
				name = append(name, elements[random.IntN(len(elements))])
			}
			file := strings.Join(name, "/")
			if blocked := slices.ContainsFunc(inTheWay(file), func(other string) bool { _, ok := tree[other]; return ok }); !blocked {
				tree[file] = &fstest.MapFile{}
			}
		}
		var outputs []string
		require.NoError(t, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
			if tree[name] != nil && !d.IsDir() {
				outputs = append(outputs, name+".j")
			}
			return err
		}))
		for _, fold := range []bool{false, true} {
			want := collides(outputs, fold)
			whole, local := claimAll(outputs, fold, true), claimAll(outputs, fold, false)
			require.Equal(t, want, whole != nil, "%q fold %v", outputs, fold)
			if fold && local == errFoldersMerge { //nolint:errorlint // it is not wrapped
				seen["merged"]++
				continue
			}
			require.Equal(t, want, local != nil, "%q fold %v", outputs, fold)
			seen[fmt.Sprint(want, fold)]++
		}
	}
	for _, kind := range []string{"merged", "true true", "true false", "false true", "false false"} {
		require.Greater(t, seen[kind], 50, kind)
	}
}

// inTheWay are the folders above a name, and names below it that the elements of the test may make.
func inTheWay(name string) []string {
	var all []string
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		all = append(all, above)
	}
	return all
}

func collides(outputs []string, fold bool) bool {
	if fold {
		outputs = strings.Split(strings.ToLower(strings.Join(outputs, "\n")), "\n")
	}
	for i, one := range outputs {
		for j, other := range outputs {
			if i != j && (one == other || strings.HasPrefix(other, one+"/")) {
				return true
			}
		}
	}
	return false
}

func claimAll(outputs []string, fold, everything bool) error {
	c := &claims{foldCase: fold, everything: everything}
	for _, output := range outputs {
		if err := c.add(output); err != nil {
			return err
		}
	}
	return nil
}

func TestFoldName(t *testing.T) {
	for _, test := range []struct {
		one, other string
		same       bool
	}{
		{"A.txt", "a.TXT", true},
		{"\u00e9", "e\u0301", true},
		{"\u00c9", "e\u0301", true},
		{"Σ", "ς", true},
		{"straße", "STRASSE", true},
		{"a", "b", false},
		{"\xff", "\xfe", false},
		{"A\xff", "a\xff", false},
	} {
		require.Equal(t, test.same, foldName(test.one) == foldName(test.other), "%q %q", test.one, test.other)
	}
}

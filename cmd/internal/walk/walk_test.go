package walk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plant makes files in a new folder and goes there. A name that ends in a slash is an empty folder.
func plant(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(name, 0o700))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte("text"), 0o600))
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

// walked is what a walk comes upon, one line an entry: "path", "path -> name" where they differ,
// then what became of it.
func walked(t *testing.T, o Options) []string {
	t.Helper()
	w, err := New(o)
	require.NoError(t, err)
	var lines []string
	for e := range w.Entries(t.Context()) {
		line := filepath.ToSlash(e.Path)
		if e.Name != line {
			line += " -> " + e.Name
		}
		if e.Skip != "" {
			line += ": " + e.Skip
		}
		if e.Err != nil {
			line += ": error"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestWalk(t *testing.T) {
	plant(t, "in/b.txt", "in/a.txt", "in/.hidden/x.txt", "in/.h", "in/~$a.docx", "in/sub/c.txt", "in/sub-1/d.txt", "in/sub/empty/",
		"in/out/a.txt.json", "in/.quire/failed", "other/e.txt")
	require.NoError(t, os.WriteFile("in/empty.txt", nil, 0o600))
	require.NoError(t, os.WriteFile("in/large.txt", make([]byte, 1001), 0o600))
	require.NoError(t, os.WriteFile("in/medium.txt", make([]byte, 1000), 0o600))
	inside := []string{
		"in/.h -> .h: hidden", "in/.hidden -> .hidden: hidden", "in/.quire -> .quire: the state of a run", "in/a.txt -> a.txt",
		"in/b.txt -> b.txt", "in/empty.txt -> empty.txt: empty file", "in/large.txt -> large.txt: larger than --max-size",
		"in/medium.txt -> medium.txt", "in/sub/c.txt -> sub/c.txt", "in/sub-1/d.txt -> sub-1/d.txt",
		"in/~$a.docx -> ~$a.docx: an editor's lock file",
	}
	require.Equal(t, inside, walked(t, Options{Roots: []string{"in"}, Output: "in/out", MaxSize: 1000}))
	require.Equal(t, inside, walked(t, Options{Roots: []string{"./in/"}, Output: "other/../in/out", MaxSize: 1000}))

	t.Run("hidden", func(t *testing.T) {
		require.Equal(t, []string{"in/.h -> .h", "in/.hidden/x.txt -> .hidden/x.txt", "in/.quire -> .quire: the state of a run"},
			walked(t, Options{Roots: []string{"in"}, Hidden: true})[:3])
	})
	t.Run("several roots keep their paths", func(t *testing.T) {
		require.Equal(t, []string{"other/e.txt", "in/sub/c.txt", "- -> stdin", "in/.h"},
			walked(t, Options{Roots: []string{"other", "in/sub", "-", "in/.h"}, StdinName: "stdin"}))
	})
	t.Run("what is named is taken", func(t *testing.T) {
		require.Equal(t, []string{"in/.h -> .h"}, walked(t, Options{Roots: []string{"in/.h"}, Exclude: []string{"*"}}))
		require.Equal(t, []string{"in/large.txt -> large.txt: larger than --max-size"},
			walked(t, Options{Roots: []string{"in/large.txt"}, MaxSize: 1000}))
	})
	t.Run("an output folder that is made on the way", func(t *testing.T) {
		w, err := New(Options{Roots: []string{"other"}, Output: "other/made"})
		require.NoError(t, err)
		require.NoError(t, os.Mkdir("other/made", 0o700))
		require.NoError(t, os.WriteFile("other/made/x.json", []byte("[]"), 0o600))
		for e := range w.Entries(t.Context()) {
			require.Equal(t, "e.txt", e.Name)
			require.EqualValues(t, 4, e.Info.Size())
		}
	})
	t.Run("it ends with its context, and when nobody listens", func(t *testing.T) {
		w, err := New(Options{Roots: []string{"in"}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		reason := errors.New("enough")
		n := 0
		for range w.Entries(ctx) {
			n++
			cancel(reason)
		}
		require.Equal(t, 1, n)
		_, err = w.Survey(ctx, false)
		require.ErrorIs(t, err, reason)
		for range w.Entries(t.Context()) {
			n++
			break
		}
		require.Equal(t, 2, n)
	})
}

func TestWalkRoots(t *testing.T) {
	plant(t, "docs/sub/a.txt", "docs/b.txt", "doc/c.txt", "up/docs/sub/", "up/b.txt", "b.txt")
	for name, test := range map[string]struct {
		roots []string
		want  string
	}{
		"apart":           {[]string{"docs/sub", "doc", "docs/b.txt", "-"}, ""},
		"missing":         {[]string{"docs", "gone"}, "gone: no such file or folder"},
		"twice":           {[]string{"docs", "./docs/"}, "docs and ./docs/ would write to the same outputs"},
		"below":           {[]string{"docs", "doc", "docs/sub/a.txt"}, "docs and docs/sub/a.txt would write to the same outputs"},
		"above":           {[]string{"docs/sub/a.txt", "doc", "docs"}, "docs/sub/a.txt and docs would write to the same outputs"},
		"everything":      {[]string{"docs/sub/a.txt", "."}, "docs/sub/a.txt and . would write to the same outputs"},
		"everything else": {[]string{".", "doc"}, ". and doc would write to the same outputs"},
		"from above":      {[]string{"b.txt", "up/../b.txt"}, "b.txt and up/../b.txt would write to the same outputs"},
		"the output":      {[]string{"docs", "up/docs/../docs"}, "up/docs/../docs: the output folder is also the input"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{Roots: test.roots, Output: "up/docs"})
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
			require.ErrorAs(t, err, new(*UsageError))
		})
	}
}

func TestWalkSingle(t *testing.T) {
	plant(t, "docs/a.txt")
	for _, test := range []struct {
		o    Options
		want bool
	}{
		{Options{Roots: []string{"-"}}, true},
		{Options{Roots: []string{"docs/a.txt"}}, true},
		{Options{Roots: []string{"docs"}}, false},
		{Options{Roots: []string{"docs/a.txt", "-"}}, false},
		{Options{Roots: []string{"docs/a.txt"}, List: []Listed{}}, false},
	} {
		w, err := New(test.o)
		require.NoError(t, err)
		require.Equal(t, test.want, w.Single(), test.o)
	}
}

func TestWalkLinks(t *testing.T) {
	plant(t, "in/a.txt", "in/sub/b.txt", "in/out/old.json", "other/c.txt", "in/x.tmp")
	here, err := os.Getwd()
	require.NoError(t, err)
	for name, target := range map[string]string{
		"absolute":        filepath.Join(here, "in", "a.txt"), // though the root is relative
		"away":            "../other/c.txt",
		"dangling":        "gone.txt",
		"dangling-out":    "../gone.txt",
		"dangling.tmp":    "gone.txt",
		"folder":          "sub",
		"folder-out":      "../other",
		"good":            "sub/b.txt",
		"loop":            "loop",
		"no-folder":       "a.txt/b",
		"old":             "out/old.json",
		"ping":            "pong",
		"pong":            "ping",
		"sub/to-the-root": "..",
	} {
		link(t, target, filepath.Join("in", name))
	}
	link(t, "in", "root")
	want := []string{
		"a.txt", "absolute", "away: a link out of the folder", "dangling: a link that leads nowhere",
		"dangling-out: a link that leads nowhere", "dangling.tmp: excluded", "folder: a link to a folder",
		"folder-out: a link out of the folder", "good", "loop: a link that leads to itself", "no-folder: a link that leads nowhere",
		"old: the output folder", "ping: a link that leads to itself", "pong: a link that leads to itself", "sub/b.txt",
		"sub/to-the-root: a link to a folder", "x.tmp: excluded",
	}
	for _, root := range []string{"in", "root", filepath.Join(here, "root")} {
		var got []string
		for _, line := range walked(t, Options{Roots: []string{root}, Output: "in/out", Exclude: []string{"*.tmp"}}) {
			_, line, _ = strings.Cut(line, " -> ")
			got = append(got, line)
		}
		require.Equal(t, want, got, root)
	}
	w, err := New(Options{Roots: []string{"in"}, Include: []string{"good"}})
	require.NoError(t, err)
	for e := range w.Entries(t.Context()) {
		if e.Name == "good" {
			require.True(t, e.Info.Mode().IsRegular(), "what a link leads to")
		}
		if e.Name == "ping" {
			require.Equal(t, skipExcluded, e.Skip)
		}
	}
}

// A file that cannot be looked at, or a folder that cannot be read, fails alone.
func TestWalkUnreadable(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not count here")
	}
	plant(t, "in/a.txt", "in/locked/b.txt", "in/z.txt")
	require.NoError(t, os.Chmod("in/locked", 0))
	t.Cleanup(func() { _ = os.Chmod("in/locked", 0o700) })
	require.Equal(t, []string{"in/a.txt -> a.txt", "in/locked -> locked: error", "in/z.txt -> z.txt"},
		walked(t, Options{Roots: []string{"in"}}))
}

// Below the longest path that the system knows, a folder cannot be read: it is named, and the walk
// goes on.
func TestWalkTooDeep(t *testing.T) {
	plant(t, "in/z.txt")
	root, err := os.OpenRoot("in")
	require.NoError(t, err)
	for range 30 {
		if err := root.Mkdir(strings.Repeat("d", 200), 0o700); err != nil {
			t.Skipf("not so deep here: %v", err)
		}
		deeper, err := root.OpenRoot(strings.Repeat("d", 200))
		require.NoError(t, err)
		require.NoError(t, root.Close())
		root = deeper
	}
	require.NoError(t, root.Close())
	got := walked(t, Options{Roots: []string{"in"}})
	require.Len(t, got, 2)
	require.True(t, strings.HasSuffix(got[0], "ddd: error"), got[0])
	require.Equal(t, "in/z.txt -> z.txt", got[1])
}

func TestWalkNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems refuse some of these names")
	}
	names := []string{
		"-", "--help", "-x.pdf", "a\nb\x1b[31m.txt", `back\slash.txt`, "bad\xff\xfe.txt", "e\u0301.txt", "x.pdf", "x.pdf.json",
		strings.Repeat("y", 251) + ".txt", "\u00e9.txt",
	}
	plant(t, names...)
	w, err := New(Options{Roots: []string{"."}, Output: "out", Extension: ".json"})
	require.NoError(t, err)
	var got []string
	for e := range w.Entries(t.Context()) {
		require.True(t, e.Document())
		require.NotEqual(t, Stdin, e.Path)
		require.FileExists(t, e.Path)
		got = append(got, e.Name)
	}
	require.Equal(t, names, got)
	found, err := w.Survey(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, 11, found.Documents)
	require.EqualValues(t, 44, found.Bytes)
	_, err = w.Survey(t.Context(), true)
	require.EqualError(t, err, "e\u0301.txt and \u00e9.txt would both write \u00e9.txt.json")
}

func TestWalkList(t *testing.T) {
	plant(t, "docs/a.txt", "docs/sub/b.txt", "docs/.hidden.txt", "docs/out/x.json", "here/c.txt", "d.txt", "-")
	here, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir("here")
	absolute := filepath.Join(here, "d.txt")
	below := strings.TrimPrefix(filepath.ToSlash(absolute[len(filepath.VolumeName(absolute)):]), "/")
	list := []Listed{
		{Path: "../docs/sub"},          // a folder is gone through
		{Path: "../docs"},              // but not again
		{Path: "../docs/a.txt"},        // was found
		{Path: "../docs/.hidden.txt"},  // was not taken
		{Path: "gone.txt"},             // fails alone
		{Path: "./c.txt"},              //
		{Path: "../here/../gone.txt"},  // another one
		{Path: "gone.txt"},             // fails once
		{Path: absolute},               // its output is inside all the same
		{Path: "../-"},                 // no standard input
		{Path: "../d.txt", Name: "x/"}, // called otherwise
		{Path: "../docs/out"},          // the output
	}
	want := []string{
		"../docs/sub/b.txt -> docs/sub/b.txt", "../docs/.hidden.txt -> docs/.hidden.txt: hidden", "../docs/a.txt -> docs/a.txt",
		"../docs/sub -> docs/sub: already listed", "../docs/a.txt -> docs/a.txt: already listed",
		"../docs/.hidden.txt -> docs/.hidden.txt", "gone.txt: error", "./c.txt -> c.txt",
		"../here/../gone.txt -> gone.txt: error", "gone.txt: already listed",
		filepath.ToSlash(absolute) + " -> " + below, "../- -> -", "../d.txt -> x", "../docs/out -> docs/out: the output folder",
	}
	require.Equal(t, want, walked(t, Options{List: list, Output: "../docs/out"}))

	t.Chdir("..")
	require.Equal(t, []string{"d.txt", "./- -> -", "./d.txt -> d.txt: already listed"},
		walked(t, Options{Roots: []string{"d.txt"}, List: []Listed{{Path: "-"}, {Path: "./d.txt"}}}))
	require.Equal(t, []string{"here/c.txt"}, walked(t, Options{Roots: []string{"here"}, List: []Listed{}}),
		"names do not depend on what is in the list")
}

func TestOutputName(t *testing.T) {
	for root, want := range map[string]string{
		"a.txt": "a.txt", "./a/../b/": "b", "/abs/x": "abs/x", "../../x": "x", "..": ".", ".": ".", "/": ".", "../..": ".",
		"..a/b": "..a/b", "/../x": "x", "-x": "-x", "a//b": "a/b",
	} {
		require.Equal(t, want, outputName(root), root)
	}
}

// Whatever a path is, its output stands inside the folder.
func FuzzOutputName(f *testing.F) {
	for _, seed := range []string{"a", "../a", "/a", "..", ".../..", "a/../../b", "//x//", "\xff", "../", `..\..\a`, "./../.", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if strings.ContainsRune(path, 0) {
			t.Skip("no path")
		}
		name := outputName(path)
		require.True(t, filepath.IsLocal(filepath.FromSlash(name)) || runtime.GOOS == "windows", name)
		require.Equal(t, name, outputName(name))
	})
}

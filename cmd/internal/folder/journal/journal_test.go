package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// open opens the journal of dir; what it warns of is appended to the list.
func open(t *testing.T, dir string, warnings *[]string) (*Journal, error) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return Open(root, dir, NewDisk(func(err error) { t.Error(err) }), func(err error) {
		if warnings == nil {
			t.Errorf("unexpected warning: %s", err)
			return
		}
		*warnings = append(*warnings, err.Error())
	})
}

func mustOpen(t *testing.T, dir string) *Journal {
	t.Helper()
	j, err := open(t, dir, nil)
	require.NoError(t, err)
	return j
}

func full(name string) Record {
	return Record{
		Name: name, Path: "/in/" + name, Stat: Stat{Size: 7, MTime: 1e18 + 1, CTime: 1e18 + 2, Inode: 1 << 60, Taken: 2e18}, SHA256: "ab",
		Params: "cd", State: Partial, Attempts: 3, Elements: 4, Pages: 5, Missing: []string{"6-7"}, Kind: "server", Status: 500,
		Error: "so\nit is", Final: true, Output: 9, Engine: "http://x", Version: "0.1.0",
	}
}

func TestWhatIsWrittenIsFoundAgain(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	records := []Record{full("a.json"), full("b/ü 文.json"), full("not\xffutf8\xfe.json"), {Name: "least.json", State: Done}}
	require.NoError(t, j.Append(records...))
	changed := full("a.json")
	changed.State, changed.Elements = Done, 99
	require.NoError(t, j.Append(changed))
	records[0] = changed
	for range 2 {
		for _, want := range records {
			got, ok := j.Lookup(want.Name)
			require.True(t, ok, want.Name)
			require.Equal(t, want, got)
		}
		_, ok := j.Lookup("c.json")
		require.False(t, ok)
		require.NoError(t, j.Close())
		j = mustOpen(t, dir)
	}
	require.NoError(t, j.Close())
	for _, name := range []string{manifestName, lockName} {
		info, err := os.Stat(filepath.Join(dir, Folder, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode())
	}
	for _, name := range []string{Folder, filepath.Join(Folder, tempName)} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
}

// TestCutAnywhere cuts a manifest at every byte: what was whole is found, and the next record does
// not run into what was torn.
func TestCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	names := []string{"a", "b", "c"}
	ends := []int64{j.end}
	for _, name := range names {
		require.NoError(t, j.Append(Record{Name: name, State: Done}))
		ends = append(ends, j.end)
	}
	require.NoError(t, j.Close())
	manifest := filepath.Join(dir, Folder, manifestName)
	whole, err := os.ReadFile(manifest)
	require.NoError(t, err)
	for cut := range len(whole) + 1 {
		require.NoError(t, os.WriteFile(manifest, whole[:cut], 0o600))
		j := mustOpen(t, dir)
		for i, name := range names {
			_, ok := j.Lookup(name)
			require.Equal(t, int64(cut) >= ends[i+1], ok, "%s of %d bytes", name, cut)
		}
		require.NoError(t, j.Append(Record{Name: "new", State: Failed}))
		require.NoError(t, j.Close())
		j = mustOpen(t, dir)
		r, ok := j.Lookup("new")
		require.True(t, ok)
		require.Equal(t, Failed, r.State)
		require.NoError(t, j.Close())
	}
}

func TestDamageCostsOneRecord(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	require.NoError(t, j.Append(Record{Name: "a", State: Done}, Record{Name: "b", State: Done}, Record{Name: "c", State: Done}))
	require.NoError(t, j.Close())
	manifest := filepath.Join(dir, Folder, manifestName)
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(manifest, bytes.Replace(text, []byte(`{"name":"b"`), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 1), 0o600))
	var warnings []string
	j, err = open(t, dir, &warnings)
	require.NoError(t, err)
	require.Equal(t, []string{".quire/manifest.jsonl: 1 of 3 records cannot be read; their documents will be sent again"}, warnings)
	for name, want := range map[string]bool{"a": true, "b": false, "c": true} {
		_, ok := j.Lookup(name)
		require.Equal(t, want, ok, name)
	}
	require.NoError(t, j.Close())
}

func TestUnknownFormats(t *testing.T) {
	for content, want := range map[string]string{
		`{"quire_manifest":2}` + "\n" + `{"name":"a"}` + "\n": "the manifest has format 2, this version of quire writes format 1",
		"something else\nentirely\n":                          "not a manifest",
		strings.Repeat("\x00", 3000):                          "not a manifest",
		`{"quire_manifest":3`:                                 "not a manifest",
	} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, Folder), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, Folder, manifestName), []byte(content), 0o600))
		var warnings []string
		j, err := open(t, dir, &warnings)
		require.NoError(t, err)
		require.Len(t, warnings, 1)
		require.Contains(t, warnings[0], want+": renamed to manifest.jsonl.unknown; every document will be sent again")
		_, ok := j.Lookup("a")
		require.False(t, ok)
		require.NoError(t, j.Append(Record{Name: "b", State: Done}))
		require.NoError(t, j.Close())
		aside, err := os.ReadFile(filepath.Join(dir, Folder, manifestName+".unknown"))
		require.NoError(t, err)
		require.Equal(t, content, string(aside))
		j = mustOpen(t, dir)
		_, ok = j.Lookup("b")
		require.True(t, ok)
		require.NoError(t, j.Close())
	}
}

func TestGrowsNoLargerThanItMust(t *testing.T) {
	dir := t.TempDir()
	for range 5 {
		j := mustOpen(t, dir)
		for n := range 500 {
			require.NoError(t, j.Append(Record{Name: fmt.Sprint(n), State: Done}))
		}
		require.NoError(t, j.Close())
	}
	j := mustOpen(t, dir)
	require.Equal(t, 500, j.lines, "written anew")
	require.Len(t, slices.Collect(j.Unseen(false)), 500)
	for n := range 500 {
		_, ok := j.Lookup(fmt.Sprint(n))
		require.True(t, ok)
	}
	require.Empty(t, slices.Collect(j.Unseen(false)))
	require.NoError(t, j.Close())
	left, err := os.ReadDir(filepath.Join(dir, Folder, tempName))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestUnseen(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	require.NoError(t, j.Append(Record{Name: "b", State: Failed}, Record{Name: "a", State: Partial}, Record{Name: "c", State: Done}, Record{Name: "d", State: Failed}))
	require.Empty(t, slices.Collect(j.Unseen(false)))
	require.NoError(t, j.Close())
	j = mustOpen(t, dir)
	_, _ = j.Lookup("d")
	require.NoError(t, j.Append(Record{Name: "b", State: Done}))
	names := func(failing bool) (names []string) {
		for r := range j.Unseen(failing) {
			names = append(names, r.Name)
		}
		return names
	}
	require.Equal(t, []string{"a", "c"}, names(false))
	require.Equal(t, []string{"a"}, names(true))
	require.NoError(t, j.Close())
}

func TestOneRunAtATime(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, dir)
	under := filepath.Join(dir, Folder, tempName, "under way")
	require.NoError(t, os.WriteFile(under, nil, 0o600))
	_, err := open(t, dir, nil)
	var held *HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, os.Getpid(), held.Holder.PID)
	require.WithinDuration(t, time.Now(), held.Holder.Since, time.Minute)
	require.ErrorContains(t, err, fmt.Sprintf("another run is using this folder: process %d on ", os.Getpid()))
	require.FileExists(t, under, "only who holds the lock clears up")
	require.NoError(t, first.Close())
	second := mustOpen(t, dir)
	require.NoFileExists(t, under)
	require.NoError(t, second.Close())
}

func TestAHolderThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, Folder, holderName), []byte("{"), 0o600))
	_, err := open(t, dir, nil)
	require.EqualError(t, err, "another run is using this folder")
	require.NoError(t, first.Close())
}

func TestWhatStandsInItsPlace(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, Folder)))
	_, err := open(t, dir, nil)
	require.EqualError(t, err, ".quire: not a folder")
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)

	for _, name := range []string{manifestName, lockName, holderName} {
		dir = t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, Folder, name), 0o700))
		_, err = open(t, dir, nil)
		require.EqualError(t, err, ".quire/"+name+": not a regular file", "a pipe would be waited for")
	}

	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, Folder), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(outside, "manifest"), filepath.Join(dir, Folder, manifestName)))
	_, err = open(t, dir, nil)
	require.Error(t, err, "a link out of the folder is not followed")
	require.NoFileExists(t, filepath.Join(outside, "manifest"))
}

func TestAVeryLongLine(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	require.NoError(t, j.Append(Record{Name: "a", State: Done}, Record{Name: "b", State: Done, Error: strings.Repeat("x", 2*longestLine)}, Record{Name: "c", State: Done}))
	require.NoError(t, j.Close())
	j = mustOpen(t, dir)
	for _, name := range []string{"a", "b", "c"} {
		r, ok := j.Lookup(name)
		require.True(t, ok, name)
		require.Equal(t, name == "b", len(r.Error) == 2*longestLine)
	}
	require.NoError(t, j.Close())
}

// TestAnAppendThatFails makes sure that nothing half written is taken for a record, and that no
// later one hides the failure.
func TestAnAppendThatFails(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, dir)
	require.NoError(t, j.Append(Record{Name: "a", State: Done}))
	writable := j.manifest
	var err error
	j.manifest, err = os.Open(filepath.Join(dir, Folder, manifestName)) // for reading only
	require.NoError(t, err)
	require.Error(t, j.Append(Record{Name: "b", State: Done}))
	_, ok := j.Lookup("b")
	require.False(t, ok)
	require.NoError(t, j.manifest.Close())
	j.manifest = writable
	require.Error(t, j.Append(Record{Name: "c", State: Done}), "the first failure is the last word")
	require.NoError(t, j.Close())
}

// TestTrusted has the rule: a file whose times are not older than the record, by more than a step
// of the clock, may have been changed without its times showing it.
func TestFailedList(t *testing.T) {
	var list bytes.Buffer
	wrote := []Failure{
		FailureOf(full("a.pdf.json"), "a.pdf"),
		{Path: "not\xffutf8", Name: "b", Kind: "local", Message: "x"},
	}
	for _, f := range wrote {
		require.NoError(t, f.Write(&list))
	}
	require.Equal(t, `{"path":"/in/a.pdf.json","name":"a.pdf","sha256":"ab","kind":"server","status":500,"final":true,"attempts":3,`+
		`"pages":["6-7"],"message":"so\nit is"}`, strings.SplitN(list.String(), "\n", 2)[0])
	read, err := ReadFailed(&list)
	require.NoError(t, err)
	require.Equal(t, wrote, read)
	read, err = ReadFailed(strings.NewReader("\n" + `{"path":"a"}` + "\n"))
	require.NoError(t, err)
	require.Equal(t, []Failure{{Path: "a"}}, read)
	for content, want := range map[string]string{"x\n": "line 1: ", "{\"path\":\"a\"}\n{}\n": "line 2: no path"} {
		_, err := ReadFailed(strings.NewReader(content))
		require.ErrorContains(t, err, want)
	}
}

// FuzzManifest opens whatever stands in the manifest: there is no panic, and what is written then
// is found.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"quire_manifest":1}` + "\n" + `{"name":"a","state":"done"}` + "\n"))
	f.Add([]byte(`{"quire_manifest":1}` + "\n" + `{"name":"a","size":1e400}` + "\n\n[]\nnull\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, Folder), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, Folder, manifestName), content, 0o600))
		var warnings []string
		j, err := open(t, dir, &warnings)
		require.NoError(t, err)
		_, _ = j.Lookup("a")
		require.NoError(t, j.Append(full("a")))
		require.NoError(t, j.Close())
		if j, err = open(t, dir, &warnings); err != nil {
			t.Fatal(err)
		}
		r, ok := j.Lookup("a")
		require.True(t, ok)
		require.Equal(t, full("a"), r)
		require.NoError(t, j.Close())
	})
}

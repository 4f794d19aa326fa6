package main_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/cmd"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// commandEnv makes this test binary the command: its tests start it again.
const commandEnv = "QUIRE_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandEnv) != "" {
		os.Exit(cmd.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// An upgradeFixture is a folder in which a released program worked, and what it did there. It lies
// in testdata/upgrade/VERSION as runs.json and folder.tar.gz; the README beside these says how one
// is made. In the folder are
//
//	docs/ and others   what was partitioned, policy files, a list of documents, a password
//	cache/             the answers
//	out/               outputs, their journals and failed lists, and what went to standard output
//	later/             the same of runs that failed for a time; these are not run again
//
// The folder's own path stands in the archive as [folderMark], in names as in texts.
type upgradeFixture struct {
	Program string       `json:"program"` // what its "quire version" said
	Runs    []upgradeRun `json:"runs"`    // in the order in which they were done
	// Retries run failed lists again, against a server that answers everything. Each starts from
	// the archive.
	Retries []upgradeRun `json:"retries"`
}

// An upgradeRun is one command.
type upgradeRun struct {
	Args   []string `json:"args"`
	Env    []string `json:"env,omitempty"`
	Stdin  string   `json:"stdin,omitempty"`  // file
	Stdout string   `json:"stdout,omitempty"` // file with what it wrote there
	Exit   int      `json:"exit"`
	// Refused are the documents, or pages of documents, that the server had declared final:
	// "bad.txt", "broken.pdf 3". They have no stored answer, so that they are sent again where
	// their outputs and the journal are gone.
	Refused []string `json:"refused,omitempty"`
	// Sends are the requests of a retry, sorted: "busy.txt", "busy.pdf 3-4".
	Sends []string `json:"sends,omitempty"`
	// Words: the words in its output may be spelled with underscores instead of hyphens, or the
	// other way round.
	Words bool `json:"words,omitempty"`
}

const (
	// folderMark stands in an archive for the folder's path, without its first slash.
	folderMark = "UPGRADE_FOLDER"

	// upgradeURL is the server of all runs: cache and journal know servers by their URL. It is
	// reached through a proxy.
	upgradeURL = "http://partition.example"

	finalAnswer = `{"detail":"the document cannot be read","retryable":false}`
)

// What a release has done stays done. In its folder, copied so that all files have new times, its
// commands send nothing, end as they did and leave the same bytes. Where the outputs are gone, with
// the journals or without, nothing is sent that was answered.
func TestUpgrade(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fixtures' paths begin with a slash")
	}
	fixtures, err := filepath.Glob("../../testdata/upgrade/*/runs.json")
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, runs := range fixtures {
		t.Run(filepath.Base(filepath.Dir(runs)), func(t *testing.T) {
			t.Parallel()
			checkUpgrade(t, filepath.Dir(runs))
		})
	}
}

func checkUpgrade(t *testing.T, dir string) {
	data, err := os.ReadFile(filepath.Join(dir, "runs.json"))
	require.NoError(t, err)
	var fixture upgradeFixture
	require.NoError(t, json.Unmarshal(data, &fixture))
	require.NotEmpty(t, fixture.Runs)
	require.NotEmpty(t, fixture.Retries)
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, folder string)
		sends   bool // what the server had declared final
	}{
		{"same command again", func(*testing.T, string) {}, false},
		{"outputs gone", func(t *testing.T, folder string) {
			for name := range upgradeFiles(t, folder) {
				if strings.HasPrefix(name, "out/") {
					require.NoError(t, os.Remove(filepath.Join(folder, name)))
				}
			}
		}, true},
		{"outputs and journals gone", func(t *testing.T, folder string) {
			require.NoError(t, os.RemoveAll(filepath.Join(folder, "out")))
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := unpackUpgrade(t, dir)
			files, failures := upgradeFiles(t, folder), upgradeFailures(t, folder)
			require.NotEmpty(t, failures)
			tt.prepare(t, folder)
			if tt.sends {
				maps.Copy(files, madeAnew)
			}
			for _, run := range fixture.Runs {
				server := newUpgradeServer(t, partitiontest.Fault{Do: partitiontest.Reply(500, finalAnswer)})
				run.check(t, folder, server, files)
				for _, r := range server.Requests() {
					require.True(t, tt.sends && run.refused(r), "%q sent %s", run.Args, requestName(r))
				}
			}
			require.Equal(t, files, upgradeFiles(t, folder))
			require.Equal(t, failures, upgradeFailures(t, folder))
		})
	}
	for _, run := range fixture.Retries {
		t.Run(strings.Join(run.Args, " "), func(t *testing.T) {
			t.Parallel()
			folder := unpackUpgrade(t, dir)
			server := newUpgradeServer(t)
			run.check(t, folder, server, upgradeFiles(t, folder))
			require.Equal(t, run.Sends, requestNames(server))
		})
	}
}

// madeAnew are the outputs that differ where they are made anew: since 0.2.0 Markdown has links.
var madeAnew = map[string]string{
	"out/local/news.html.md": "# News from the island\n\nThe ferry sails again from [the old harbour](<https://example.org/harbour>) since last week.\n\n" +
		"- Departure at nine\n- Return at five\n",
}

// check runs the command again. It must end as it did, and write to standard output what it wrote.
func (run upgradeRun) check(t *testing.T, folder string, server *partitiontest.Server, files map[string]string) {
	t.Helper()
	stdout, stderr, exit := run.start(t, folder, server, os.Args[0])
	require.Equal(t, run.Exit, exit, "%q: %s", run.Args, stderr)
	want := files[run.Stdout]
	if run.Words {
		hyphens := strings.NewReplacer("-", "_") // words are spelt with underscores
		want, stdout = hyphens.Replace(asToday(want)), hyphens.Replace(stdout)
	}
	require.Equal(t, want, stdout, "%q", run.Args)
	if run.Stdout != "" {
		writeUpgradeFile(t, filepath.Join(folder, run.Stdout), files[run.Stdout])
	}
}

// asToday is a policy's table of a release with what later ones changed on purpose: since 0.2.0 a
// rule that says nothing of waits obeys Retry-After, the longest Retry-After has a default, and
// there is a row for the same answer, and a body must bring 1 KiB, no longer one byte, in its time, and there is a row
// for the whole attempt.
func asToday(table string) string {
	if strings.Contains(table, "| same answer |") {
		return table
	}
	return strings.NewReplacer(
		"| retry | backoff |", "| retry | Retry-After, else backoff |",
		"| retry, counts as outage | backoff |", "| retry, counts as outage | Retry-After, else backoff |",
		"| longest Retry-After | no limit |", "| same answer | no limit |\n| longest Retry-After | 5m |",
		"| attempt to headers |", "| whole attempt | no limit |\n| attempt to headers |",
		"| body without a byte |", "| body without 1 KiB |",
		"| longest Retry-After |", "| same answer | no limit |\n| longest Retry-After |",
	).Replace(table)
}

// start runs the command with a program, in the folder.
func (run upgradeRun) start(
	t *testing.T, folder string, server *partitiontest.Server, program string,
) (stdout, stderr string, exit int) {
	t.Helper()
	cache, err := os.UserCacheDir() // where the embedded engine's compiled reader is; --cache-dir says where the answers are
	if err != nil {
		cache = t.TempDir()
	}
	var args []string
	for _, arg := range run.Args {
		args = append(args, strings.ReplaceAll(arg, folderMark, folder[1:]))
	}
	c := exec.CommandContext(t.Context(), program, args...)
	c.Dir = folder
	c.Env = append([]string{
		commandEnv + "=1", "HOME=" + folder, "XDG_CACHE_HOME=" + cache, "TMPDIR=" + t.TempDir(), "UNSTRUCTURED_API_URL=" + upgradeURL,
		"HTTP_PROXY=" + server.URL,
	}, run.Env...)
	if run.Stdin != "" {
		in, err := os.Open(filepath.Join(folder, run.Stdin))
		require.NoError(t, err)
		defer in.Close()
		c.Stdin = in
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// refused reports whether a request is for what the server had declared final.
func (run upgradeRun) refused(r partitiontest.Request) bool {
	return slices.ContainsFunc(run.Refused, func(refused string) bool {
		file, page, paged := strings.Cut(refused, " ")
		n, _ := strconv.Atoi(page)
		return r.File == file && (!paged || r.Pages.First <= n && n <= r.Pages.Last)
	})
}

func newUpgradeServer(t *testing.T, faults ...partitiontest.Fault) *partitiontest.Server {
	t.Helper()
	server := partitiontest.NewServer(partitiontest.Options{AllowFields: []string{"new_field"}})
	t.Cleanup(server.Close)
	server.Script(faults...)
	return server
}

func requestNames(server *partitiontest.Server) []string {
	var names []string
	for _, r := range server.Requests() {
		names = append(names, requestName(r))
	}
	slices.Sort(names)
	return names
}

func requestName(r partitiontest.Request) string {
	if r.Pages == (split.PageRange{}) {
		return r.File
	}
	return r.File + " " + r.Pages.String()
}

// upgradeFiles returns the files of a fixture's folder that must stay as they are: all but journals
// and the cache.
func upgradeFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".quire" || d.Name() == "cache") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(folder, path)
			files[filepath.ToSlash(name)] = string(data)
		}
		return nil
	}))
	return files
}

// upgradeFailures returns the documents of the failed lists in a fixture's folder: path, name, and
// whether that was final.
func upgradeFailures(t *testing.T, folder string) []string {
	t.Helper()
	lists, err := filepath.Glob(filepath.Join(folder, "out", "*", ".quire", "failed.jsonl"))
	require.NoError(t, err)
	var failures []string
	for _, list := range lists {
		file, err := os.Open(list)
		require.NoError(t, err)
		defer file.Close()
		for lines := json.NewDecoder(file); ; {
			var failure struct {
				Path, Name string
				Final      bool
			}
			if err := lines.Decode(&failure); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(list, err)
			}
			where, _ := filepath.Rel(folder, list)
			failures = append(failures, strings.Join([]string{where, failure.Path, failure.Name, strconv.FormatBool(failure.Final)}, " "))
		}
	}
	slices.Sort(failures)
	return failures
}

// unpackUpgrade unpacks a fixture's folder, private to the user as a run leaves it, and returns its
// path.
func unpackUpgrade(t *testing.T, dir string) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	archive, err := os.Open(filepath.Join(dir, "folder.tar.gz"))
	require.NoError(t, err)
	defer archive.Close()
	unzipped, err := gzip.NewReader(archive)
	require.NoError(t, err)
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		require.NoError(t, err)
		data, err := io.ReadAll(files)
		require.NoError(t, err)
		writeUpgradeFile(t, filepath.Join(folder, strings.ReplaceAll(header.Name, folderMark, folder[1:])),
			strings.ReplaceAll(string(data), folderMark, folder[1:]))
	}
}

func writeUpgradeFile(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

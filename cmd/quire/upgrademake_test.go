//go:build conformance

package main_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

// TestMakeUpgrade makes the fixture of a release and checks it. Without a word it is made of the
// program as it is, and thrown away. To keep it:
//
//	QUIRE_UPGRADE_PROGRAM=/path/to/the/released/quire QUIRE_UPGRADE_DIR=$PWD/testdata/upgrade/0.2.0 \
//		go test -tags=conformance -run '^TestMakeUpgrade$' ./cmd/quire
func TestMakeUpgrade(t *testing.T) {
	program, dir := cmp.Or(os.Getenv("QUIRE_UPGRADE_PROGRAM"), os.Args[0]), cmp.Or(os.Getenv("QUIRE_UPGRADE_DIR"), t.TempDir())
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, content := range upgradeInputs(t) {
		writeUpgradeFile(t, filepath.Join(folder, name), content)
	}
	final, busy := upgradeFaults(t)
	fixture := upgradeFixture{Runs: upgradeRuns, Retries: upgradeRetries}
	version, _, _ := upgradeRun{Args: []string{"version"}}.start(t, folder, newUpgradeServer(t), program)
	fixture.Program = strings.TrimSpace(version)
	for _, run := range slices.Concat(upgradeBusy, fixture.Runs) {
		server := newUpgradeServer(t, append(slices.Clone(final), busy...)...)
		stdout, stderr, exit := run.start(t, folder, server, program)
		require.Equal(t, run.Exit, exit, "%q: %s", run.Args, stderr)
		require.Empty(t, server.Violations())
		require.Equal(t, run.Stdout != "", stdout != "", "%q: %s", run.Args, stdout)
		if run.Stdout != "" {
			writeUpgradeFile(t, filepath.Join(folder, run.Stdout), stdout)
		}
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	packUpgrade(t, folder, filepath.Join(dir, "folder.tar.gz"))
	for i := range fixture.Retries {
		run, server := &fixture.Retries[i], newUpgradeServer(t)
		_, stderr, exit := run.start(t, unpackUpgrade(t, dir), server, program)
		require.Equal(t, run.Exit, exit, "%q: %s", run.Args, stderr)
		run.Sends = requestNames(server)
	}
	var runs bytes.Buffer
	lines := json.NewEncoder(&runs)
	lines.SetEscapeHTML(false)
	lines.SetIndent("", "\t")
	require.NoError(t, lines.Encode(fixture))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "runs.json"), runs.Bytes(), 0o644))
	checkUpgrade(t, dir)
}

// upgradeInputs are the files of the folder before the first run.
func upgradeInputs(t *testing.T) map[string]string {
	t.Helper()
	inputs := map[string]string{
		"docs/report.pdf":              string(partitiontest.NewPDF(7)), // four chunks
		"docs/broken.pdf":              string(partitiontest.NewPDF(6)),
		"docs/two words/Größe 表 é.pdf": string(partitiontest.NewPDF(3)),
		"docs/deep/er/a.b.c.txt":       "A text in a folder of a folder.\n",
		"docs/bad.txt":                 "The server cannot read this.\n",
		"docs/.hidden.txt":             "Nobody asked for this.\n",
		"busy/busy.txt":                "The server has no time for this.\n",
		"busy/busy.pdf":                string(partitiontest.NewPDF(4)),
		"busy/good.txt":                "The server has time for this.\n",
		"password.txt":                 "keeper\n",
		"policy.yaml":                  upgradePolicy,
		"policy.json":                  `{"name":"short","rules":[{"name":"lost","when":{"kind":["reset-after-sent"]},"do":"retry"}],"default":"return","backoff":{"initial":"1s"},"budget":{"attempts":2}}`,
		"list.txt": "docs/report.pdf\n" +
			`{"path": "docs/deep/er/a.b.c.txt", "name": "renamed.md", "id": {"row": 7}, "params": {"strategy": "fast", "languages": ["eng", "deu"], "coordinates": true}}` +
			"\n" + `{"path": "docs/two words/Größe 表 é.pdf", "id": "x"}` + "\n",
	}
	for _, name := range []string{"guide.pdf", "letter.txt", "news.html", "notes.md", "tides.csv"} {
		data, err := os.ReadFile(filepath.Join("../../testdata/demo", name))
		require.NoError(t, err)
		inputs["docs/demo/"+name] = string(data)
	}
	api.DisableConfigDir()
	var locked bytes.Buffer
	require.NoError(t, api.Encrypt(strings.NewReader(inputs["docs/report.pdf"]), &locked, model.NewAESConfiguration("keeper", "owner", 256)))
	inputs["secret/locked.pdf"] = locked.String()
	return inputs
}

// upgradePolicy uses every member of a policy, in the spelling of 0.1.0.
const upgradePolicy = `name: mine
about: A policy with everything in it.
rules:
  - name: declared final
    when: {status: ["4XX", "5XX"], json: {retryable: false}}
    do: return
    final: true
    why: the server says so
  - name: throttled
    when: {status: ["429"], header: [Retry-After]}
    do: retry
    wait: header
    why: too fast
  - name: gateway
    when: {status: ["502-504"]}
    do: retry
    outage: true
    why: nobody behind it
  - name: never arrived
    when: {kind: [dial, dns, reset-before-sent]}
    do: retry
    outage: true
  - name: arrived
    when: {kind: [reset-after-sent, timeout, idle, truncated, decode]}
    do: retry
  - name: broken
    when: {kind: [tls]}
    do: return
default: return
backoff: {initial: 100ms, max: 2s, factor: 3, jitter: full}
budget:
  attempts: 5
  min_retries: 1
  soft_elapsed: 1m
  hard_elapsed: 2m
  resends: 2
  retry_after: 30s
  to_headers: 5m
  body_idle: 1m
  silence: 30s
`

// upgradeFaults are what the server does: what it says for good, and what it says while it is busy.
func upgradeFaults(t *testing.T) (final, busy []partitiontest.Fault) {
	t.Helper()
	elements, err := os.ReadFile("../../testdata/format/elements.json") // of every kind, with an image
	require.NoError(t, err)
	no := partitiontest.Reply(500, finalAnswer)
	later := partitiontest.Reply(422, `{"detail":"not now"}`) // not sent again, and not declared final
	final = []partitiontest.Fault{
		{File: "bad.txt", Do: no},
		{File: "broken.pdf", Pages: split.PageRange{First: 3, Last: 3}, Do: no},
		{File: "news.html", Do: partitiontest.Reply(200, string(elements))},
	}
	busy = []partitiontest.Fault{
		{File: "busy.txt", Do: later},
		{File: "busy.pdf", Pages: split.PageRange{First: 3, Last: 3}, Do: later},
	}
	return final, busy
}

// partitionArgs are those of a quire partition with the fixture's cache.
func partitionArgs(args ...string) []string {
	return append([]string{"partition", "--cache-dir", "cache", "--progress", "none"}, args...)
}

var refusedInDocs = []string{"bad.txt", "broken.pdf 3"}

// upgradeRuns are what is done in the folder, in this order.
var upgradeRuns = []upgradeRun{
	// A folder, with a document that fails and one that lacks a page; the same from another width.
	{Args: partitionArgs("docs", "-o", "out/json", "--allow-failed", "--narrow"), Exit: 3, Refused: refusedInDocs},
	// One chunk at a time: what follows the page that fails is never sent.
	{
		Args: partitionArgs("docs", "-o", "out/strict", "--strategy", "fast", "--split-concurrency", "1"),
		Exit: 3, Refused: refusedInDocs,
	},

	// Every format in one folder, with what shapes outputs.
	{Args: partitionArgs("docs/demo", "docs/two words", "-o", "out/formats", "-f", "jsonl", "--source-field")},
	{Args: partitionArgs("docs/demo", "docs/two words", "-o", "out/formats", "-f", "markdown")},
	{Args: partitionArgs("docs/demo", "docs/two words", "-o", "out/formats", "-f", "text", "--element-types", "NarrativeText,Title")},
	{Args: partitionArgs("docs/demo", "docs/two words", "-o", "out/formats", "-f", "csv", "--csv-safe")},
	{Args: partitionArgs("docs/demo", "-o", "out/flat", "-f", "jsonl", "--flatten-metadata", "--metadata-exclude", "languages")},
	{Args: partitionArgs("docs/demo/news.html", "-o", "out/images", "--images", "out/pictures", "--metadata-include", "filename,page_number")},
	{Args: partitionArgs("docs/demo/guide.pdf", "docs/demo/letter.txt", "-o", "out/servercsv", "--output-format", "text/csv")},

	// Parameters, and how a PDF is cut.
	{Args: partitionArgs("docs/report.pdf", "-o", "out/pages", "--pages", "2-6", "--split-concurrency", "2", "--strategy", "hi_res",
		"--languages", "eng,deu", "--coordinates", "--skip-infer-table-types", "pdf,jpg", "--param", "new_field=1")},
	{Args: partitionArgs("docs/report.pdf", "-o", "out/unsplit", "--no-split", "--unique-element-ids=false")},
	{Args: partitionArgs("docs/report.pdf", "-o", "out/buffered", "--chunk-mode", "buffered", "--repair-parents")},
	{Args: partitionArgs("docs/report.pdf", "-o", "out/perchunk", "--chunking-strategy", "by_title", "--chunking-scope", "per-chunk",
		"--max-characters", "900")},
	{Args: partitionArgs("docs/report.pdf", "-o", "out/after", "--chunking-strategy", "by_title", "--chunking-scope", "after")},
	{Args: partitionArgs("docs/report.pdf", "-o", "out/whole", "--chunking-strategy", "by_title", "--chunking-scope", "whole")},
	{Args: partitionArgs("secret/locked.pdf", "-o", "out/secret", "--password-file", "password.txt", "--chunk-mode", "disk")},

	// Absolute paths, another account, the embedded engine.
	{Args: partitionArgs("/"+folderMark+"/docs/report.pdf", "/"+folderMark+"/docs/demo/letter.txt", "-o", "out/absolute")},
	{
		Args: partitionArgs("docs/report.pdf", "-o", "out/account", "--header", "X-Tenant: seven", "-j", "2"),
		Env:  []string{"UNSTRUCTURED_API_KEY=upgrade-key"},
	},
	{Args: partitionArgs("docs/demo", "-o", "out/local", "--local")},
	{Args: partitionArgs("docs/demo", "-o", "out/local", "--local", "-f", "markdown", "--strategy", "fast")},

	// Policies of one's own.
	{Args: partitionArgs("docs/demo/letter.txt", "-o", "out/policy", "--retry", "policy.yaml")},
	{Args: []string{"retry", "table", "policy.yaml"}, Stdout: "out/policy.md", Words: true},
	{Args: []string{"retry", "table", "policy.json"}, Stdout: "out/policyjson.md", Words: true},

	// Standard output, and documents that another program names.
	{Args: partitionArgs("docs/report.pdf", "docs/demo/notes.md", "-f", "jsonl"), Stdout: "out/stdout.jsonl"},
	{Args: partitionArgs("docs/report.pdf"), Stdout: "out/stdout.json"},
	{Args: partitionArgs("--stdin-list"), Stdin: "list.txt", Stdout: "out/answers.jsonl"},
}

// upgradeBusy are runs whose failures are not final: the same command would send them again. Their
// lists are for upgradeRetries.
var upgradeBusy = []upgradeRun{
	{Args: partitionArgs("busy", "-o", "later/folder", "--allow-failed"), Exit: 3},
	{Args: partitionArgs("busy", "-o", "later/strict", "--failed", "later/failed.jsonl"), Exit: 3},
}

// upgradeRetries run failed lists again, beside their journal and without one.
var upgradeRetries = []upgradeRun{
	{Args: partitionArgs("--retry-failed", "later/folder/.quire/failed.jsonl", "-o", "later/folder", "--allow-failed")},
	{Args: partitionArgs("--retry-failed", "later/failed.jsonl", "-o", "later/elsewhere", "-f", "text")},
	{Args: partitionArgs("--retry-failed", "out/json/.quire/failed.jsonl", "-o", "out/json", "--allow-failed", "--narrow"), Exit: 3},
	{Args: partitionArgs("--retry-failed", "out/json/.quire/failed.jsonl", "-o", "out/json", "--allow-failed", "--narrow", "--force")},
}

// packUpgrade writes a folder as an archive: the same bytes for the same files.
func packUpgrade(t *testing.T, folder, name string) {
	t.Helper()
	contents := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		marked := func(s string) string { return strings.ReplaceAll(s, folder[1:], folderMark) }
		contents[marked(strings.TrimPrefix(filepath.ToSlash(path), folder+"/"))] = marked(string(data))
		return nil
	}))
	var archive bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&archive, gzip.BestCompression)
	require.NoError(t, err)
	files := tar.NewWriter(zipped)
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		content := contents[name]
		require.NotContains(t, content, os.TempDir(), name)
		require.NoError(t, files.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))}))
		_, err := files.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, files.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, os.WriteFile(name, archive.Bytes(), 0o644))
}

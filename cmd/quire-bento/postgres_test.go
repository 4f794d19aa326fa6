//go:build linux && (bento_postgres || bento_sql)

package main

import (
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// TestA9PostgresIsKilledInTheMiddle: a database that is killed and away for a while costs neither a row nor a document, be it while there
// are more documents to come, or with the last ones.
func TestA9PostgresIsKilledInTheMiddle(t *testing.T) {
	base := startPostgres(t)
	for _, tt := range []struct{ documents, pages int }{{100, 40}, {8, 400}} {
		base.do(t, "truncate elements, failed")
		in := filepath.Join(t.TempDir(), "in")
		require.NoError(t, os.Mkdir(in, 0o700))
		for i := range tt.documents {
			require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.pdf", i)), partitiontest.NewPDF(tt.pages), 0o600))
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, "bad.txt"), []byte("bad"), 0o600))
		middle := make(chan struct{})
		var arrived atomic.Int64
		srv := newServer(t, partitiontest.Fault{File: "bad.txt", Do: partitiontest.Detail(422, "Cannot be read.")},
			partitiontest.Fault{Match: func(partitiontest.Request) bool {
				if arrived.Add(1) == int64(tt.documents)*3 {
					close(middle)
				}
				return false
			}})
		run := worker(t, "config/postgres.yaml", "DSN="+base.dsn, "DOCUMENTS="+in, "UNSTRUCTURED_API_URL="+srv.URL)
		run.Stdout, run.Stderr = nil, nil // hundreds of warnings
		require.NoError(t, run.Start())
		t.Cleanup(func() { _ = run.Process.Kill() })
		<-middle
		base.kill()
		away := time.NewTimer(3 * time.Second)
		<-away.C
		base.start(t)
		require.NoError(t, run.Wait())

		require.Equal(t, tt.documents*tt.pages, base.number(t, "select count(*) from elements"))
		require.Equal(t, tt.documents, base.number(t, `select count(*) from (
			select 1 from elements group by document having max(position) = $1 - 1 and count(*) = $1) as whole`, tt.pages))
		require.Equal(t, []string{filepath.Join(in, "bad.txt") + " bad_document 422"},
			base.strings(t, "select document || ' ' || kind || ' ' || status from failed"))
	}
}

// TestA9PostgresIsFull: a table that cannot grow is waited for.
func TestA9PostgresIsFull(t *testing.T) {
	base := startPostgres(t)
	space := base.folder(t)
	smallDisk(t, space, "400k") // as root, so that the server is somebody else's
	require.NoError(t, os.Chown(space, int(base.as.Uid), int(base.as.Gid)))
	base.do(t, "create tablespace small location '"+space+"'")
	base.do(t, "alter table elements set tablespace small")
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(in, 0o700))
	for i := range 50 {
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("%d.pdf", i)), partitiontest.NewPDF(100), 0o600))
	}
	srv := newServer(t)
	run := worker(t, "config/postgres.yaml", "DSN="+base.dsn, "DOCUMENTS="+in, "UNSTRUCTURED_API_URL="+srv.URL)
	full := sayingOf(run, "(53100)")
	require.NoError(t, run.Start())
	t.Cleanup(func() { _ = run.Process.Kill() })
	full.await(t)
	smallDisk(t, space, "64m")
	require.NoError(t, run.Wait())
	require.Equal(t, 5000, base.number(t, "select count(*) from elements"))
	require.Zero(t, base.number(t, "select count(*) from failed"))
}

// TestA7PostgresEmptyDocuments: a document without elements is a row in failed, for as long as it has none, and its old rows go.
func TestA7PostgresEmptyDocuments(t *testing.T) {
	base := startPostgres(t)
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(in, 0o700))
	for _, name := range []string{"a.txt", "b.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte("text"), 0o600))
	}
	for _, empty := range []string{"a", "b"} {
		srv := newServer(t, partitiontest.Fault{File: empty + ".txt", Do: partitiontest.Reply(200, "[]")})
		run := worker(t, "config/postgres.yaml", "DSN="+base.dsn, "DOCUMENTS="+in, "UNSTRUCTURED_API_URL="+srv.URL)
		require.NoError(t, run.Run())
		require.Equal(t, []string{filepath.Join(in, empty+".txt") + " empty 200 empty: no elements; the server found nothing"},
			base.strings(t, "select document || ' ' || kind || ' ' || status || ' ' || message from failed"))
		require.Equal(t, 1, base.number(t, "select count(*) from elements"))
		require.Zero(t, base.number(t, "select count(*) from elements where document = $1", filepath.Join(in, empty+".txt")))
	}
}

// TestA9PostgresTakesHostileTexts: what Postgres cannot store is replaced and said, what it refuses is a row in failed, and neither costs
// anything else.
func TestA9PostgresTakesHostileTexts(t *testing.T) {
	base := startPostgres(t)
	in := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.Mkdir(in, 0o700))
	element := func(text, metadata string) string {
		return `{"type":"Title","element_id":"1","text":` + text + `,"metadata":{"filename":"f"` + metadata + `}}`
	}
	long := strings.Repeat("0123456789", 1<<20)
	plain := element(`"before"`, `,"page_number":7`)
	hostile := map[string]string{ // by the document's name, an element's text as JSON; the column content is the value
		"nul.txt":       `"a\u0000\u0000b"`,
		"escaped.txt":   `"a\\u0000 \\\u0000 \\\\u0000 \ud83d\ude00"`,
		"surrogate.txt": `"a\ud800b"`,
		"bytes.txt":     "\"a\xff\xfeb\"",
		"long.txt":      `"` + long + `"`,
		"null.txt":      `null`,
		"markup.txt":    `"<b>&amp; \u003c 'x'' \"; drop table elements; --"`,
	}
	want := map[string]string{
		"nul.txt": "a\ufffd\ufffdb", "escaped.txt": `a\u0000 \` + "\ufffd" + ` \\u0000 ` + "\U0001F600", "surrogate.txt": "a\ufffdb",
		"bytes.txt": "a\ufffd\ufffdb", "long.txt": long, "null.txt": "", "markup.txt": `<b>&amp; < 'x'' "; drop table elements; --`,
	}
	answers := map[string]string{
		"key.txt":     element(`"key"`, `,"a\u0000b":1,"deep":[{"x":["\u0000"]}]`),
		"page.txt":    element(`"page"`, `,"page_number":"iv"`),
		"number.txt":  element(`"number"`, `,"n":12345678901234567890.5`),
		"refused.txt": element(`"refused"`, `,"n":1e400000`),
		"deep.txt":    element(`"deep"`, `,"n":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)),
		"none.txt":    "",
		"odd\xff.txt": element(`"odd"`, ""),
	}
	var far strings.Builder // a path of 3,000 bytes that do not compress
	for range 12 {
		far.WriteString("/")
		for range 9 {
			far.WriteString(rand.Text()) // of 26 characters
		}
	}
	require.NoError(t, os.MkdirAll(in+far.String(), 0o700))
	answers["far.txt"] = element(`"far"`, "")
	require.NoError(t, os.WriteFile(filepath.Join(in+far.String(), "far.txt"), []byte("far"), 0o600))
	for name, text := range hostile {
		answers[name] = element(text, "")
	}
	var faults []partitiontest.Fault
	for name, middle := range answers {
		if name != "far.txt" {
			require.NoError(t, os.WriteFile(filepath.Join(in, name), []byte(name), 0o600))
		}
		body := "[" + plain + "," + middle + "," + plain + "]"
		if middle == "" {
			body = "[]"
		}
		is := func(r partitiontest.Request) bool { return r.File == strings.ToValidUTF8(name, "\ufffd") }
		faults = append(faults, partitiontest.Fault{Match: is, Do: partitiontest.Reply(200, body)})
	}
	run := func(faults ...partitiontest.Fault) {
		srv := newServer(t, faults...)
		require.NoError(t, worker(t, "config/postgres.yaml", "DSN="+base.dsn, "DOCUMENTS="+in, "UNSTRUCTURED_API_URL="+srv.URL).Run())
	}
	failed := func() []string {
		return base.strings(t, "select substring(document from '[^/]*$') || ' ' || kind from failed order by document")
	}
	for range 2 { // the second time over the rows of the first
		run(faults...)
		for name, text := range want {
			document := filepath.Join(in, name)
			require.Equal(t, []string{"before", text, "before"},
				base.strings(t, "select coalesce(content, '') from elements where document = $1 order by position", document), name)
			original := base.strings(t,
				"select metadata->>'quire_original' from elements where document = $1 and metadata ? 'quire_original'", document)
			if !strings.Contains(text, "\ufffd") {
				require.Empty(t, original, name)
				continue
			}
			require.Len(t, original, 1, name)
			require.True(t, json.Valid([]byte(original[0])))
			switch name {
			case "bytes.txt": // bytes that are no text, and half a pair, are replaced when the answer comes
			case "surrogate.txt":
				require.Contains(t, original[0], `"a\ufffdb"`)
			default:
				require.Contains(t, original[0], hostile[name])
			}
		}
		require.Equal(t, []string{"1 \ufffd"},
			base.strings(t, `select (metadata->>E'a\ufffdb') || ' ' || (metadata#>>'{deep,0,x,0}') from elements
				where document like '%/key.txt' and position = 1`))
		require.Equal(t, []string{"12345678901234567890.5"},
			base.strings(t, "select metadata->>'n' from elements where document like '%/number.txt' and position = 1"))
		require.Equal(t, 3, base.number(t, "select count(*) from elements where document = $1", strconv.Quote(filepath.Join(in, "odd\xff.txt"))))
		require.Equal(t, 2*(len(answers)-4), base.number(t, "select count(*) from elements where page = 7"))
		require.Equal(t, []string{"before", "far", "before"},
			base.strings(t, `select content from elements where document ~ '" [0-9a-f]{64}$' and length(document) = 667 order by position`))
		require.Equal(t, []string{"output true"},
			base.strings(t, "select kind || ' ' || final from failed where document like '%/refused.txt' and message like '%(22003)'"))
		require.Equal(t, []string{"deep.txt bad_response", "none.txt empty", "page.txt bad_response", "refused.txt output"}, failed())
		require.Zero(t, base.number(t, "select count(*) from elements where document ~ '/(deep|none|page|refused).txt$'"))
	}
	run(slices.Concat([]partitiontest.Fault{
		{File: "refused.txt", Do: partitiontest.Reply(200, "["+plain+"]")},
		{File: "nul.txt", Do: partitiontest.Reply(200, "["+plain+"]")},
		{File: "long.txt", Do: partitiontest.Detail(422, "a\x00\\u0000\xff")},
	}, faults)...)
	require.Equal(t, 1, base.number(t, "select count(*) from elements where document like '%/refused.txt'"))
	require.Equal(t, 1, base.number(t, "select count(*) from elements where document like '%/nul.txt'"), "rows behind the end are gone")
	require.Equal(t, 3, base.number(t, "select count(*) from elements where document like '%/long.txt'"), "the rows of an earlier version stay")
	require.Equal(t, []string{"deep.txt bad_response", "long.txt bad_document", "none.txt empty", "page.txt bad_response"}, failed())
	require.Equal(t, []string{"422"}, base.strings(t, "select status::text from failed where document like '%/long.txt'"))
}

// A database is a server of Postgres in a folder of its own, with the tables of the configuration.
type database struct {
	*sql.DB
	dsn        string
	binaries   string
	dir        string
	port       string
	as         *syscall.Credential // nil: who runs the test
	postmaster *exec.Cmd
}

// startPostgres starts a database. It skips the test where there is no Postgres, or nobody to run it as.
func startPostgres(t *testing.T) *database {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(t, err)
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		t.Skip("no Postgres on this machine: neither /usr/lib/postgresql/*/bin/initdb nor initdb in the path")
	}
	d := &database{binaries: filepath.Dir(found[len(found)-1])}
	if os.Getuid() == 0 {
		other, err := user.Lookup("postgres")
		if err != nil {
			t.Skipf("Postgres does not run as root: %v", err)
		}
		uid, err := strconv.Atoi(other.Uid)
		require.NoError(t, err)
		gid, err := strconv.Atoi(other.Gid)
		require.NoError(t, err)
		d.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	d.dir = filepath.Join(d.folder(t), "data")
	out, err := d.command("initdb", "-D", d.dir, "-U", "quire", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync").CombinedOutput()
	require.NoError(t, err, "%s", out)
	d.port = freePort(t)
	d.dsn = "postgres://quire@127.0.0.1:" + d.port + "/postgres?sslmode=disable"
	d.DB, err = sql.Open("postgres", d.dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close(); d.kill() })
	d.start(t)
	config, err := os.ReadFile("config/postgres.yaml")
	require.NoError(t, err)
	d.do(t, tables(string(config)))
	return d
}

// tables are the statements in the comment of the configuration.
func tables(config string) string {
	_, from, _ := strings.Cut(config, "\n#\n")
	block, _, _ := strings.Cut(from, "\n#\n")
	return strings.ReplaceAll(block, "#   ", "")
}

// folder is a new one that the database may use.
func (d *database) folder(t *testing.T) string {
	dir, err := os.MkdirTemp("/tmp", "quire-postgres-*") // a test's own folder is closed to others
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if d.as != nil {
		require.NoError(t, os.Chown(dir, int(d.as.Uid), int(d.as.Gid)))
	}
	return dir
}

func (d *database) command(name string, arguments ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(d.binaries, name), arguments...)
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: d.as}
	return c
}

// start starts the server, again for as long as processes of one that was killed are still there, and returns when it answers.
func (d *database) start(t *testing.T) {
	require.Eventually(t, func() bool {
		d.postmaster = d.command("postgres", "-D", d.dir, "-p", d.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=")
		require.NoError(t, d.postmaster.Start())
		for range 100 {
			if d.Ping() == nil {
				return true
			}
			pause := time.NewTimer(50 * time.Millisecond)
			<-pause.C
			if state := processState(d.postmaster.Process.Pid); state == "" || state == "Z" {
				break
			}
		}
		d.kill()
		return false
	}, time.Minute, 100*time.Millisecond)
}

// processState is the letter of /proc/PID/stat, "" where there is no such process.
func processState(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:min(1, len(rest))]
}

// kill kills the server; its other processes end when they notice.
func (d *database) kill() {
	_ = d.postmaster.Process.Kill()
	_ = d.postmaster.Wait()
}

func (d *database) do(t *testing.T, statement string) {
	_, err := d.Exec(statement)
	require.NoError(t, err, statement)
}

func (d *database) number(t *testing.T, query string, arguments ...any) (n int) {
	require.NoError(t, d.QueryRow(query, arguments...).Scan(&n), query)
	return n
}

func (d *database) strings(t *testing.T, query string, arguments ...any) (all []string) {
	rows, err := d.Query(query, arguments...)
	require.NoError(t, err, query)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		var s string
		require.NoError(t, rows.Scan(&s))
		all = append(all, s)
	}
	require.NoError(t, rows.Err())
	return all
}

//go:build conformance

package parquet_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
)

// compareScript reads pairs of a JSON list and a Parquet file from standard input, and compares what
// pyarrow and DuckDB find in the second with the first: rows, types and nulls.
const compareScript = `
import json, sys
import duckdb, pyarrow as pa, pyarrow.parquet as pq

texts, numbers = pa.list_(pa.field("element", pa.string(), False)), pa.list_(pa.field("element", pa.int32(), False))
own = {"type": pa.string(), "element_id": pa.string(), "text": pa.string()}

def fits(value, kind):
    if kind == pa.string():
        return isinstance(value, str)
    if kind == pa.int32():
        return type(value) is int and -2**31 <= value < 2**31
    return isinstance(value, list) and all(fits(v, kind.value_type) for v in value)

rows = 0
for line in sys.stdin:
    source, file = line.rstrip("\n").split("\t")
    elements, table = json.load(open(source)), pq.read_table(file)
    got = table.to_pylist()
    assert len(got) == len(elements), (source, len(got), len(elements))
    counted = duckdb.sql("select count(*), " + ", ".join("count(" + c + ")" for c in table.column_names) + " from read_parquet(?)", params=[file]).fetchall()[0]
    assert counted[0] == len(elements), source
    nulls = [len(elements) - n for n in counted[1:]]
    assert nulls == [table[c].null_count for c in table.column_names], source
    columns = {f.name: f.type for f in table.schema if f.name not in ("metadata", "element", "source_path", "source_sha256")}
    for element, row in zip(elements, got):
        for owner, rest, names in ((element, "element", set(own)), (element.get("metadata"), "metadata", set(columns) - set(own))):
            if not isinstance(owner, dict):
                assert row["metadata"] is None and not any(row[n] is not None for n in names), source
                continue
            left = {k: v for k, v in owner.items() if not (k in names and fits(v, columns[k])) and not (rest == "element" and k == "metadata" and isinstance(v, dict))}
            for name in names:
                want = owner.get(name) if fits(owner.get(name), columns[name]) else None
                assert row[name] == want, (source, name, row[name], want)
            assert json.loads(row[rest] or "{}") == left, (source, rest, row[rest], left)
        rows += 1
print(rows)
`

// TestReaders compares the files with what other readers of Parquet see in them. It needs python3 with
// pyarrow and duckdb; $QUIRE_PYTHON names another interpreter.
func TestReaders(t *testing.T) {
	python := os.Getenv("QUIRE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import pyarrow, duckdb").CombinedOutput(); err != nil {
		t.Skipf("%s has no pyarrow and duckdb: %v %s", python, err, out)
	}
	var pairs strings.Builder
	dir := t.TempDir()
	files, rows := 0, 0
	for _, answers := range []string{"../../../testdata/elements", "../../../../shared/golden/elements", "../../../../shared/golden/fast"} {
		if _, err := os.Stat(answers); err != nil {
			t.Logf("skipped: no folder %s", answers)
			continue
		}
		require.NoError(t, filepath.WalkDir(answers, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".json") {
				return err
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var elements []element.Element
			if json.Unmarshal(data, &elements) != nil {
				return nil
			}
			file := filepath.Join(dir, strings.ReplaceAll(path, "/", "_")+".parquet")
			require.NoError(t, os.WriteFile(file, written(t, format.Options{}, elements...), 0o600))
			pairs.WriteString(path + "\t" + file + "\n")
			files++
			rows += len(elements)
			return nil
		}))
	}
	c := exec.Command(python, "-c", compareScript)
	c.Stdin = strings.NewReader(pairs.String())
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("%d files, %s rows of %d", files, strings.TrimSpace(string(out)), rows)
}

//go:build conformance

package partition_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/local"
)

// TestSplitEqualsUnsplit sends every PDF both ways to the embedded engine and compares the elements
// field by field. Only parents may differ, of elements whose parent stands in an earlier chunk.
func TestSplitEqualsUnsplit(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../shared/samples/pdf/*.pdf", "../../shared/pdfs/*.pdf"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no PDFs: ../shared is not here")
	}
	if os.Getenv("QUIRE_SOAK") == "" {
		files = slices.DeleteFunc(files, func(file string) bool {
			info, err := os.Stat(file)
			return err != nil || info.Size() > 1<<20
		})
		t.Logf("%d files of up to 1 MiB; all with $QUIRE_SOAK", len(files))
	}
	engine, err := local.New(local.Options{})
	require.NoError(t, err)
	defer engine.Close()
	c, err := partition.New(partition.WithBaseURL("http://embedded.invalid"), partition.WithAPIKey(""), partition.WithMaxInFlight(2),
		partition.WithCache(&memoryCache{}), // the third way asks nothing new
		partition.WithHTTPClient(&http.Client{Transport: engine.RoundTripper()}))
	require.NoError(t, err)
	breaks := false // with page breaks no parent reaches over a page, so every other document goes without
	send := func(file string, s partition.Split) ([]element.Element, error) {
		d, err := partition.Open(file)
		require.NoError(t, err)
		defer d.Close()
		result, err := c.Partition(t.Context(), d, partition.Params{
			Strategy: "fast", Coordinates: new(true), IncludePageBreaks: new(breaks), Split: s,
		})
		return result.Elements, err
	}
	documents, elements, refused, repaired := 0, 0, 0, 0
	differences := map[string]int{}
	for i, file := range files {
		breaks = i%2 == 1
		whole, wholeErr := send(file, partition.Split{Off: true})
		parts, partsErr := send(file, partition.Split{Concurrency: 50, RepairParents: new(false)})
		if wholeErr != nil || partsErr != nil {
			if (wholeErr == nil) != (partsErr == nil) {
				differences["refused one way only: "+filepath.Base(file)]++
			}
			refused++
			continue
		}
		mended, err := send(file, partition.Split{Concurrency: 50})
		require.NoError(t, err)
		documents++
		elements += len(whole)
		if len(whole) != len(parts) {
			differences["number of elements: "+filepath.Base(file)]++
			continue
		}
		for i := range whole {
			for _, field := range fieldsThatDiffer(t, whole[i], parts[i]) {
				if field != "metadata.parent_id" {
					field += ": " + filepath.Base(file)
				}
				differences[field]++
			}
			if whole[i].Metadata.ParentID != parts[i].Metadata.ParentID && whole[i].Metadata.ParentID == mended[i].Metadata.ParentID {
				repaired++
			}
			if whole[i].Metadata.ParentID != mended[i].Metadata.ParentID {
				differences["parent_id after the repair: "+filepath.Base(file)]++
			}
		}
	}
	parents := differences["metadata.parent_id"]
	delete(differences, "metadata.parent_id")
	t.Logf("%d documents, %d elements equal; %d refused both ways; %d parents across chunks, %d of them repaired", documents, elements, refused, parents, repaired)
	for _, difference := range slices.Sorted(maps.Keys(differences)) {
		t.Errorf("%s: %d", difference, differences[difference])
	}
}

func fieldsThatDiffer(t *testing.T, a, b element.Element) []string {
	t.Helper()
	var fields []string
	one, other := flat(t, a), flat(t, b)
	for key := range one {
		if one[key] != other[key] {
			fields = append(fields, key)
		}
	}
	for key := range other {
		if _, both := one[key]; !both {
			fields = append(fields, key)
		}
	}
	return fields
}

func flat(t *testing.T, e element.Element) map[string]string {
	t.Helper()
	encoded, err := e.MarshalJSON()
	require.NoError(t, err)
	var v map[string]any
	require.NoError(t, json.Unmarshal(encoded, &v))
	fields := map[string]string{}
	for key, value := range v {
		if nested, ok := value.(map[string]any); ok {
			for inner, value := range nested {
				fields[key+"."+inner] = fmt.Sprint(value)
			}
			continue
		}
		fields[key] = fmt.Sprint(value)
	}
	return fields
}

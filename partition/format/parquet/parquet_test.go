package parquet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
	"github.com/quire-dev/quire/partition/format/parquet"
)

func elementsOf(t *testing.T, list string) []element.Element {
	t.Helper()
	var elements []element.Element
	require.NoError(t, json.Unmarshal([]byte(list), &elements))
	return elements
}

func written(t *testing.T, o format.Options, elements ...element.Element) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := format.New("parquet", &out, o)
	require.NoError(t, err)
	for _, e := range elements {
		require.NoError(t, w.Write(e))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func readBack(t *testing.T, file []byte) []element.Element {
	t.Helper()
	elements := []element.Element{}
	for e, err := range parquet.Read(bytes.NewReader(file), int64(len(file))) {
		require.NoError(t, err)
		elements = append(elements, e)
	}
	return elements
}

func requireSame(t *testing.T, want, got []element.Element) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		before, err := want[i].MarshalJSON()
		require.NoError(t, err)
		after, err := got[i].MarshalJSON()
		require.NoError(t, err)
		require.JSONEq(t, string(before), string(after))
	}
}

// Nothing of an element is lost: what has no column, or does not fit in it, is in the JSON columns.
func TestRoundTrip(t *testing.T) {
	for name, object := range map[string]string{
		"known members": `{"type":"Title","element_id":"ab","text":"é <b>","metadata":{"filename":"a.pdf","page_number":3,"category_depth":0,
			"languages":["eng","deu"],"link_urls":[],"link_start_indexes":[0,4],"parent_id":"cd"}}`,
		"unknown members":    `{"type":"T","element_id":"1","text":"","metadata":{"data_source":{"url":"u","version":null}},"embeddings":[0.10,1e-7]}`,
		"wrong types":        `{"type":1,"element_id":[],"text":{},"metadata":{"page_number":"seven","languages":"eng","category_depth":1.5,"subject":7}}`,
		"nulls":              `{"type":null,"text":null,"metadata":{"page_number":null,"languages":null,"filename":null}}`,
		"null in a list":     `{"type":"T","metadata":{"languages":["eng",null],"link_start_indexes":[1,null]}}`,
		"numbers as spelled": `{"type":"T","metadata":{"page_number":1.0,"category_depth":12345678901,"link_start_indexes":[1e2]}}`,
		"negative":           `{"type":"T","metadata":{"page_number":-1,"category_depth":-2147483648}}`,
		"no metadata":        `{"type":"T","text":"x"}`,
		"empty metadata":     `{"type":"T","metadata":{}}`,
		"metadata is a list": `{"type":"T","metadata":[1]}`,
		"metadata is null":   `{"type":"T","metadata":null}`,
		"empty":              `{}`,
		"NUL and quotes":     `{"type":"T","text":"a\u0000b\"\\","metadata":{"text_as_html":"<table>\n</table>"}}`,
		"own source":         `{"type":"T","source":{"path":"there"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			elements := elementsOf(t, "["+object+"]")
			requireSame(t, elements, readBack(t, written(t, format.Options{}, elements...)))
			with := format.Options{Source: &format.Source{Path: "a.pdf", SHA256: "00"}}
			requireSame(t, elements, readBack(t, written(t, with, elements...)))
		})
	}
	twice := elementsOf(t, `[{"type":"A","type":"B","metadata":{"page_number":1,"page_number":2}}]`)
	got := readBack(t, written(t, format.Options{}, twice...))
	require.Equal(t, element.ElementType("B"), got[0].Type)
	require.Equal(t, 2, got[0].Metadata.PageNumber)
}

// Real answers come back as they were.
func TestRoundTripOfAnswers(t *testing.T) {
	folders := 0
	for _, dir := range []string{"../../../testdata/elements", "../../../../shared/golden/elements", "../../../../shared/golden/fast"} {
		if _, err := os.Stat(dir); err != nil {
			t.Logf("skipped: no folder %s", dir)
			continue
		}
		require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".json") {
				return err
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var elements []element.Element
			if json.Unmarshal(data, &elements) == nil {
				requireSame(t, elements, readBack(t, written(t, format.Options{}, elements...)))
				folders++
			}
			return nil
		}))
	}
	require.NotZero(t, folders)
}

// The columns are part of the contract: names, types, order.
func TestSchema(t *testing.T) {
	file := written(t, format.Options{})
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	var columns []string
	for _, field := range f.Schema().Fields() {
		require.True(t, field.Optional(), field.Name())
		kind := "list"
		if field.Leaf() {
			kind = field.Type().String()
		}
		columns = append(columns, field.Name()+" "+kind)
	}
	require.Equal(t, strings.Fields(`type/STRING element_id/STRING text/STRING filename/STRING filetype/STRING page_number/INT(32,true)
		page_name/STRING languages/list parent_id/STRING category_depth/INT(32,true) text_as_html/STRING
		emphasized_text_contents/list emphasized_text_tags/list link_texts/list link_urls/list link_start_indexes/list url/STRING
		image_base64/STRING image_mime_type/STRING image_path/STRING image_url/STRING orig_elements/STRING sent_from/list sent_to/list
		subject/STRING source_path/STRING source_sha256/STRING metadata/JSON element/JSON`),
		strings.Fields(strings.ReplaceAll(strings.Join(columns, "\n"), " ", "/")))
	version, _ := f.Lookup("quire.schema")
	require.Equal(t, "1", version)
	require.Empty(t, readBack(t, file))
}

func TestOptions(t *testing.T) {
	elements := elementsOf(t, `[{"type":"Image","element_id":"1","text":"t","metadata":{"page_number":1,"image_base64":"AAEC","image_path":"theirs","x":1}},
		{"type":"Footer","element_id":"2","text":"f"}]`)
	got := readBack(t, written(t, format.Options{
		MetadataExclude: []string{"page_number"}, ElementTypes: []element.ElementType{"Image"},
		Images: func(name string, image []byte) (string, error) { return fmt.Sprintf("img/%s:%x", name, image), nil },
	}, elements...))
	require.Len(t, got, 1)
	line, err := got[0].MarshalJSON()
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"Image","element_id":"1","text":"t","metadata":{"image_path":"img/1-Image.bin:000102","x":1}}`, string(line))

	got = readBack(t, written(t, format.Options{MetadataInclude: []string{"x"}}, elements...))
	line, err = got[0].MarshalJSON()
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"Image","element_id":"1","text":"t","metadata":{"x":1}}`, string(line))

	_, err = format.New("parquet", &bytes.Buffer{}, format.Options{FlattenMetadata: true})
	require.EqualError(t, err, "format parquet: option FlattenMetadata is for json, jsonl only")
}

// The same elements are the same bytes, in as many row groups as their sizes make.
func TestRowGroups(t *testing.T) {
	var elements []element.Element
	for i := range 70 {
		elements = append(elements, element.Element{Type: "Title", ID: fmt.Sprint(i), Text: strings.Repeat(fmt.Sprint(i), 500_000)})
	}
	file := written(t, format.Options{}, elements...)
	require.True(t, bytes.Equal(file, written(t, format.Options{}, elements...)))
	f, err := pq.OpenFile(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	require.Len(t, f.RowGroups(), 2)
	got := readBack(t, file)
	require.Len(t, got, len(elements))
	for i, e := range elements {
		require.True(t, e.ID == got[i].ID && e.Text == got[i].Text)
	}
}

// A file that is none, or damaged, is an error and no panic; the first error ends the reading.
func TestDamaged(t *testing.T) {
	file := written(t, format.Options{}, elementsOf(t, `[{"type":"Title","text":"a","metadata":{"page_number":1}},{"type":"Title","text":"b"}]`)...)
	read := func(file []byte) (n int, err error) {
		for _, err = range parquet.Read(bytes.NewReader(file), int64(len(file))) {
			n++
		}
		return n, err
	}
	_, err := read(nil)
	require.Error(t, err)
	_, err = read([]byte("[]"))
	require.ErrorContains(t, err, "parquet: ")
	for cut := 0; cut < len(file); cut += 5 {
		_, err := read(file[:cut])
		require.Error(t, err, cut)
	}
	for at := 0; at < len(file); at += 3 {
		damaged := bytes.Clone(file)
		damaged[at] ^= 0x5a
		n, _ := read(damaged)
		require.LessOrEqual(t, n, 3, at)
	}
	for range parquet.Read(bytes.NewReader(file), int64(len(file))) {
		break
	}
	full := errors.New("disk full")
	w, err := format.New("parquet", failing{full}, format.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, errors.Join(w.Write(element.Element{Text: "x"}), w.Close()), full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

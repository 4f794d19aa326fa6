package element_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
)

func TestElementRoundTrip(t *testing.T) {
	for name, raw := range map[string]string{
		"known and unknown keys": `{"type":"Title","element_id":"1","text":"a","metadata":{"page_number":3,"x_new":{"deep":[1,null]}},"embeddings":[0.10,1e-7]}`,
		"order kept":             `{"metadata":{"languages":["eng"],"filename":"f"},"text":"t","element_id":"i","type":"Text"}`,
		"numbers not rounded":    `{"type":"T","element_id":"","text":"","metadata":{"big":12345678901234567890.123456789,"page_number":7}}`,
		"nulls":                  `{"type":null,"element_id":null,"text":null,"metadata":null}`,
		"wrong types":            `{"type":1,"element_id":[],"text":{},"metadata":{"page_number":"seven","languages":"eng","category_depth":1.5}}`,
		"metadata is a list":     `{"type":"T","metadata":[1]}`,
		"empty":                  `{}`,
		"html not escaped":       `{"type":"Table","text":"<&>","metadata":{"text_as_html":"<table>&amp;</table>"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var e element.Element
			require.NoError(t, json.Unmarshal([]byte(raw), &e))
			again, err := e.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, raw, string(again))
		})
	}
}

func TestElementFields(t *testing.T) {
	var e element.Element
	require.NoError(t, json.Unmarshal([]byte(`{"type":"ListItem","element_id":"ab","text":"é","metadata":{"page_number":2,
		"category_depth":0,"languages":["eng","deu"],"coordinates":{"points":[[1,2],[1,4],[3,4],[3,2]],"system":"PixelSpace",
		"layout_width":612,"layout_height":792.5}}}`), &e))
	require.Equal(t, element.TypeListItem, e.Type)
	require.Equal(t, "ab", e.ID)
	require.Equal(t, "é", e.Text)
	require.Equal(t, 2, e.Metadata.PageNumber)
	require.Equal(t, 0, *e.Metadata.CategoryDepth)
	require.Equal(t, []string{"eng", "deu"}, e.Metadata.Languages)
	require.Equal(t, [2]float64{3, 4}, e.Metadata.Coordinates.Points[2])
	require.InDelta(t, 792.5, e.Metadata.Coordinates.LayoutHeight, 0)
}

func TestElementChanged(t *testing.T) {
	const raw = `{"type":"Title","new":1,"element_id":"x","text":"old","metadata":{"a":null,"page_number":3,"parent_id":"p"}}`
	for name, test := range map[string]struct {
		change func(*element.Element)
		want   string
	}{
		"text": {
			func(e *element.Element) { e.Text = "new" },
			`{"type":"Title","new":1,"element_id":"x","text":"new","metadata":{"a":null,"page_number":3,"parent_id":"p"}}`,
		},
		"metadata changed, added and taken out": {
			func(e *element.Element) {
				e.Metadata.PageNumber, e.Metadata.ParentID, e.Metadata.Filename = 4, "", "f.pdf"
			},
			`{"type":"Title","new":1,"element_id":"x","text":"old","metadata":{"a":null,"page_number":4,"filename":"f.pdf"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var e element.Element
			require.NoError(t, json.Unmarshal([]byte(raw), &e))
			test.change(&e)
			got, err := e.MarshalJSON()
			require.NoError(t, err)
			require.Equal(t, test.want, string(got))
		})
	}
}

func TestMetadataMember(t *testing.T) {
	var e element.Element
	require.NoError(t, json.Unmarshal([]byte(`{"metadata":{"page_number":3,"signature":"x","deep":{"a":[1]},"signature":"y"}}`), &e))
	for name, want := range map[string]string{"page_number": "3", "signature": `"y"`, "deep": `{"a":[1]}`} {
		got, ok := e.MetadataMember(name)
		require.True(t, ok, name)
		require.Equal(t, want, string(got))
	}
	_, ok := e.MetadataMember("text_as_html")
	require.False(t, ok)
	e.Metadata.PageNumber = 4
	got, _ := e.MetadataMember("page_number")
	require.Equal(t, "3", string(got), "as it came")
	_, ok = element.Element{Metadata: element.Metadata{PageNumber: 1}}.MetadataMember("page_number")
	require.False(t, ok, "it did not come from JSON")
	require.NoError(t, json.Unmarshal([]byte(`{"metadata":[1]}`), &e))
	_, ok = e.MetadataMember("0")
	require.False(t, ok)
}

func TestElementRefusesWhatIsNoObject(t *testing.T) {
	for _, raw := range []string{`[]`, `"x"`, `1`, `null`, `true`} {
		var e element.Element
		require.Error(t, e.UnmarshalJSON([]byte(raw)), raw)
	}
}

func TestElementsMadeHere(t *testing.T) {
	got, err := json.Marshal(element.Element{Type: element.TypeTitle, ID: "1", Text: "t", Metadata: element.Metadata{PageNumber: 1}})
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"Title","element_id":"1","text":"t","metadata":{"page_number":1}}`, string(got))
}

func TestGoldenElementsAreKept(t *testing.T) {
	files, err := filepath.Glob("../../shared/golden/elements/*/*.json")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no golden elements: ../shared/golden is not here")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var elements []element.Element
		require.NoError(t, json.Unmarshal(data, &elements), file)
		again, err := json.Marshal(elements)
		require.NoError(t, err)
		require.Equal(t, exact(t, data), exact(t, again), file)
		for _, e := range elements {
			require.NotEmpty(t, e.Type, file)
			_, err := e.Metadata.DecodeOrigElements()
			require.NoError(t, err, file)
		}
	}
}

// exact decodes JSON with numbers as they are written.
func exact(t *testing.T, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	return v
}

func TestDecodeOrigElements(t *testing.T) {
	pack := func(s string) string {
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, err := w.Write([]byte(s))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return base64.StdEncoding.EncodeToString(b.Bytes())
	}
	good := element.Metadata{OrigElements: pack(`[{"type":"Title","element_id":"1","text":"a","metadata":{"page_number":7}}]`)}
	elements, err := good.DecodeOrigElements()
	require.NoError(t, err)
	require.Len(t, elements, 1)
	require.Equal(t, 7, elements[0].Metadata.PageNumber)

	none, err := element.Metadata{}.DecodeOrigElements()
	require.NoError(t, err)
	require.Nil(t, none)

	for name, text := range map[string]string{
		"no base64": "%%%", "no zlib": base64.StdEncoding.EncodeToString([]byte("hello")), "no JSON": pack("hello"),
		"no list": pack(`{"a":1}`), "null": pack(`null`), "cut": good.OrigElements[:20],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := element.Metadata{OrigElements: text}.DecodeOrigElements()
			require.ErrorContains(t, err, "orig_elements")
		})
	}
}

func FuzzElement(f *testing.F) {
	f.Add([]byte(`{"type":"Title","element_id":"1","text":"a","metadata":{"page_number":1,"coordinates":{"points":[[0,0]]}}}`))
	f.Add([]byte(`{"metadata":{"languages":null},"metadata":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e element.Element
		if json.Unmarshal(data, &e) != nil {
			return
		}
		again, err := e.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, exact(t, data), exact(t, again))
		e.Text += "x"
		changed, err := e.MarshalJSON()
		require.NoError(t, err)
		var back element.Element
		require.NoError(t, json.Unmarshal(changed, &back))
		require.Equal(t, e.Text, back.Text)
	})
}

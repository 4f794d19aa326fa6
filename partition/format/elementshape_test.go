package format

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestElementShape(t *testing.T) {
	source := json.RawMessage(`{"path":"p"}`)
	for name, test := range map[string]struct {
		shape       elementShape
		image       string
		raw, shaped string
	}{
		"nothing asked": {
			elementShape{}, "", `{ "a" : 1 }`, `{ "a" : 1 }`,
		},
		"spelling and order of everything else": {
			elementShape{metadata: newNameFilter(nil, []string{"b"})},
			"",
			`{"\u0061":1.50,"metadata":{"z":1e2,"b":0,"é\/":[ 1 ]},"text":"\u00e9\/"}`,
			`{"\u0061":1.50,"metadata":{"z":1e2,"é\/":[ 1 ]},"text":"\u00e9\/"}`,
		},
		"repeated members": {
			elementShape{source: source},
			"", `{"a":1,"a":2,"metadata":{"b":1,"b":2}}`,
			`{"a":1,"a":2,"metadata":{"b":1,"b":2},"source":{"path":"p"}}`,
		},
		"repeated metadata, flattened": {
			elementShape{flatten: true}, "", `{"metadata":{"a":1,"b":1},"text":"","metadata":{"a":2}}`, `{"text":"","a":2}`,
		},
		"a name in other spelling": {
			elementShape{metadata: newNameFilter([]string{"b"}, nil)}, "", `{"metadata":{"a":1,"\u0062":2}}`, `{"metadata":{"\u0062":2}}`,
		},
		"metadata that is no object": {
			elementShape{flatten: true, metadata: newNameFilter([]string{"b"}, nil)}, "", `{"metadata":null,"x":1}`, `{"metadata":null,"x":1}`,
		},
		"nothing left": {
			elementShape{metadata: newNameFilter([]string{"b"}, nil)}, "", `{"metadata":{"a":1}}`, `{"metadata":{}}`,
		},
		"no members": {
			elementShape{flatten: true}, "", `{}`, `{}`,
		},
		"flattened in its place": {
			elementShape{flatten: true}, "", `{"type":"T","metadata":{"a":1,"b":{"c":2}},"text":""}`, `{"type":"T","a":1,"b":{"c":2},"text":""}`,
		},
		"flattened without loss": {
			elementShape{flatten: true, source: source},
			"",
			`{"metadata":{"text":1,"metadata.text":2,"source":3,"metadata":4},"text":"","source":5}`,
			`{"metadata.metadata.text":1,"metadata.text":2,"metadata.source":3,"metadata":4,"text":"","element.source":5,"source":{"path":"p"}}`,
		},
		"an image's path in its place": {
			elementShape{},
			"d/1-Image.png", `{"metadata":{"a":1,"image_base64":"eA==","image_path":"/there","b":2}}`,
			`{"metadata":{"a":1,"image_path":"d/1-Image.png","b":2}}`,
		},
		"an image's path left out": {
			elementShape{metadata: newNameFilter(nil, []string{"image_path"})}, "d/1", `{"metadata":{"image_base64":"eA=="}}`, `{"metadata":{}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := test.shape.apply([]byte(test.raw), test.image)
			require.NoError(t, err)
			require.Equal(t, test.shaped, string(got))
		})
	}
}

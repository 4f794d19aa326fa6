package format_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
)

// FuzzJSONLines compares a line with what encoding/json makes of the element: all of it, and nothing
// between its texts.
func FuzzJSONLines(f *testing.F) {
	for _, seed := range []string{
		`{}`, "{ \"text\" :\n\t\"a b\\n \\\" c\\\\\" , \"metadata\" : { \"x\" : [ 1 , -2.50e+1 , true , null ] } }", `{"a":"\u2028","b":""}`, "{\"\\\"\":\" \"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var e element.Element
		if e.UnmarshalJSON(object) != nil {
			return
		}
		var out, want bytes.Buffer
		w, err := format.New("jsonl", &out, format.Options{})
		require.NoError(t, err)
		require.NoError(t, w.Write(e))
		require.NoError(t, w.Close())
		require.NoError(t, json.Compact(&want, object))
		require.Equal(t, want.String()+"\n", out.String())
	})
}

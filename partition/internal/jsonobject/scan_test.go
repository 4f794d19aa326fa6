package jsonobject_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

func TestIndex(t *testing.T) {
	values := make([][]byte, 3)
	values[2] = []byte("old")
	jsonobject.Index{"a": 0, "é": 1, "c": 2}.Read([]byte(` { "a" : 1 , "\u0061":{"a":"}\\\""}, "A":2,"é":[ "]", 1.5e3 ],"b":"\\" } `), values)
	require.Equal(t, `{"a":"}\\\""}`, string(values[0]), "the last of a repeated one, however it is spelled")
	require.Equal(t, `[ "]", 1.5e3 ]`, string(values[1]))
	require.Nil(t, values[2])
}

func TestValues(t *testing.T) {
	var items []string
	for item := range jsonobject.Items([]byte(` [ 1,"a,]" , [2 ,{}],null,true ] `)) {
		items = append(items, string(item))
	}
	require.Equal(t, []string{"1", `"a,]"`, "[2 ,{}]", "null", "true"}, items)
	for value, want := range map[string]int{`"[[["`: 0, `1`: 0, `[]`: 1, `{"a":[{}],"b":[[]]}`: 3, `["\"[",["\\"]]`: 2} {
		require.Equal(t, want, jsonobject.Depth([]byte(value)), value)
	}
	for value, want := range map[string]int{"3": 3, "-0": 0, "3.0": 3, "3e0": 3, "2.5": -1, "1e999": -1, "1e10": -1, `"3"`: -1, "null": -1, "": -1} {
		n, ok := jsonobject.Whole([]byte(value))
		require.Equal(t, want >= 0, ok, value)
		require.Equal(t, max(want, 0), n, value)
	}
	require.Equal(t, "a\n\"é", jsonobject.Text([]byte(`"a\n\"\u00e9"`)))
	require.Empty(t, jsonobject.Text([]byte(`7`)))
	require.Empty(t, jsonobject.Text(nil))
}

// The members of an object are those that encoding/json finds.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":{"b":[1,"}\\\"",null]},"a":2}`, ` { "\\" : "\\\\" , "b":-1.5e-3} `, `{"a":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]json.RawMessage
		wrong := json.Unmarshal(data, &want)
		members, err := jsonobject.Members(data)
		require.Equal(t, wrong == nil && want != nil, err == nil)
		got := map[string]json.RawMessage{}
		for _, m := range members {
			got[m.Name] = m.Value
		}
		if err == nil {
			require.Equal(t, want, got)
		}
	})
}

package jsonobject_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition/internal/jsonobject"
)

func TestMembers(t *testing.T) {
	for object, names := range map[string][]string{
		`{}`:                                nil,
		`{"a":1,"b":{"c":[1, 2]},"a":null}`: {"a", "b", "a"},
		`{"\u00e9":1.50,"<&>":"<&>"}`:       {"é", "<&>"},
	} {
		members, err := jsonobject.Members([]byte(object))
		require.NoError(t, err)
		var got []string
		for _, m := range members {
			got = append(got, m.Name)
		}
		require.Equal(t, names, got)
		require.Equal(t, object, string(jsonobject.Join(members)), "the spelling stays")
	}
	for _, broken := range []string{``, `{"a"`, `{"a":}`, `{1:2}`} {
		_, err := jsonobject.Members([]byte(broken))
		require.Error(t, err, broken)
	}
	require.Equal(t, `{"<a>":"x"}`, string(jsonobject.Join([]jsonobject.Member{jsonobject.New("<a>", json.RawMessage(`"x"`))})))
	require.True(t, jsonobject.Is([]byte(" {}")))
	for _, other := range []string{``, `[]`, `null`, `"{"`} {
		require.False(t, jsonobject.Is([]byte(other)), other)
	}
	_, err := jsonobject.Marshal(func() {})
	require.Error(t, err)
}

package wire_test

import (
	"net/url"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/wire"
	"github.com/quire-dev/quire/split"
)

// TestKeyTellsParamsApart goes through every field of Split: one that changes elements changes the
// key, and no other does.
func TestKeyTellsParamsApart(t *testing.T) {
	key := func(p partition.Params) partition.Key {
		k, err := wire.Key(p)
		require.NoError(t, err)
		return k
	}
	changes := map[string]bool{"Off": true, "Concurrency": true, "Pages": true, "Scope": true, "RepairParents": true}
	for field := range reflect.TypeFor[partition.Split]().Fields() {
		var p partition.Params
		switch v := reflect.ValueOf(&p.Split).Elem().FieldByIndex(field.Index); v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.String:
			v.SetString("x")
		case reflect.Pointer:
			v.Set(reflect.ValueOf(new(false)))
		case reflect.Struct:
			p.Split.Pages = split.PageRange{First: 2, Last: 3}
		default:
			v.SetInt(7)
		}
		require.Equal(t, changes[field.Name], key(p) != key(partition.Params{}), field.Name)
	}
	require.Equal(t, key(partition.Params{}), key(partition.Params{Split: partition.Split{Concurrency: 10, Scope: partition.ChunkingWhole}}), "defaults are the same as unset")
	require.NotEqual(t, key(partition.Params{}), key(partition.Params{Strategy: "fast"}))
	repair := func(asked *bool) partition.Key {
		return key(partition.Params{Split: partition.Split{RepairParents: asked}})
	}
	require.NotEqual(t, repair(nil), repair(new(true)))
	require.NotEqual(t, repair(new(false)), repair(new(true)))
	require.NotEqual(t, key(partition.Params{Languages: []string{"eng", "deu"}}), key(partition.Params{Languages: []string{"engdeu"}}))
	_, err := wire.Key(partition.Params{Extra: url.Values{"files": {"x"}}})
	require.Error(t, err)
}

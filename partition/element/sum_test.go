package element

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every field of an element is in its sum: a change of it is not lost.
func TestSumCoversEveryField(t *testing.T) {
	depth := 1
	full := plainElement{Metadata: Metadata{CategoryDepth: &depth, Coordinates: &Coordinates{Points: [][2]float64{{1, 2}}}}}
	before := sumOf(full)
	changed := 0
	eachField(t, reflect.ValueOf(&full).Elem(), func(name string) {
		changed++
		require.NotEqual(t, before, sumOf(full), name)
	})
	require.Equal(t, before, sumOf(full))
	require.Equal(t, 39, changed)
}

// eachField changes each exported field in turn, and changes it back.
func eachField(t *testing.T, v reflect.Value, changed func(name string)) {
	t.Helper()
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		if !v.Type().Field(i).IsExported() {
			continue
		}
		was := reflect.ValueOf(field.Interface())
		change := func(to any) {
			field.Set(reflect.ValueOf(to).Convert(field.Type()))
			changed(name)
			field.Set(was)
		}
		switch field.Kind() {
		case reflect.Struct:
			eachField(t, field, changed)
		case reflect.String:
			change("x")
		case reflect.Int, reflect.Float64:
			change(7)
		case reflect.Pointer:
			change(reflect.Zero(field.Type()).Interface())
			if field.Elem().Kind() == reflect.Struct {
				eachField(t, field.Elem(), changed)
			} else {
				two := 2
				change(&two)
			}
		case reflect.Slice:
			change(reflect.MakeSlice(field.Type(), 2, 2).Interface())
			change(reflect.MakeSlice(field.Type(), 0, 0).Interface())
		default:
			t.Fatal(name, field.Kind())
		}
	}
}

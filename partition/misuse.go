package partition

import (
	"context"
	"errors"
	"reflect"
)

var (
	errNilOption  = errors.New("an option is nil")
	errNilContext = errors.New("the context is nil")
	errNoClient   = errors.New("the client was not made by New")
)

// isNil reports whether v is nil, or holds a nil pointer, function, map, slice or channel: a method
// of that would panic in a goroutine where nobody can recover.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan:
		return r.IsNil()
	default:
		return false
	}
}

// checkCall returns what is missing for a call of the client, nil where nothing is.
func (c *Client) checkCall(ctx context.Context, d *Document) error {
	switch {
	case d == nil:
		return &DocumentError{Kind: KindBadRequest, Err: errNilDocument}
	case c == nil || c.retry == nil:
		return &DocumentError{Document: d.name, Kind: KindBadRequest, Err: errNoClient}
	case ctx == nil:
		return &DocumentError{Document: d.name, Kind: KindBadRequest, Err: errNilContext}
	default:
		return nil
	}
}

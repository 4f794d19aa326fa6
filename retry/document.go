package retry

import (
	"bytes"
	"encoding/json"
	"strings"
)

// document is a JSON body of which single members are looked at. It is parsed only as far as a
// condition asks.
//
// Members are kept as raw tokens in a map: decoding into a struct would match names without regard
// to case, and {"Retryable": false} is no verdict. A body nested deeper than encoding/json allows
// (10,000 levels) is not JSON.
type document struct {
	raw  []byte
	json int8 // 0 not checked, 1 valid, -1 not
}

func parseDocument(b []byte) document { return document{raw: bytes.TrimLeft(b, " \t\r\n")} }

func (d *document) valid() bool {
	if d.json == 0 {
		d.json = -1
		if json.Valid(d.raw) {
			d.json = 1
		}
	}
	return d.json > 0
}

func (d *document) starts(c byte) bool { return len(d.raw) > 0 && d.raw[0] == c }

func (d *document) isObject() bool { return d.starts('{') && d.valid() }

func (d *document) isList() bool { return d.starts('[') && d.valid() }

// boolean returns the literal at the path; ok is false where the body is not an object, or the
// member is missing or not a boolean.
func (d *document) boolean(path string) (value, ok bool) {
	// A literal cannot be written any other way, a name can ("retryabl\u0065"): only the former may be
	// searched for.
	if !d.starts('{') || !bytes.Contains(d.raw, []byte("false")) && !bytes.Contains(d.raw, []byte("true")) {
		return false, false
	}
	raw := json.RawMessage(d.raw)
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return false, false
		}
		if raw, ok = members[name]; !ok {
			return false, false
		}
	}
	switch string(raw) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

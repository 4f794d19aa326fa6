package split_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

// A seenPage is a page of a chunk as pdfcpu sees it, with what it inherits.
type seenPage struct {
	media, crop, rotate string
	content             string // decoded; the streams of an array with a line feed after each
	dump                string // what the page leads to, with everything in its place
}

// inherited are the attributes that a page has from the nodes above.
var inherited = []string{"MediaBox", "CropBox", "Rotate", "Resources"}

// seenPages reads a chunk.
func seenPages(t *testing.T, chunk []byte) []seenPage {
	t.Helper()
	ctx, err := api.ReadContext(bytes.NewReader(chunk), model.NewDefaultConfiguration())
	require.NoError(t, err)
	require.Nil(t, ctx.Encrypt, "the chunk is encrypted")
	catalog, err := ctx.Catalog()
	require.NoError(t, err)
	r := &pageReader{t, ctx}
	var pages []seenPage
	r.walk(catalog["Pages"], types.Dict{}, &pages)
	return pages
}

type pageReader struct {
	t   *testing.T
	ctx *model.Context
}

func (r *pageReader) follow(o types.Object) types.Object {
	r.t.Helper()
	o, err := r.ctx.Dereference(o)
	require.NoError(r.t, err)
	return o
}

func (r *pageReader) walk(node types.Object, above types.Dict, pages *[]seenPage) {
	r.t.Helper()
	d, ok := r.follow(node).(types.Dict)
	require.True(r.t, ok, "a node of the page tree is no dictionary")
	has := types.Dict{}
	for _, key := range inherited {
		if has[key] = d[key]; d[key] == nil {
			has[key] = above[key]
		}
	}
	if kids, ok := r.follow(d["Kids"]).(types.Array); ok {
		for _, kid := range kids {
			r.walk(kid, has, pages)
		}
		return
	}
	*pages = append(*pages, seenPage{
		media: r.dump(has["MediaBox"], 0), crop: r.dump(has["CropBox"], 0), rotate: r.dump(has["Rotate"], 0), content: r.content(d["Contents"]),
		dump: r.dump(has["Resources"], 0) + r.dump(d, 0),
	})
}

func (r *pageReader) content(o types.Object) string {
	switch o := r.follow(o).(type) {
	case types.StreamDict:
		return r.decoded(o)
	case types.Array:
		var b strings.Builder
		for _, part := range o {
			b.WriteString(r.content(part) + "\n")
		}
		return b.String()
	case nil:
		return ""
	default:
		r.t.Fatalf("content that is a %T", o)
		return ""
	}
}

func (r *pageReader) decoded(s types.StreamDict) string {
	if err := s.Decode(); err != nil {
		return string(s.Raw)
	}
	return string(s.Content)
}

// dumpDepth bounds what leads in a circle.
const dumpDepth = 12

// dump spells an object with what it refers to in place. It does not go up.
func (r *pageReader) dump(o types.Object, depth int) string {
	if depth > dumpDepth {
		return "..."
	}
	switch o := r.follow(o).(type) {
	case nil:
		return ""
	case types.Dict:
		return r.dumpDict(o, depth)
	case types.StreamDict:
		return r.dumpDict(o.Dict, depth) + "stream " + r.decoded(o) + " endstream"
	case types.Array:
		var parts []string
		for _, part := range o {
			parts = append(parts, r.dump(part, depth+1))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case types.Float:
		return strconv.FormatFloat(o.Value(), 'g', -1, 64)
	case types.HexLiteral:
		data, err := o.Bytes()
		require.NoError(r.t, err)
		return "(" + string(data) + ")"
	default:
		return fmt.Sprint(o)
	}
}

func (r *pageReader) dumpDict(d types.Dict, depth int) string {
	var b strings.Builder
	for _, key := range sortedNames(d) {
		if key != "Parent" && key != "P" && key != "Length" {
			fmt.Fprintf(&b, "/%s %s ", key, r.dump(d[key], depth+1))
		}
	}
	return "<<" + b.String() + ">>"
}

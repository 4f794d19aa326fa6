package split

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/stretchr/testify/require"
)

// The names of a content are found once for all chunks that have it: they are the same chunks, also
// cut at once, and in the other order.
func TestChunksOfOneContent(t *testing.T) {
	f := sharing(40)
	for i := range 40 { // each page draws its image, and what all pages draw
		f.set(2*i+5, "<</Type/Page/Parent 2 0 R/Contents[%d 0 R 4 0 R]>>", 2*i+4)
	}
	cut := func(d *Document, r PageRange) ([]byte, error) {
		c, err := d.Chunk(context.Background(), r)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		_, err = c.WriteTo(&b)
		return b.Bytes(), err
	}
	plan := Plan(40, 10)
	var want [][]byte
	for _, r := range plan {
		data, err := cut(opened(t, f), r)
		require.NoError(t, err)
		want = append(want, data)
	}
	d := opened(t, f)
	got, errs := make([][]byte, 4*len(plan)), make([]error, 4*len(plan))
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() { got[i], errs[i] = cut(d, plan[len(plan)-1-i%len(plan)]) })
	}
	group.Wait()
	for i := range got {
		require.NoError(t, errs[i])
		require.True(t, bytes.Equal(want[len(plan)-1-i%len(plan)], got[i]), "chunk %d", i)
	}
}

// A content counts to the limit of every chunk that has it, whether it was read before or not.
func TestHeldContentCountsToTheLimit(t *testing.T) {
	f := manual(1)
	f.set(4, "<</Length 13>>\nstream\n/Im1 Do /Im2 \nendstream")
	d := opened(t, f)
	ref := types.IndirectRef{ObjectNumber: 4}
	for range 2 {
		v := viewOf(d)
		found, ok := v.names(ref)
		require.True(t, ok)
		require.Equal(t, names{"Im1": true, "Im2": true}, found)
		require.EqualValues(t, 13, v.inflated)
		v.inflated = v.table.limits.DecodedBytes - 12
		_, ok = v.names(ref)
		require.False(t, ok)
		require.Equal(t, v.table.limits.DecodedBytes-12, v.inflated)
	}
}

// What is held has a bound, whatever the contents are.
func TestHeldContentsAreBounded(t *testing.T) {
	var c contents
	for nr := range 10 * mostNames / nameCost {
		c.put(nr, content{1, names{fmt.Sprint("F", nr): true}})
		require.LessOrEqual(t, c.cost, mostNames)
		_, ok := c.get(nr)
		require.True(t, ok)
	}
	require.Less(t, len(c.held), mostNames/nameCost)
	before := c.cost
	c.put(-1, content{1, names{strings.Repeat("x", mostNames): true}})
	_, ok := c.get(-1)
	require.False(t, ok)
	require.Equal(t, before, c.cost)
	c.put(0, content{2, nil})
	c.put(0, content{3, nil})
	first, _ := c.get(0)
	require.EqualValues(t, 2, first.size)
}

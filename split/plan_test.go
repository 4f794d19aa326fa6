package split

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlan(t *testing.T) {
	tests := []struct {
		pages, concurrency int
		want               string
	}{
		{0, 10, "[]"},
		{-1, 10, "[]"},
		{1, 10, "[1]"},
		{2, 10, "[1-2]"},
		{3, 10, "[1-2 3]"},
		{5, 3, "[1-2 3-4 5]"},
		{16, 10, "[1-2 3-4 5-6 7-8 9-10 11-12 13-14 15-16]"},
		{20, 1, "[1-20]"},
		{21, 1, "[1-11 12-21]"},
		{41, 1, "[1-14 15-28 29-41]"},
		{21, 5, "[1-5 6-9 10-13 14-17 18-21]"},
		{101, 5, "[1-11 12-21 22-31 32-41 42-51 52-61 62-71 72-81 82-91 92-101]"},
		{5, 0, "[1-5]"},
		{5, -3, "[1-5]"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d pages, %d at a time", tt.pages, tt.concurrency), func(t *testing.T) {
			require.Equal(t, tt.want, fmt.Sprint(Plan(tt.pages, tt.concurrency)))
		})
	}
	require.Nil(t, Plan(0, 1))
}

// officialSize is the chunk size of the official Python client.
func officialSize(pages, concurrency int) int {
	size := maxChunkPages
	if pages < maxChunkPages*concurrency {
		size = (pages + concurrency - 1) / concurrency
	}
	return max(size, 2)
}

// longestPath is what the slowest of c workers does, in pages, if each takes the next chunk in
// order.
func longestPath(sizes []int, c int) int {
	total := 0
	for i := 0; i < len(sizes); i += c {
		total += sizes[i] // the largest of its wave
	}
	return total
}

func TestPlanProperties(t *testing.T) {
	for c := 1; c <= 50; c++ {
		for n := 1; n <= 2000; n++ {
			plan := Plan(n, c)
			next := 1
			sizes := make([]int, len(plan))
			for i, r := range plan {
				if r.First != next {
					t.Fatalf("n=%d c=%d: chunk %d starts at %d, not at %d", n, c, i, r.First, next)
				}
				sizes[i] = r.Len()
				if sizes[i] < 1 || sizes[i] > maxChunkPages || sizes[i] > sizes[0] || sizes[i] < sizes[0]-1 || i > 0 && sizes[i] > sizes[i-1] {
					t.Fatalf("n=%d c=%d: sizes %v", n, c, sizes[:i+1])
				}
				next = r.Last + 1
			}
			if next != n+1 {
				t.Fatalf("n=%d c=%d: ends at %d", n, c, next-1)
			}
			var official []int
			for rest, size := n, officialSize(n, c); rest > 0; rest -= size {
				official = append(official, min(rest, size))
			}
			if ours, theirs := longestPath(sizes, c), longestPath(official, c); ours > theirs {
				t.Fatalf("n=%d c=%d: longest path %d pages, the official client's %d", n, c, ours, theirs)
			}
		}
	}
}

func TestPlanOfARange(t *testing.T) {
	require.Equal(t, []PageRange{{3, 4}, {5, 6}, {7, 7}}, PageRange{3, 7}.Plan(10))
	require.Nil(t, PageRange{}.Plan(10))
}

package split

// maxChunkPages is the most pages that [Plan] puts into one chunk.
const maxChunkPages = 20

// mostPages is the most pages that are planned: beyond them the plan itself would fill the memory.
const mostPages = 1 << 24

// Plan divides a document's pages into chunks. The result depends on the page count and the
// concurrency alone, so the same document is always cut the same way. A document of at most two
// pages is not cut.
//
// For n pages and c chunks at a time it needs w = ceil(n/20c) rounds, and makes k = min(w·c,
// ceil(n/2)) chunks. They are of equal size, or differ by one page, the larger ones first. No chunk
// has more than 20 pages (MAX_PAGES_PER_SPLIT in the Python client's split_pdf_hook.py). On average
// they have at least two, as with the official clients.
//
// The ranges start at page 1, cover every page once and are in order. Plan returns nil for no pages
// and for more than 16,777,216, which no document has; a concurrency below 1 counts as 1.
func Plan(pages, concurrency int) []PageRange {
	if pages <= 0 || pages > mostPages {
		return nil
	}
	chunks := chunkCount(pages, max(concurrency, 1))
	size, larger := pages/chunks, pages%chunks
	plan := make([]PageRange, 0, chunks)
	for first := 1; first <= pages; {
		n := size
		if len(plan) < larger {
			n++
		}
		plan = append(plan, PageRange{First: first, Last: first + n - 1})
		first += n
	}
	return plan
}

func chunkCount(pages, concurrency int) int {
	pairs := ceilDiv(pages, 2)
	if concurrency >= pairs {
		return pairs
	}
	waves := ceilDiv(pages, maxChunkPages*concurrency)
	return min(waves*concurrency, pairs)
}

func ceilDiv(a, b int) int { return (a-1)/b + 1 }

// Plan divides the range in the same way as the function [Plan] divides a document with as many
// pages.
func (r PageRange) Plan(concurrency int) []PageRange {
	ranges := Plan(r.Len(), concurrency)
	for i := range ranges {
		ranges[i].First += r.First - 1
		ranges[i].Last += r.First - 1
	}
	return ranges
}

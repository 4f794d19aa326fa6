// Package local is an embedded engine that speaks the partition API and partitions by itself.
//
// An [Engine] is an [http.Handler]: it takes the API's multipart requests and answers with
// elements, errors and status codes in the API's own form. It works offline, without cgo, with the
// strategy fast: text is taken as the document holds it, nothing is recognised in images. It reads
// PDF, plain text, Markdown, HTML, CSV and TSV; every other type gets the API's own refusal.
//
// # What is exact
//
// The form, the checks and their texts; element ids (the same hash of file name, text, page and
// position); page numbers; page breaks. The elements of a PDF page depend on that page alone: it
// gives the same elements by itself, in a chunk or in the whole document. Only parent_id looks
// across pages, as the API's does. The checks come in the API's order, but for the key: it is
// checked before the body is read, and the API checks the form first.
//
// # What is an approximation
//
//   - PDF text comes from PDFium, word by word; lines and boxes are grouped by the measures that
//     pdfminer's layout analysis uses (line overlap 0.5, character margin 2.0, line margin 0.5) on
//     whole words. Where a word ends is PDFium's judgement.
//   - A line that begins an item of a list begins a box of its own, where the API's boxes may hold
//     several items.
//   - The reading order is a recursive XY-cut, columns before rows, over the boxes of a page.
//   - In a document whose viewer preferences say that it is read from the right, PDFium turns the
//     words of a line; a chunk that was cut without these preferences is read from the left.
//   - Verbs are found with a small English lexicon and by endings; the ends of sentences by
//     punctuation, the capital that follows and a list of abbreviations. The API uses a tagger and
//     a sentence model.
//   - Addresses are recognised in the form "City, ST 12345" only.
//   - Languages are not detected: elements carry the languages of the request, or eng.
//   - Form field values, link annotations and the text of figures' XObjects as separate elements of
//     a PDF are not reported.
//   - HTML follows the API's block rules for paragraphs, headings, lists, tables, code, images;
//     Markdown is rendered to HTML first. A text inside more than 16 elements for emphasis or links
//     is reported for the outer 16.
//   - Markdown is read as plain text where it would take time with the square of its length: what
//     is inside more than 16 lists or quotations, a paragraph of more than 64 KiB, a paragraph's
//     marks after the first 1,000, link references of more than 2,000 lines without a blank one,
//     tables whose rows lack nearly all cells. Nine blank lines end a list. A text of more than 1
//     MiB is read in pieces, cut between paragraphs; link references, lists and code do not reach
//     from one into the next.
//   - The names of text encodings are those of the WHATWG registry; latin-1 is read as
//     windows-1252, as browsers do.
//   - Messages that quote another program's exception (damaged PDFs, undecodable text) begin as the
//     API's do and end in words of this package's own.
//
// # Limits
//
// A document takes less than 512 MiB of memory. What would take more is refused, with the reason:
//
//   - a text, or a page of HTML or Markdown, of more than 64 MiB: 413;
//   - HTML whose nodes would take more than 96 MiB by an estimate (some 100,000 to 400,000 tags),
//     and Markdown that becomes more than 32 MiB of HTML: 422;
//   - a table of more than 4,000,000 cells: 422;
//   - a PDF of up to 1 MiB that the splitter refuses because its streams inflate too far, any PDF
//     for which PDFium needs more than 256 MiB, and a page of more than 500,000 characters: 422;
//   - elements that take more than 64 MiB as JSON, for all files of a request: 422. The answer is
//     sent when all of it is known; what is longer than 256 KiB waits in a temporary file;
//   - a gzip file that unpacks to more than [Options].MaxBody: 413.
//
// These hold for documents under way together as well: texts of no more than 64 MiB in all are read
// at once, and of the PDFs for which PDFium needs more than 64 MiB one at a time. The others wait,
// and the wait counts against [Options].Timeout.
//
// A request's key and length are checked before its body is read. A body that comes slower than 8
// KiB a second, 30 seconds aside, is cut off with 408. Uploads of more than 256 KiB wait in a
// temporary file.
//
// # Failures
//
// Every 500 says "retryable": false beside its detail, which the API's does not: the same document
// would meet the same code again. A client that obeys the verdict sends it once. So does the 504 of
// a document that takes longer than [Options].Timeout. The answer comes at most a second after the
// time is up. A library that is in the middle of a document by then goes on; the work keeps its
// slot of [Options].Concurrency until it ends.
package local

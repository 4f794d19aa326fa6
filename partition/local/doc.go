// Package local is an embedded engine that speaks the partition API and partitions by itself.
//
// An [Engine] is an [http.Handler]: it takes the API's multipart requests and answers with elements, errors and status codes in
// the API's own form. It works offline, without cgo, with the strategy fast: text is taken as the document holds it, nothing is
// recognised in images. It reads PDF, plain text, Markdown, HTML, CSV and TSV; every other type gets the API's own refusal.
//
// # What is exact
//
// The form, the order of the checks and their texts; element ids (the same hash over file name, text, page and position); page
// numbers; page breaks; what a PDF page yields depends on that page alone, so that a page gives the same elements by itself, in
// a chunk or in the whole document. Only parent_id looks across pages, as the API's does.
//
// # What is an approximation
//
//   - PDF text comes from PDFium, word by word; lines and boxes are grouped by the measures that pdfminer's layout analysis uses
//     (line overlap 0.5, character margin 2.0, line margin 0.5) on whole words. Where a word ends is PDFium's judgement.
//   - A line that begins an item of a list begins a box of its own, where the API's boxes may hold several items.
//   - The reading order is a recursive XY-cut, columns before rows, over the boxes of a page.
//   - In a document whose viewer preferences say that it is read from the right, PDFium turns the words of a line; a chunk that was
//     cut without these preferences is read from the left.
//   - Whether a text has a verb is told from a small English lexicon and from endings; where a sentence ends, from punctuation, a
//     following capital and a list of abbreviations. The API uses a tagger and a sentence model.
//   - Addresses are recognised in the form "City, ST 12345" only.
//   - Languages are not detected: elements carry the languages of the request, or eng.
//   - Form field values, link annotations and the text of figures' XObjects as separate elements of a PDF are not reported.
//   - HTML follows the API's block rules for paragraphs, headings, lists, tables, code, images; Markdown is rendered to HTML first.
//     A text inside more than 16 elements for emphasis or links is reported for the outer 16.
//   - Markdown is read as plain text where it would take time with the square of its length: what is inside more than 16 lists or
//     quotations, a paragraph of more than 64 KiB, a paragraph's marks after the first 1,000, link references of more than 2,000
//     lines without a blank one, tables whose rows lack nearly all cells. Nine blank lines end a list. A text of more than 1 MiB is
//     read in pieces, cut between paragraphs; link references, lists and code do not reach from one into the next.
//   - A table of more than 4,000,000 cells is refused with 422.
//   - The names of text encodings are those of the WHATWG registry; latin-1 is read as windows-1252, as browsers do.
//   - Messages that quote another program's exception (damaged PDFs, undecodable text) begin as the API's do and end in words of
//     this package's own.
//
// # Failures
//
// Every 500 says "retryable": false beside its detail, which the API's do not: here the same document meets the same code again, so
// that a client which believes the verdict sends it once instead of for minutes. So does the 504 of a document that takes longer
// than [Options].Timeout. The answer comes at most a second after the time is up; what is left of the work by then, a library's in
// the middle of one piece of a document, ends by itself and keeps its slot of [Options].Concurrency until it has.
package local

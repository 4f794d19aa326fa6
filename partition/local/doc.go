// Package local is an embedded engine for the partition API: it partitions documents in the program
// itself, without a server.
//
// An [Engine] is an [http.Handler]. It takes the API's multipart requests and answers with
// elements, errors and status codes in the API's format. It works offline and without cgo. It has
// the strategy fast only: it extracts the text that the document contains and does not recognise
// text in images. It reads PDF, plain text, Markdown, HTML, CSV and TSV. It refuses every other
// type with the API's own error.
//
// # What is exact
//
// These are the same as the API's: the form fields, their checks and error texts; element ids (the
// same hash of file name, text, page and position); page numbers; page breaks. The elements of a
// PDF page depend on that page alone: they are the same if the page is sent alone, in a chunk or in
// the whole document. Only parent_id depends on other pages, as in the API. The checks are in the
// API's order, with one exception: the engine checks the key before it reads the body, and the API
// checks the form first.
//
// # What is an approximation
//
//   - PDF text comes from PDFium, word by word. Words are grouped into lines and boxes with the
//     parameters of pdfminer's layout analysis (line overlap 0.5, character margin 2.0, line margin
//     0.5). PDFium decides where a word ends.
//   - Each list item begins a new box. In the API a box may have several items.
//   - The reading order is a recursive XY-cut, columns before rows, over the boxes of a page.
//   - If the viewer preferences of a document say that it is read from the right, PDFium reverses
//     the words of a line. In a chunk that was cut without these preferences it does not.
//   - Verbs are found with a small English lexicon and by their endings. Ends of sentences are
//     found by punctuation, a following capital letter and a list of abbreviations. The API uses a
//     tagger and a sentence model.
//   - Addresses are recognised in the form "City, ST 12345" only.
//   - Languages are not detected: elements carry the languages of the request, or eng.
//   - In a PDF, form field values, link annotations and the text of figures' XObjects are not
//     reported as separate elements.
//   - HTML follows the API's block rules for paragraphs, headings, lists, tables, code and images.
//     Markdown is rendered to HTML first. Of more than 16 nested elements for emphasis or links,
//     only the outer 16 are reported.
//   - Some Markdown is read as plain text because it would take quadratic time: anything inside
//     more than 16 lists or quotations, a paragraph of more than 64 KiB, a paragraph's marks after
//     the first 1,000, link references of more than 2,000 lines without a blank line, and tables
//     whose rows lack nearly all cells. Nine blank lines end a list. A text of more than 1 MiB is
//     read in pieces, cut between paragraphs; link references, lists and code do not continue from
//     one piece to the next.
//   - The names of text encodings are those of the WHATWG registry; latin-1 is read as
//     windows-1252, as browsers do.
//   - Some messages of the API quote an exception of another program (damaged PDFs, undecodable
//     text). The engine's messages begin in the same way but have a different end.
//
// # Limits
//
// A document takes less than 512 MiB of memory. The engine refuses what would take more, with a
// message and one of these statuses:
//
//   - a text, or a page of HTML or Markdown, of more than 64 MiB: 413;
//   - HTML whose nodes would take more than an estimated 96 MiB (about 100,000 to 400,000 tags),
//     and Markdown that becomes more than 32 MiB of HTML: 422;
//   - a table of more than 4,000,000 cells: 422;
//   - a PDF of up to 1 MiB that the splitter refuses because its streams inflate too far, any PDF
//     for which PDFium needs more than 256 MiB, and a page of more than 500,000 characters: 422;
//   - elements that take more than 64 MiB as JSON, for all files of a request: 422. The engine
//     sends the answer when it is complete; until then, an answer of more than 256 KiB is in a
//     temporary file;
//   - a gzip file that unpacks to more than [Options].MaxBody: 413.
//
// Some limits also hold for all documents under way together. The engine works on no more than 64
// MiB of texts at once, and on one PDF at a time if PDFium needs more than 64 MiB for it. The
// others wait, and the wait counts against [Options].Timeout.
//
// The engine checks the key and the length of a request before it reads the body. A body that is
// slower than 8 KiB a second, with 30 seconds to spare, is cut off with 408. Uploads of more than
// 256 KiB are kept in a temporary file.
//
// # Failures
//
// Every 500, and the 504 for a document that takes longer than [Options].Timeout, has "retryable":
// false in its body, because the same document would fail again. The API's does not. A client that
// obeys it sends the document only once. The 504 comes at most a second after the timeout. If a
// library is still working on the document, it goes on and keeps its slot of [Options].Concurrency
// until it ends.
package local

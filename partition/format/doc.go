// Package format writes the elements of a document as JSON, JSON lines, Markdown, text or CSV, and reads
// JSON and JSON lines back. Package format/parquet adds Parquet.
//
// [Formats] is the table of formats: names, file extensions, media types, and the options that each
// format supports. [New] begins the output of one document on an [io.Writer], [Writer.Write] writes
// an element, and [Writer.Close] ends the output. Elements are written as they come, so a document
// of any length takes the memory of one element.
//
// JSON and JSON lines are lossless: without options an element is written with every key, null and
// digit that the server sent, in the server's order. Markdown, text and CSV are for people and
// spreadsheets; they leave out some of the data.
package format

// Package format writes the elements of a document as JSON, JSON lines, Markdown, text or CSV.
//
// [Formats] is the table of what there is: names, file extensions, media types, and which options
// each format knows. [New] begins the output of one document on an [io.Writer]; each element goes
// through [Writer.Write] as it comes, and [Writer.Close] ends the output. An element is written at
// once, so a document of any length takes the memory of one element.
//
// JSON and JSON lines are lossless: without options an element is written with every key, null and
// digit that the server sent, in the server's order. Markdown, text and CSV are for people and
// spreadsheets and hold less.
package format

// Package page writes self-contained HTML pages: the report of a run, and the elements of a
// document.
//
// A [Run] gathers a report while the run goes on, from the client's events ([Run.Observe]) and the
// documents' outcomes ([Run.Document]), in bounded memory; [Run.Write] draws it. A [View] takes the
// elements of a document one by one and writes a page of them.
//
// What is on a page is foreign: texts, file names, a server's words. A page runs no script and
// loads nothing, neither by itself nor through what it shows: everything is escaped, tables and
// links pass allow-lists, and the page's own Content-Security-Policy forbids the rest.
package page

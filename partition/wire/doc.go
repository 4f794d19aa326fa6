// Package wire is for the programs of this module. It has what they need in addition to the API of
// package partition: the table of form fields, escaping of text for a terminal, names for the
// engine and for the source of the API key, a key that identifies parameters, a way to send other
// requests without showing secrets, and space for what has to wait. It is outside the module's promise of compatibility.
package wire

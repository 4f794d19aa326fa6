// Package wire is what the programs of this module need of package partition beyond what that
// promises: the table of form fields, text that is fit to be printed, the names of an engine and of
// a key's source, and the key of parameters. It is outside the module's promise of compatibility.
package wire

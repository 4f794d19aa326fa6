// Package jsonlist reads a JSON list value by value, however long a value is, without keeping it: a
// value is checked as it passes by, and known by its place and its size.
package jsonlist

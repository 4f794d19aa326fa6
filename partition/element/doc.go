// Package element defines the elements in the partition API's answers: the pieces of a document,
// each with a type, a text and metadata.
//
// An [Element] is decoded from one object of the API's JSON and written back without loss: unknown
// members, the order of members and every digit of a number stay unchanged. Package partition
// yields elements; package format writes them. To read and write elements as JSON, this package is
// enough.
package element

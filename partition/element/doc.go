// Package element is what the partition API answers with: the pieces of a document, each with a
// type, a text and metadata.
//
// An [Element] is decoded from one object of the API's JSON and written back without loss: members
// that have no field here, their order, and every digit of a number stay as they came. The client
// of package partition yields elements; package format writes them. A program that has elements at
// hand needs neither of them to read and write them.
package element

//go:build conformance

package local

const slowSuites = true

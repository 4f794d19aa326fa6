//go:build !conformance

package local

const slowSuites = false

//go:build race

package local

// raceDetector says that the tests run with the race detector, which takes several times the
// memory of the program.
const raceDetector = true

// Package walk finds the files that a run is about.
//
// A command's paths, globs and lists ([ReadList]) become [Options], and [New] refuses what cannot
// be meant: a root that is missing, two roots with the same outputs, a glob that cannot be read.
// [Walk.Survey] goes through everything once before anything is opened: it counts, and refuses two
// documents whose outputs would be in each other's way (claims.go, fold.go). [Walk.Entries] then
// yields every [Entry], as often as it is asked to, folder by folder and sorted by name: a file
// that is taken, with the name of its output (name.go), or one that is left out, with the reason
// (skip.go, glob.go). No file is opened, and nothing is written.
package walk

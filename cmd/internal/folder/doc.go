// Package folder keeps the outputs of runs.
//
// [Open] makes an output folder and proves that it can be written; nothing is ever written outside
// it. [Folder.Remember] opens and locks its journal (package journal), where earlier runs say what
// they did. [Folder.Outputs] then takes a run's documents: [Outputs.Do] asks the journal whether an
// earlier run has settled one (history.go), else lets it be written to a [File] that has another
// name until it is whole; [Outputs.Commit] brings finished files to the disk, many at a time, puts
// them in their place, and records them after that (commit.go). What is recorded is true after a
// crash as well.
//
// Beside the outputs a run leaves a [FailedList], and files that flags name ([OpenFile]). A [Spool]
// holds what may not be shown yet.
package folder

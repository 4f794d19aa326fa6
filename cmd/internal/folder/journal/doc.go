// Package journal remembers what was done to each document of an output folder.
//
// It lives in the folder .quire beside the outputs, which is private to the user. [Open] takes its
// lock, removes what a killed run left behind and reads the manifest, of which only an index stays
// in memory. A run asks for each document what is known of it ([Journal.Lookup]) and appends what
// it did ([Journal.Append]); of several [Record]s of one name the last counts. [Journal.Unseen] has
// what the run did not come to. compact.go writes a manifest anew when most of it is outdated.
//
// The files: manifest.jsonl is the journal proper, one record per line; lock keeps a second run
// out, and holder.json says which process has it; tmp is where outputs grow until they are whole;
// failed.jsonl is the failed list of the last run ([Failure]).
package journal

package format_test

import (
	"fmt"
	"log"
	"os"

	"github.com/quire-dev/quire/partition/element"
	"github.com/quire-dev/quire/partition/format"
)

// Elements of a document, one after the other, as Markdown on standard output. In a program they
// come from [partition.Stream.All].
func Example() {
	elements := []element.Element{
		{Type: "Title", Text: "Tides"},
		{Type: "NarrativeText", Text: "High water comes *twice* a day."},
		{Type: "ListItem", Text: "spring tide"},
		{Type: "ListItem", Text: "neap tide"},
	}
	w, err := format.New("markdown", os.Stdout, format.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range elements {
		if err := w.Write(e); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// # Tides
	//
	// High water comes \*twice\* a day.
	//
	// - spring tide
	// - neap tide
}

func ExampleFormats() {
	for _, f := range format.Formats() {
		fmt.Println(f.Name, f.Extension, f.MediaType)
	}
	// Output:
	// json .json application/json
	// jsonl .jsonl application/x-ndjson
	// markdown .md text/markdown; charset=utf-8
	// text .txt text/plain; charset=utf-8
	// csv .csv text/csv; charset=utf-8
}

package format_test

import (
	"fmt"
	"log"
	"os"
	"strings"

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

func ExampleMarkdown() {
	elements := []element.Element{
		{Type: element.TypeTitle, Text: "Tides"},
		{Type: element.TypeNarrativeText, Text: "High at noon."},
	}
	fmt.Print(format.Markdown(elements))
	fmt.Print(format.Text(elements))
	// Output:
	// # Tides
	//
	// High at noon.
	// Tides
	//
	// High at noon.
}

func ExampleRead() {
	output := strings.NewReader(`[
{"type":"Title","element_id":"1","text":"Tides","metadata":{"page_number":1}},
{"type":"NarrativeText","element_id":"2","text":"High at noon.","metadata":{"page_number":1}}
]`)
	for e, err := range format.Read(output) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Metadata.PageNumber, e.Type, e.Text)
	}
	// Output:
	// 1 Title Tides
	// 1 NarrativeText High at noon.
}

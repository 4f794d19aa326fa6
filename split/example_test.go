package split_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/quire-dev/quire/split"
)

func Example() {
	f, err := os.Open(filepath.Join("..", "testdata", "pdf", "five-pages.pdf"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	doc, err := split.Open(context.Background(), f, info.Size(), split.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer doc.Close()

	for _, pages := range split.Plan(doc.Pages(), 3) {
		chunk, err := doc.Chunk(context.Background(), pages)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("pages", pages, "ready:", chunk.Size() > 0)
	}
	// Output:
	// pages 1-2 ready: true
	// pages 3-4 ready: true
	// pages 5 ready: true
}

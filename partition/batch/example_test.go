package batch_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/batch"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// Many documents through one client, with a loop over what became of each.
func Example() {
	server := partitiontest.NewServer(partitiontest.Options{}) // stands for the API
	defer server.Close()
	server.Script(partitiontest.Fault{File: "damaged.txt", Do: partitiontest.Detail(422, "damaged")})

	var watch batch.Watch
	client, err := partition.New(
		partition.WithBaseURL(server.URL), partition.WithAPIKey(""), partition.WithObserver(watch.Observe),
	)
	if err != nil {
		log.Fatal(err)
	}
	for o := range batch.Run(context.Background(), client, notes(), batch.Options{Watch: &watch}) {
		if o.Err != nil {
			fmt.Println(o.State, o.Kind(), o.Err) // also, last, why a run ended early
			continue
		}
		fmt.Println(o.State, o.Item.Name, len(o.Elements))
	}
	// Output:
	// done minutes.txt 1
	// failed bad_document damaged.txt: POST /general/v0/general: 422 Unprocessable Entity: damaged (1 attempt)
	// done todo.txt 1
}

// notes yields three documents. Of files it would yield batch.File(path, params).
func notes() iter.Seq[batch.Item] {
	return func(yield func(batch.Item) bool) {
		for _, name := range []string{"minutes.txt", "damaged.txt", "todo.txt"} {
			d := partition.FromReaderAt(name, strings.NewReader("A line."), 7)
			if !yield(batch.Document(d, partition.Params{})) {
				return
			}
		}
	}
}

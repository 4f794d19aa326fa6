package cache_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"

	"github.com/quire-dev/quire/cache"
)

func Example() {
	tmp, err := os.MkdirTemp("", "example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(tmp)

	// cache.DefaultPath() is the place for a user's own.
	answers, err := cache.Open(tmp+"/answers", cache.Options{Warn: func(err error) { log.Print(err) }})
	if err != nil {
		log.Fatal(err)
	}
	defer answers.Close() // a run that was not finished can be resumed

	ctx := context.Background()
	key := sha256.Sum256([]byte("v1\npages 5-6\nSHA-256 of the document, parameters, ..."))
	for range 2 {
		answer, err := answers.Get(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Println("miss: asking the server")
			err = answers.Put(ctx, key, func(w io.Writer) error {
				_, err := io.WriteString(w, `[{"type":"Title"}]`)
				return err
			})
			if errors.Is(err, cache.ErrUnavailable) {
				continue // uncached, Warn has told
			}
		}
		if err != nil {
			log.Fatal(err)
		}
		if answer != nil {
			content, err := io.ReadAll(answer)
			answer.Close()
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println("hit:", string(content))
		}
	}

	if err := answers.Finish(); err != nil { // all is done
		log.Fatal(err)
	}
	trimmed, err := answers.Trim(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("entries left:", trimmed.Left.Entries)
	// Output:
	// miss: asking the server
	// hit: [{"type":"Title"}]
	// entries left: 1
}

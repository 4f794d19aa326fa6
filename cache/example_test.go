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
	defer answers.Close()

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
				continue // Warn was called; go on without a cache
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
	// Output:
	// miss: asking the server
	// hit: [{"type":"Title"}]
}

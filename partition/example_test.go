package partition_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
)

// printElements is the example of the README.
func printElements(ctx context.Context, path string) error {
	client, err := partition.New() // key and URL from $UNSTRUCTURED_API_KEY and $UNSTRUCTURED_API_URL
	if err != nil {
		return err
	}
	doc, err := partition.Open(path)
	if err != nil {
		return err
	}
	defer doc.Close()
	for e, err := range client.Stream(ctx, doc, partition.Params{Strategy: "fast"}).All() {
		if err != nil {
			return err // a *partition.APIError, *partition.DocumentError or *partition.PartialError
		}
		fmt.Println(e.Metadata.PageNumber, e.Type, e.Text)
	}
	return nil
}

func Example() {
	server := partitiontest.NewServer(partitiontest.Options{}) // stands for the API
	defer server.Close()
	os.Setenv(partition.EnvAPIURL, server.URL)
	defer os.Unsetenv(partition.EnvAPIURL)
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "report.pdf")
	if err := os.WriteFile(path, partitiontest.NewPDF(3), 0o600); err != nil {
		log.Fatal(err)
	}
	if err := printElements(context.Background(), path); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 NarrativeText page 1 of report.pdf
	// 2 NarrativeText page 2 of report.pdf
	// 3 NarrativeText page 3 of report.pdf
}

// TestReadmeShowsTheExample holds the README's Go code against the example above.
func TestReadmeShowsTheExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	require.NotEmpty(t, blocks)
	for line := range strings.SplitSeq(string(blocks[0][1]), "\n") {
		require.Contains(t, string(source), strings.TrimSpace(line))
	}
}

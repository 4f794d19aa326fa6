// Command quire partitions documents through the Unstructured partition API.
package main

import (
	"os"

	"github.com/quire-dev/quire/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// Command quire-bento is the stream engine Bento with Quire's partition call in it, as the processor quire_partition.
package main

import (
	"context"

	"github.com/warpstreamlabs/bento/public/service"

	// The components of every build; with_*.go have those that a build tag asks for.
	_ "github.com/warpstreamlabs/bento/public/components/io"
	_ "github.com/warpstreamlabs/bento/public/components/nats"
	_ "github.com/warpstreamlabs/bento/public/components/prometheus"
	_ "github.com/warpstreamlabs/bento/public/components/pure"

	"github.com/quire-dev/quire/partition"
)

func main() {
	if err := register(service.GlobalEnvironment()); err != nil {
		panic(err) // two fields of one name: a fault of this program
	}
	service.RunCLI(context.Background(),
		service.CLIOptSetVersion(partition.Version, ""),
		service.CLIOptSetBinaryName("quire-bento"), service.CLIOptSetProductName("Quire with Bento"))
}

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/partition"
)

// Bento's own commands document the processor.
func TestHelp(t *testing.T) {
	tests := []struct {
		name      string
		arguments []string
		want      []string
	}{
		{"version", []string{"--version"}, []string{partition.Version}},
		{"list", []string{"list", "processors"}, []string{"- quire_partition\n"}},
		{"list of outputs", []string{"list", "outputs"}, []string{"- quire_files\n", "- quire_list\n"}},
		{"list of inputs", []string{"list", "inputs"}, []string{"- quire_folder\n"}},
		{"list with its fields", []string{"list", "--format", "json", "processors"}, []string{`"quire_partition"`}},
		{"create", []string{"create", "stdin/quire_partition/stdout"}, []string{"- quire_partition:", `api_key: ""`, "on_outage: wait"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			output, err := program(t, tt.arguments...).Output()
			require.NoError(t, err)
			for _, want := range tt.want {
				require.Contains(t, string(output), want)
			}
		})
	}
}

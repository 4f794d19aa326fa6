package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/words"
	"github.com/quire-dev/quire/retry"
)

// defaultPolicy is the preset that partition uses.
const defaultPolicy = "unstructured"

func newRetry(sh *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "retry",
		Short: "Show which requests are retried, and when",
		Long: "A retry policy says which failed requests are sent again, and when. These commands show policies: the presets\n" +
			"(" + strings.Join(retry.Presets(), ", ") + ") and your own, in JSON or YAML files.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError("unknown command \"retry %s\"", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newRetryTable(sh), newRetryExplain(sh), newRetrySimulate(sh))
	return c
}

func onePolicy(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError("expected one policy, got %d", len(args))
	}
	return nil
}

// policyArgument is the policy that was named, else the default.
func policyArgument(args []string) (*retry.Policy, error) {
	if len(args) == 0 {
		return loadPolicy(defaultPolicy)
	}
	return loadPolicy(args[0])
}

// loadPolicy returns the preset called name, or the policy in the file of that name, JSON or YAML.
func loadPolicy(name string) (*retry.Policy, error) {
	if preset, known := retry.Preset(name); known {
		return preset, nil
	}
	data, err := folder.ReadInput(name)
	if err != nil {
		return nil, usageError("retry policy %q is neither a preset (%s) nor a file: %s",
			name, strings.Join(retry.Presets(), ", "), words.Reason(err))
	}
	if data, err = yamlToJSON(data); err != nil {
		return nil, usageError("%s: %s", name, err)
	}
	policy, err := retry.Parse(data)
	if err != nil {
		return nil, usageError("%s: %s", name, err)
	}
	return policy, nil
}

// yamlToJSON turns YAML into JSON. JSON, which nearly is YAML too, is left as it is.
func yamlToJSON(data []byte) ([]byte, error) {
	if json.Valid(data) {
		return data, nil
	}
	documents := yaml.NewDecoder(bytes.NewReader(data))
	var value, second any
	if err := documents.Decode(&value); err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %w", err)
	}
	if documents.Decode(&second) == nil {
		return nil, errors.New("it holds more than one YAML document")
	}
	converted, err := json.Marshal(value)
	if err != nil {
		return nil, errors.New("a key in it is not a string")
	}
	return converted, nil
}

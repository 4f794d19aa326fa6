package retry

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed policies/*.json
var policies embed.FS

const defaultPolicy = "unstructured"

// Presets lists the built-in policies, the default first.
func Presets() []string {
	return []string{defaultPolicy, "unstructured-python", "openai-compatible", "search-api", "agent", "agent-without-500"}
}

// Preset returns a fresh copy of a built-in policy; ok is false for a name that
// [Presets] does not list.
func Preset(name string) (p *Policy, ok bool) {
	data, err := policies.ReadFile("policies/" + name + ".json")
	if err != nil || strings.Contains(name, "/") {
		return nil, false
	}
	p, err = Parse(data)
	if err != nil {
		panic(fmt.Sprintf("retry: built-in policy %s: %v", name, err)) // held by a test
	}
	return p, true
}
